"""Draw charts as SVG: scales, ticks, and symbols in the page's colours."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stoic.report.html.markup import esc, figure

__all__ = ["Frame", "dot", "label", "line", "log_ticks", "ring", "ticks", "triangle", "wrong"]


@dataclass(frozen=True)
class Frame:
    """A drawing area with linear scales, or a logarithmic one along x."""

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    left: float = 46.0
    right: float = 12.0
    top: float = 8.0
    bottom: float = 34.0
    log: bool = False

    def px(self, x: float) -> float:
        """The x-coordinate in pixels."""
        a, b = self.x
        if self.log:
            x, a, b = math.log(x), math.log(a), math.log(b)
        share = (x / 2 - a / 2) / (b / 2 - a / 2) if b > a else 0.5
        return self.left + share * (self.width - self.left - self.right)

    def py(self, y: float) -> float:
        """The y-coordinate in pixels; never far beyond the border."""
        a, b = self.y
        share = (y / 2 - a / 2) / (b / 2 - a / 2) if b > a else 0.5
        share = min(max(share, -1.0), 2.0)
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def within(self, y: float) -> bool:
        """Whether a y is inside the borders."""
        return self.y[0] <= y <= self.y[1]

    def grid(self, count: int = 5) -> str:
        """Horizontal lines with their values."""
        values = ticks(*self.y, count)
        texts = _alike(values)
        right = self.width - self.right
        return "".join(
            f'<path class="grid" d="M{self.left:g} {self.py(y):.1f}H{right:g}"/>'
            + label(self.left - 6, self.py(y) + 4, text, "tick end")
            for y, text in zip(values, texts, strict=True)
        )

    def svg(self, body: str, about: str, kind: str = "") -> str:
        """The whole chart; ``about`` is read aloud where charts can't be seen."""
        return (
            f'<svg class="chart {kind}" viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-label="{esc(about)}">{body}</svg>'
        )


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers within a range.

    >>> ticks(0.0, 9.3), ticks(-0.013, 0.021, 4)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [-0.01, 0.0, 0.01, 0.02])
    """
    span = high / count - low / count
    if not 0.0 < span < math.inf or not max(abs(low), abs(high)) / 1e12 < span:
        return [low]
    unit = 10.0 ** max(math.floor(math.log10(span)), -300)
    step = next((m * unit for m in (1, 2, 2.5, 5) if m * unit >= span * 0.999), 10 * unit)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, with numbers between them where the decades are few.

    >>> log_ticks(16, 4096), log_ticks(2.0, 7.0)
    ([30.0, 100.0, 300.0, 1000.0, 3000.0], [2.0, 5.0])
    """
    decades = math.log10(high) - math.log10(low)
    factors = (1, 2, 5) if decades < 1.6 else (1, 3) if decades < 3.1 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [float(f"{m}e{p}") for p in powers for m in factors]
    found = [v for v in found if low * 0.999 <= v <= high * 1.001]
    return found[:: math.ceil(len(found) / 7)] if len(found) > 1 else [low, high]


def _alike(values: list[float]) -> list[str]:
    """Numbers with as many decimals as the step between them needs."""
    step = values[1] - values[0] if len(values) > 1 else 0.0
    largest = max((abs(value) for value in values), default=0.0)
    if not step or not 1e-4 < largest < 1e5:
        return [figure(value) for value in values]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step, decimals) != float(f"{step:.6g}"):
        decimals += 1
    return [f"{value:.{decimals}f}" for value in values]


# -- symbols --------------------------------------------------------------------------------------


def _titled(shape: str, attributes: str, title: str) -> str:
    inner = f"<title>{esc(title)}</title>" if title else ""
    return f"<{shape} {attributes}>{inner}</{shape}>"


def dot(x: float, y: float, kind: str, title: str = "", r: float = 3.0, faint: float = 1.0) -> str:
    """A filled circle."""
    opacity = f' opacity="{faint:.2f}"' if faint < 1.0 else ""
    attributes = f'class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"{opacity}'
    return _titled("circle", attributes, title)


def ring(x: float, y: float, kind: str, title: str = "") -> str:
    """An open circle."""
    return _titled("circle", f'class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="7.5"', title)


def wrong(x: float, y: float, kind: str, title: str = "", faint: float = 1.0) -> str:
    """A cross."""
    opacity = f' opacity="{faint:.2f}"' if faint < 1.0 else ""
    d = f"M{x - 3.5:.1f} {y - 3.5:.1f}l7 7m0-7l-7 7"
    return _titled("path", f'class="{kind}" d="{d}"{opacity}', title)


def triangle(x: float, y: float, up: bool, kind: str, title: str = "", faint: float = 1.0) -> str:
    """A triangle whose tip touches y, for values beyond the border."""
    opacity = f' opacity="{faint:.2f}"' if faint < 1.0 else ""
    side = 7 if up else -7
    d = f"M{x:.1f} {y:.1f}l4 {side}h-8z"
    return _titled("path", f'class="{kind}" d="{d}"{opacity}', title)


def line(x1: float, y1: float, x2: float, y2: float, kind: str, title: str = "") -> str:
    """A straight line."""
    d = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
    return _titled("path", f'class="{kind}" d="{d}"', title)


def label(x: float, y: float, text: str, kind: str, turn: float = 0.0) -> str:
    """A text; ``turn`` in degrees."""
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{turned}>{esc(text)}</text>'
