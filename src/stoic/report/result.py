"""The result of a run: the answer, the luckiest measurement, the suspects and all trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from stoic.numbers import rounded, shown
from stoic.optimize.aim import Bounds
from stoic.optimize.answers import Answer, Explanation, Luckiest, Suspect, Trial, middle
from stoic.optimize.answers.edges import in_words
from stoic.optimize.finals import FinalsRecord, Verdict
from stoic.optimize.optimizer import Optimizer
from stoic.printable import visible
from stoic.report.figure import draw, write
from stoic.report.frames import of_result
from stoic.report.notebook import notebook_result
from stoic.report.sensitivity import Without, leave_out, positions
from stoic.spaces import Space
from stoic.spaces.wording import assignments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Result"]

_LINE_WIDTH = 96  # characters
_ENDS = {
    "settled": "; ended early: another one would hardly improve the answer.",
    "time": "; ended by the time limit.",
}


@dataclass(frozen=True)
class Result:
    """The outcome of a run.

    ``best`` is the recommended configuration, with its *estimated* value and a 90% interval;
    ``luckiest`` the best single measurement, and why it is or is not the answer; ``suspects``
    the measurements called corrupt; ``verdict`` what the finals show about the answer against the
    baseline, None without finals; ``trials`` all evaluations, in order; ``explanation`` the kind
    of function, scale and noise that they indicate. Where no evaluation gave a value, ``best``,
    ``luckiest`` and ``explanation`` are None, and ``failures`` has the reasons; that is
    not an exception.

    ``print(result)`` is a short report, `plot` a figure, `to_dict` data for JSON.

    >>> optimizer = Optimizer({"x": (0.0, 1.0)}, direction="minimize")
    >>> for x in (0.1, 0.3, 0.5, 0.9):
    ...     optimizer.tell({"x": x}, (x - 0.3) ** 2)
    >>> result = Result.of(optimizer, objective="loss")
    >>> 0.2 < result.best.params["x"] < 0.4
    True
    """

    best: Answer | None
    luckiest: Luckiest | None
    suspects: tuple[Suspect, ...]
    trials: tuple[Trial, ...]
    space: Space = field(repr=False)
    direction: str
    seed: int = 0
    objective: str = "value"  # what was measured, for reports and axes
    interrupted: bool = False  # by Ctrl-C, before the budget was spent
    explanation: Explanation | None = None
    target: str = "median"  # what was estimated
    bounds: Bounds | None = None  # of possible values
    verdict: Verdict | None = None  # of the finals
    finals: FinalsRecord | None = None
    baseline: Mapping[str, Any] | None = None
    ended_by: str = ""  # "budget", "time" or "settled"; empty where it is not known
    excluded: int = 0  # measurements and failures of a study that were left out by hand
    source: Optimizer | None = field(default=None, repr=False, compare=False)  # for figures

    @classmethod
    def of(
        cls,
        optimizer: Optimizer,
        *,
        objective: str = "value",
        interrupted: bool = False,
        ended_by: str = "",
    ) -> Result:
        """The result of all trials that were reported to an optimiser so far."""
        found = optimizer.conclude() if optimizer.history.successes else None
        return cls(
            best=None if found is None else found.answer,
            luckiest=None if found is None else found.luckiest,
            suspects=() if found is None else found.suspects,
            trials=optimizer.trials,
            space=optimizer.space,
            direction=optimizer.direction,
            seed=optimizer.seed,
            objective=objective,
            interrupted=interrupted,
            explanation=None if found is None else found.explanation,
            target=optimizer.aim.target,
            bounds=optimizer.aim.bounds,
            verdict=None if found is None else found.verdict,
            finals=None if found is None else found.finals,
            ended_by=ended_by,
            baseline=optimizer.baseline,
            source=optimizer,
        )

    @cached_property
    def without_suspects(self) -> Without | None:
        """The answer's estimate without the suspects; None where there are none.

        Fitted at the first access, which takes as long as `recommend`.
        """
        if self.best is None or not self.suspects:
            return None
        return leave_out(self.fresh_optimizer(), self.best, self.trials, self.suspects)

    def fresh_optimizer(self) -> Optimizer:
        """An optimiser of the same settings that knows no trial yet."""
        return Optimizer(
            self.space, direction=self.direction, seed=self.seed,
            target=self.target, bounds=self.bounds,
        )  # fmt: skip

    @property
    def failures(self) -> Mapping[str, int]:
        """How often evaluations failed, by reason, the most frequent first."""
        reasons = Counter(t.reason or "no reason given" for t in self.trials if t.failed)
        return dict(reasons.most_common())

    def plot(self, path: str | Path | None = None) -> Figure:
        """Progress, importance of the parameters and slices through the answer, as one figure.

        ``path`` also writes it: ``.png``, ``.svg`` or ``.pdf``. Needs the extra ``figures``.
        The progress is replayed: that takes seconds where there are many trials.
        """
        figure = draw(self)
        if path is not None:
            write(figure, path)
        return figure

    def to_dict(self) -> dict[str, Any]:
        """The result as data that JSON can hold."""
        return {
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "objective": self.objective,
            "direction": self.direction,
            "target": self.target,
            "bounds": None if self.bounds is None else list(self.bounds),
            "seed": self.seed,
            "interrupted": self.interrupted,
            "ended_by": self.ended_by or None,
            "best": None if self.best is None else self.best.to_dict(),
            "baseline": None if self.baseline is None else dict(self.baseline),
            "finals": None if self.finals is None else self.finals.to_dict(),
            "luckiest": None
            if self.luckiest is None
            else {"trial": self.luckiest.trial.number, "why": self.luckiest.why},
            "suspects": [asdict(suspect) for suspect in self.suspects],
            "explanation": None if self.explanation is None else self.explanation.to_dict(),
            "failures": dict(self.failures),
            "trials": [asdict(trial) for trial in self.trials],
            "space": self.space.describe(),
            **({"excluded": self.excluded} if self.excluded else {}),
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """The trials as a data frame, one in a row; ``library="polars"`` for one of polars.

        Columns: ``trial``, the parameters (``param:value`` for one that is called like another
        column), ``value``, ``state`` ("told" or "failed"), ``reason`` and ``suspect``. Where a
        parameter does not exist, its value is missing. Needs the extra ``frames``.
        """
        return of_result(self, positions(self.trials, self.suspects), library)

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary, and all measurements in a picture or a table."""
        return notebook_result(self)

    def __str__(self) -> str:
        lines = [] if self.verdict is None else _wrapped(f"Verdict: {self.verdict}.", 3)
        lines.append(self._headline())
        if self.best is None:
            lines.append("No evaluation gave a value, so there is no answer.")
        else:
            lines += _wrapped(f"Best configuration: {assignments(self.best.params)}", 3)
            lines += self._estimate(self.best)
            edges = "; ".join(in_words(self.best.at_edge))
            lines += _wrapped(f"  at an edge: {edges}", 3) if edges else []
        if self.luckiest is not None:
            lucky = self.luckiest
            text = f"Luckiest measurement: {shown(lucky.trial.value)} in trial {lucky.trial.number}"
            lines += _wrapped(f"{text}; {lucky.why}.", 2)
        if self.suspects:
            worst = max(self.suspects, key=lambda s: abs(s.value / 2 - s.expected / 2))
            count = _count(len(self.suspects), "suspect", "suspects")
            which = "" if len(self.suspects) == 1 else "the wildest is "
            lines += _wrapped(f"{count}: {which}{worst}.", 2)
            if self.without_suspects is not None:
                lines += _wrapped(f"{_sentence(str(self.without_suspects))}.", 2)
        if self.failures:
            reasons = "; ".join(
                f"{n} × {visible(' '.join(reason.split()))}" for reason, n in self.failures.items()
            )
            lines += _wrapped(f"Failures: {reasons}", 2)
        return "\n".join(lines)

    def _headline(self) -> str:
        verb = self.direction.capitalize().replace("ize", "ised")
        failed = sum(self.failures.values())
        count = _count(len(self.trials), "evaluation", "evaluations")
        crashed = f", {failed} of which failed" if failed else ""
        out = f"; {self.excluded} more excluded" if self.excluded else ""
        end = "; interrupted before the end." if self.interrupted else _ENDS.get(self.ended_by, ".")
        return f"{verb} {visible(self.objective)} in {count}{crashed}{out}{end}"

    def _estimate(self, best: Answer) -> list[str]:
        times = {1: "once", 2: "twice"}.get(best.measured, f"{best.measured} times")
        measured = f"itself measured {times}" if best.measured else "itself not measured yet"
        typical = middle([t.value for t in self.trials if t.value is not None])
        return [
            f"  estimated {visible(self.objective)}: {best.shown('90% interval ')}; {measured}",
            f"  of the {best.meaning}{f'; {best.runs}' if best.runs else ''}",
            f"  for comparison, the median of all measurements: {rounded(typical)}",
        ]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(text: str, most: int) -> list[str]:
    return wrap(text, _LINE_WIDTH, subsequent_indent="  ", max_lines=most, placeholder=" …")


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
