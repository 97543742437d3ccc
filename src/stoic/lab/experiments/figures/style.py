"""The style of figures: colours, lines, markers, fonts, and files.

Colours are those of Okabe and Ito, with four of Tol's. Curves also differ by dash and marker, so
that they can be distinguished in grey. Nothing here uses ``pyplot`` or changes matplotlib's global
settings permanently; figures may be drawn in threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic.errors import MissingExtra
from stoic.files import replacing, write
from stoic.forks import Lock

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Style", "literal", "matplotlib", "ordered", "palette", "save", "setting"]

DPI = 180  # of PNG files

_LOCK = Lock()  # matplotlib's settings are shared by all threads


@dataclass(frozen=True)
class Style:
    """One policy's colour, dash and marker."""

    colour: str
    line: Any
    marker: str


_LONG, _DOTDASH, _TWODOTS = (0, (7, 1.5)), (0, (4, 1.2, 1, 1.2)), (0, (4, 1.2, 1, 1.2, 1, 1.2))

KNOWN = {
    "gp-ucb": Style("#000000", "--", "o"),
    "tgp-ucb": Style("#0072B2", "-", "s"),
    "gp-ucb, truncated": Style("#0072B2", "-", "s"),
    "ata-gp-ucb": Style("#009E73", "-", "^"),
    "ata-gp-ucb (nyström)": Style("#009E73", "-", "^"),
    "ata-gp-ucb (qff)": Style("#56B4E9", _DOTDASH, "v"),
    "ca-tgp-ucb": Style("#D55E00", "-", "D"),
    "huber-gp-ucb": Style("#009999", _TWODOTS, "h"),
    "mom-gp-ucb": Style("#CC79A7", _LONG, "P"),
    "bkb": Style("#E69F00", "-", "X"),
    "bbkb": Style("#7F4F00", _DOTDASH, "<"),
    "rgp-ucb": Style("#882255", "-", ">"),
    "rgp-pe": Style("#332288", _LONG, "p"),
    "rcgp-ucb": Style("#117733", _DOTDASH, "d"),
    "uniform": Style("#888888", ":", "*"),
}
"""Fixed styles, by the policy's label in lower case."""

OTHERS = (
    Style("#44AA99", _TWODOTS, "h"),
    Style("#999933", _DOTDASH, "d"),
    Style("#AA4499", "-.", "8"),
    Style("#117733", _LONG, "H"),
    Style("#661100", ":", "s"),
    Style("#6699CC", _TWODOTS, "o"),
)
"""Styles of other labels, in order of appearance."""

RC: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica", "sans-serif"],
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "legend.fontsize": 7.5,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.unicode_minus": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "path.simplify": True,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "stoic",
}


def matplotlib() -> Any:
    """The package, or an error that names the extra that installs it."""
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError as missing:
        raise MissingExtra.of("matplotlib", "figures", "figures") from missing
    return mpl


@contextmanager
def setting() -> Iterator[None]:
    """Matplotlib with our settings, for one thread at a time: its settings are global."""
    mpl = matplotlib()
    with _LOCK, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(RC)
        yield


def ordered(labels: Iterable[str]) -> list[str]:
    """Labels in the order of legends: known policies first."""
    ranks = {label: rank for rank, label in enumerate(KNOWN)}
    return sorted(dict.fromkeys(labels), key=lambda label: ranks.get(label.lower(), len(ranks)))


def literal(text: str) -> str:
    r"""A user's text shown literally: ``$`` starts no formula, ``_`` hides no label.

    >>> literal("a $5 policy")
    'a \\$5 policy'
    """
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def palette(labels: Iterable[str]) -> dict[str, Style]:
    """A style for each label; a known policy always has the same style.

    >>> palette(["mine", "GP-UCB"])["GP-UCB"].colour
    '#000000'
    """
    found: dict[str, Style] = {}
    others = 0
    for label in ordered(labels):
        known = KNOWN.get(label.lower())
        if known is None:
            known = OTHERS[others % len(OTHERS)]
            others += 1
        found[label] = known
    return found


def save(figure: Figure, folder: str | Path, stem: str) -> list[Path]:
    """Write a figure as ``stem.svg`` and ``stem.png``; the same figure gives the same bytes."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{stem}.svg", folder / f"{stem}.png"]
    with setting():
        drawn = BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": "stoic"})
        figure.set_layout_engine("none")  # its layout is done; again would be slow
        with replacing(paths[1]) as file:
            figure.savefig(file, format="png", dpi=DPI, metadata={"Software": "stoic"})
    write(paths[0], _shortened(drawn.getvalue().decode()))
    return paths


def _shortened(svg: str) -> str:
    """Round to hundredths of a point and drop indentation: half of the bytes, no visible change."""

    def short(found: re.Match[str]) -> str:
        text = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", found[0])
        return re.sub(r"\s*([A-Za-z]) (?=[-\d])", r"\1", text) if text.startswith("d=") else text

    svg = re.sub(r'\b(?:d|x|y)="[^"]*"', short, svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    return re.sub(r"\n\s+<", "\n<", svg)
