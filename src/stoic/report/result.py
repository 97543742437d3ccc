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
from stoic.optimize.answers import Answer, Luckiest, Suspect, Trial, middle
from stoic.optimize.finals import Verdict
from stoic.optimize.finals.race import Finals
from stoic.optimize.optimizer import Optimizer
from stoic.printable import visible
from stoic.report.figure import draw, write
from stoic.report.sensitivity import Without, leave_out
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
    baseline, None without finals; ``trials`` all evaluations, in order. Where no evaluation
    gave a value, ``best`` and ``luckiest`` are None, and ``failures`` has the reasons; that is
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
    verdict: Verdict | None = None  # of the finals
    finals: Finals | None = None  # its contenders in `trials[finals.start:]`
    ended_by: str = ""  # "budget", "time" or "settled"; empty where it is not known
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
            verdict=None if found is None else found.verdict,
            finals=optimizer.finals,
            ended_by=ended_by,
            source=optimizer,
        )

    @cached_property
    def without_suspects(self) -> Without | None:
        """The answer's estimate without the suspects; None where there are none.

        Fitted at the first access, which takes as long as `recommend`.
        """
        if self.best is None or not self.suspects:
            return None
        fresh = Optimizer(self.space, direction=self.direction, seed=self.seed)
        return leave_out(fresh, self.best, self.trials, self.suspects)

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
            "objective": self.objective,
            "direction": self.direction,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "ended_by": self.ended_by or None,
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "finals": None if self.finals is None else self.finals.to_dict(),
            "best": None if self.best is None else self.best.to_dict(),
            "luckiest": None
            if self.luckiest is None
            else {"trial": self.luckiest.trial.number, "why": self.luckiest.why},
            "suspects": [asdict(suspect) for suspect in self.suspects],
            "failures": dict(self.failures),
            "trials": [asdict(trial) for trial in self.trials],
            "space": self.space.describe(),
        }

    def __str__(self) -> str:
        lines = [] if self.verdict is None else _wrapped(f"Verdict: {self.verdict}.", 3)
        lines.append(self._headline())
        if self.best is None:
            lines.append("No evaluation gave a value, so there is no answer.")
        else:
            lines += _wrapped(f"Best configuration: {assignments(self.best.params)}", 3)
            lines += self._estimate(self.best)
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
        end = "; interrupted before the end." if self.interrupted else _ENDS.get(self.ended_by, ".")
        return f"{verb} {visible(self.objective)} in {count}{crashed}{end}"

    def _estimate(self, best: Answer) -> list[str]:
        times = {1: "once", 2: "twice"}.get(best.measured, f"{best.measured} times")
        measured = f"itself measured {times}" if best.measured else "itself not measured yet"
        typical = middle([t.value for t in self.trials if t.value is not None])
        return [
            f"  estimated {visible(self.objective)}: {best.shown('90% interval ')}; {measured}",
            f"  for comparison, the median of all measurements: {rounded(typical)}",
        ]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(text: str, most: int) -> list[str]:
    return wrap(text, _LINE_WIDTH, subsequent_indent="  ", max_lines=most, placeholder=" …")


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
