"""The result of a duel: the verdict in words, comparisons, values, JSON and a figure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic.comparison import Comparison, Margin
from stoic.duels.engine import Duel
from stoic.duels.figure import draw
from stoic.duels.words import verdict_of
from stoic.report.figure.drawing import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DuelResult"]

_CODES = {"worse": 1, "undecided": 3}  # exit codes; better and equal are 0


@dataclass(frozen=True)
class DuelResult:
    """What a duel found; the first name is the baseline."""

    names: tuple[str, ...]
    objective: str
    unit: str
    direction: str
    margin: Margin
    comparisons: Mapping[str, Comparison]
    """Each challenger against the baseline."""
    values: Mapping[str, tuple[float | None, ...]]
    """Values by block; None is a failed run, and a decided challenger has fewer."""
    failures: Mapping[str, Mapping[str, int]]
    """Reasons of failed runs, with how often each occurred."""
    ended_by: str
    """``"decided"``, ``"budget"``, ``"time"`` or ``"interrupted"``."""
    blocks: int
    seconds: float
    seed: int

    @classmethod
    def of(cls, duel: Duel, objective: str, unit: str = "") -> DuelResult:
        """The result of a duel that has ended."""
        names = tuple(contender.name for contender in duel.contenders)
        return cls(
            names=names,
            objective=objective,
            unit=unit,
            direction=duel.rules.direction,
            margin=duel.rules.margin,
            comparisons={names[i]: found for i, found in duel.comparisons.items()},
            values={name: tuple(duel.values[i]) for i, name in enumerate(names)},
            failures={name: dict(duel.failures[i]) for i, name in enumerate(names)},
            ended_by=duel.ended_by,
            blocks=duel.blocks,
            seconds=duel.elapsed,
            seed=duel.rules.seed,
        )

    @property
    def baseline(self) -> str:
        """The name of the baseline."""
        return self.names[0]

    @property
    def best(self) -> str:
        """The challenger with the largest gain of those that are better, else the baseline."""
        sign = 1.0 if self.direction == "maximize" else -1.0
        better = {n: c for n, c in self.comparisons.items() if c.decision == "better"}
        return max(better, key=lambda name: sign * better[name].change, default=self.baseline)

    @property
    def decisions(self) -> dict[str, str]:
        """The decision about each challenger."""
        return {name: found.decision for name, found in self.comparisons.items()}

    @property
    def verdict(self) -> str:
        """A sentence about each challenger; of several, the best is named at the end."""
        lines = [
            verdict_of(name, self.baseline, found, self.objective)
            for name, found in self.comparisons.items()
        ]
        if len(lines) > 1:
            lines.append(self.best_in_words)
        return "\n".join(lines)

    @property
    def best_in_words(self) -> str:
        """Which contender is the best, and how that is known."""
        if self.best == self.baseline:
            return f"best: {self.baseline}; no challenger is shown to be better"
        better = [name for name, found in self.decisions.items() if found == "better"]
        how = "the only one that is better" if len(better) == 1 else "the largest estimated gain"
        return f"best: {self.best}, {how}"

    @property
    def exit_code(self) -> int:
        """0 if no challenger is worse than the margin, 1 if one is worse, 3 if one is undecided."""
        codes = {_CODES.get(decision, 0) for decision in self.decisions.values()}
        return 1 if 1 in codes else max(codes)

    def __str__(self) -> str:
        return self.verdict

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "baseline": self.baseline,
            "best": self.best,
            "verdict": self.verdict.splitlines(),
            "exit_code": self.exit_code,
            "objective": self.objective,
            "unit": self.unit or None,
            "direction": self.direction,
            "margin": str(self.margin),
            "ended_by": self.ended_by,
            "blocks": self.blocks,
            "seconds": self.seconds,
            "seed": self.seed,
            "comparisons": {name: found.to_dict() for name, found in self.comparisons.items()},
            "values": {name: list(found) for name, found in self.values.items()},
            "failures": {name: dict(found) for name, found in self.failures.items()},
        }

    def to_json(self) -> str:
        """The result as JSON."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the values and how the interval narrowed; save as .png, .svg or .pdf if named."""
        figure = draw(self)
        if path is not None:
            write(figure, path)
        return figure
