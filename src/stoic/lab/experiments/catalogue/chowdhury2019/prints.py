"""What Figure 1 shows, and its printed points beside our curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stoic.errors import MissingData
from stoic.lab.datasets.printed import SOURCE, printed_bands, printed_regret
from stoic.lab.experiments.catalogue.base import Claim, Verdict
from stoic.lab.experiments.catalogue.checks import all_of, ordering
from stoic.lab.experiments.catalogue.chowdhury2019.shared import NYSTROM, QFF, TGP
from stoic.lab.experiments.printed import Gap, Printed, gaps
from stoic.lab.experiments.results import NotRun, Results

__all__ = ["ENDS", "PrintedFigure", "bands_of_fig1f"]

_LABELS = {
    "tgp-ucb": TGP.label,
    "ata-gp-ucb-qff": QFF.label,
    "ata-gp-ucb-nystrom": NYSTROM.label,
}
"""The policies by the names of their printed series."""

_SHORT = {TGP.label: "TGP", QFF.label: "QFF", NYSTROM.label: "Nyström"}

ENDS = {
    "fig1a": {NYSTROM.label: 0.296, QFF.label: 0.311, TGP.label: 0.351},
    "fig1b": {NYSTROM.label: 0.188, QFF.label: 0.201, TGP.label: 0.207},
    "fig1c": {NYSTROM.label: 0.401, TGP.label: 0.431},
    "fig1d": {NYSTROM.label: 0.264, TGP.label: 0.386},
    "fig1e": {NYSTROM.label: 0.318, QFF.label: 0.353, TGP.label: 0.410},
}
"""The printed R_T/T, lowest first."""

_TOLERANCE = 0.01  # of R_t/t; the points were read off to ±0.002


@dataclass(frozen=True)
class PrintedFigure:
    """One of Figures 1a to 1e: what it shows, and the claims about it.

    Attributes
    ----------
    name
        Such as ``"fig1a"``.
    horizon
        T of the print.
    one_run
        Whether the printed curves are those of a single run, not a mean over trials.
    problem
        The label of the printed problem among those of the experiment.
    """

    name: str
    horizon: int
    one_run: bool = False
    problem: str = ""

    @property
    def where(self) -> dict[str, Any]:
        """The fields of the cases that are printed."""
        return {"schedule": "paper"} | ({"problem": self.problem} if self.problem else {})

    @property
    def shows(self) -> str:
        """The printed order, and the values at the last round."""
        return _ranked(ENDS[self.name], self.horizon)

    def printed(self) -> Printed | None:
        """The printed points, or None if they are not there."""
        try:
            found = printed_regret(self.name)
        except MissingData:
            return None
        points = {_LABELS[name]: curve for name, curve in found.items() if name in _LABELS}
        return Printed(points, self.where)

    def got(self, results: Results) -> str:
        """Our order, our values at the last round, and the distance from the printed points."""
        try:
            ends = self._ends(results)
        except NotRun:
            return "not run"
        text = _ranked(ends, self._last(results))
        printed = self.printed()
        near = gaps(results, printed) if printed is not None else []
        if not near:
            return text
        largest = _largest(near)
        return f"{text}; from the printed points at most {abs(largest.difference):.3f}"

    def claims(self) -> tuple[Claim, ...]:
        """What the paper says about the figure, and the distance from its points."""
        others = [label for label in ENDS[self.name] if label != TGP.label]
        ahead = [ordering(label, TGP.label, **self.where) for label in others]
        features = Claim(
            "Nyström features are no worse than quadrature features.",
            ordering(NYSTROM.label, QFF.label, ties=True, **self.where),
        )
        spread = (
            "two standard deviations of one run of ours, since the print is one run"
            if self.one_run
            else "two standard errors of our mean"
        )
        return (
            Claim("ATA-GP-UCB outperforms TGP-UCB.", all_of(*ahead)),
            *([features] if QFF.label in others else []),
            Claim("The order at the last round is the printed one.", self._same_order),
            Claim(f"Every printed point is within 0.01, or {spread}.", self._near),
        )

    def _last(self, results: Results) -> int:
        return max(case.horizon for case in results.some(**self.where))

    def _ends(self, results: Results) -> dict[str, float]:
        """Our mean R_T/T of each printed policy, lowest first."""
        found = {}
        for label in ENDS[self.name]:
            curve = results.curve(results.some(policy=label, **self.where)[0])
            found[label] = float(curve.end.mean()) / curve.case.horizon
        return dict(sorted(found.items(), key=lambda pair: pair[1]))

    def _same_order(self, results: Results) -> Verdict:
        ends = self._ends(results)
        text = f"{_ranked(ends, self._last(results))}; print: {self.shows}"
        return Verdict(list(ends) == list(ENDS[self.name]), text)

    def _near(self, results: Results) -> Verdict:
        results.some(**self.where)
        printed = self.printed()
        if printed is None:
            return Verdict(None, f"no printed points: {SOURCE.missing(None)}", tested=False)
        found = gaps(results, printed)
        if not found:
            return Verdict(None, "the run ends before the first printed round", tested=False)
        outside = [gap for gap in found if abs(gap.difference) > self._tolerance(gap)]
        text = f"{len(found) - len(outside)} of {len(found)} are; the largest difference is "
        text += _spelled(_largest(found))
        if self.one_run:
            first = min(int(t) for t in results.curve(results.some(**self.where)[0]).trials)
            alone = _largest(gaps(results, printed, trial=first))
            text += f"; that of our first run alone is {_spelled(alone)}"
            text += self._by_standard_errors(found)
        if outside:
            worst = max(outside, key=lambda gap: abs(gap.difference) / self._tolerance(gap))
            text += f"; farthest outside is {_spelled(worst)}, allowed {self._tolerance(worst):.3f}"
        return Verdict(not outside, text)

    def _tolerance(self, gap: Gap) -> float:
        return _allowed(gap, 1 if self.one_run else gap.trials)

    def _by_standard_errors(self, found: list[Gap]) -> str:
        """What the stricter tolerance of a mean over trials would leave outside."""
        far = [gap for gap in found if abs(gap.difference) > _allowed(gap, gap.trials)]
        if not far:
            return "; all are within 0.01, or two standard errors of our mean, too"
        listed = ", ".join(f"{_SHORT[gap.policy]} at t = {gap.t:,}" for gap in far)
        return f"; not within 0.01, or two standard errors of our mean: {listed}"


def _allowed(gap: Gap, runs: int) -> float:
    """0.01, or twice the standard error of a mean over so many runs, whichever is larger."""
    spread = 0.0 if math.isnan(gap.std) else gap.std / math.sqrt(runs)
    return max(_TOLERANCE, 2.0 * spread)


def _largest(found: list[Gap]) -> Gap:
    return max(found, key=lambda gap: abs(gap.difference))


def _spelled(gap: Gap) -> str:
    """A difference, and where it is."""
    return (
        f"{gap.difference:+.3f} ({_SHORT[gap.policy]}, t = {gap.t:,}: "
        f"ours {gap.mean:.3f}, print {gap.printed:.3f})"
    )


def _ranked(ends: dict[str, float], horizon: int) -> str:
    """Policies and values, such as "Nyström .296 < TGP .351 at t = 20,000"."""
    values = " < ".join(f"{_SHORT[label]} {_short(value)}" for label, value in ends.items())
    return f"{values} at t = {horizon:,}"


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def bands_of_fig1f(problem: str, labels: dict[str, str]) -> Callable[[], Printed | None]:
    """The printed bands by the labels of their policies, if they are there."""

    def load() -> Printed | None:
        try:
            found = printed_bands()
        except MissingData:
            return None
        bands = {labels[name]: band for name, band in found.bands.items()}
        return Printed({}, {"problem": problem}, bands)

    return load
