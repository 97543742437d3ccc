"""Fit the surrogate of a growing history; it depends on the history alone.

Hyper-parameters are fitted from a cold start at *anchors* (after every measurement at first, then
less and less often), and from the last anchor's fit in between. A study that was stopped and
resumed therefore has the same surrogate, bit by bit, as one that never stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stoic.checks import Array, IntArray
from stoic.optimize.history import History
from stoic.optimize.model import Model
from stoic.optimize.tactics import has_many_parameters
from stoic.surrogate import Scaling, fit
from stoic.surrogate.covariance import ROUGH
from stoic.surrogate.fitting import Fit, Start
from stoic.surrogate.hyper import FINITE_PRIOR

__all__ = ["Modeller"]

_SMOOTH_START = Start(lengthscale=2.0)
_SHORT_START = Start(clip=8.0, lengthscale=0.4)
_ROUGH_START = Start(clip=8.0, covariance=ROUGH, micro=-2.0)


@dataclass(frozen=True)
class SizeRule:
    """How much is computed for how many measurements; benchmarks/robust/cost.py measures it."""

    fixed_from: int = 200  # above, hyper-parameters are constant between anchors
    max_exact: int = 1500  # above, a subset is fitted, and all measurements since the last anchor
    subset: int = 600  # measurements in it
    first_estimate: int = 150  # measurements of the fit that selects it
    max_gap: int = 500  # measurements between anchors
    hasty_growth: float = 2.0  # of a history, for which the last anchor's fit serves in haste
    hasty_rows: int = 500  # measurements that are fitted in haste; of more, a subset


@dataclass(frozen=True)
class EvidenceRule:
    """When evidence decides, in nats; chosen on the develop set of benchmarks/robust."""

    second_mode: float = 20.0  # above `SizeRule.fixed_from`, this lead removes another mode
    any_mode: float = 30.0  # the same of fewer measurements
    compression: float = 8.0  # by which a log-compressed scale must be better,
    compression_each: float = 0.15  # and by this for each measurement
    max_noise: float = 1.0  # times a²: with more noise, a log-compressed scale explains nothing
    wide: float = 3.0  # spread of log-compressed values, in e-folds: no linear scale suits more
    max_noise_wide: float = 0.5  # times a², of such values: with more, only good ones inform


_SIZE = SizeRule()
_EVIDENCE = EvidenceRule()


class Modeller:
    """Fits models of a growing history."""

    def __init__(self, history: History) -> None:
        self.history = history
        prior = None if history.space.continuous.any() else FINITE_PRIOR
        smooth = (replace(start, prior=prior) for start in (_SMOOTH_START, _SHORT_START))
        rough = () if has_many_parameters(history.space) else (_ROUGH_START,)
        self._starts = (*smooth, *rough)
        self._cache: dict[int, Model] = {}
        self._subset: tuple[int, IntArray] = (0, np.arange(0))  # an anchor, and its subset
        self._anchored: tuple[int, Model] | None = None  # the last anchor that was fitted
        self._hasty: tuple[int, Model] | None = None  # the last model that was made in haste

    def model(self) -> Model:
        """The model of all measurements."""
        return self.at(self.history.successes)

    def at(self, n: int) -> Model:
        """The model of the first ``n`` measurements."""
        return self._model(n, self._anchor(n))

    def hasty(self) -> Model:
        """A model of all measurements in a fraction of the time, for many suggestions a second.

        Hyper-parameters are those of the last anchor that was fitted, though a later one is due,
        and of many measurements a subset is fitted. It depends on which models were fitted before.
        """
        n = self.history.successes
        if self._anchored is None or n > _SIZE.hasty_growth * self._anchored[0]:
            self.model()
        if n in self._cache and n <= _SIZE.hasty_rows:
            return self._cache[n]
        assert self._anchored is not None  # every model begins with an anchor's
        if self._hasty is None or self._hasty[0] != n:
            self._hasty = n, self._extended(n, *self._anchored)
        return self._hasty[1]

    def _extended(self, n: int, anchor: int, warm: Model) -> Model:
        """An anchor's model with the measurements since; of many, a subset."""
        rows = np.concatenate([warm.rows, np.arange(anchor, n)])
        if len(rows) > _SIZE.hasty_rows:
            mean = warm.gp.mean(self.history.points(n)[rows])
            rows = rows[_best_and_even(mean, _SIZE.hasty_rows)]
            kept = np.zeros(anchor, dtype=bool)
            kept[rows[rows < anchor]] = True
            warm = warm.restricted(kept)
        return self._warm(n, warm, rows)

    def _anchor(self, n: int) -> int:
        """The last count at which hyper-parameters were fitted from a cold start."""
        every = max(10, 2 ** int(np.log2(n)) // 16) if n >= 40 else 5
        gap = 1 if n < 16 else min(every, _SIZE.max_gap)
        return max(min(n, 2), n - n % gap)

    def _model(self, n: int, anchor: int) -> Model:
        if n not in self._cache:
            warm = None if n == anchor else self._model(anchor, anchor)
            made = self._fit(n, warm)
            if n == anchor:
                self._anchored = n, made
            self._cache = {k: v for k, v in self._cache.items() if k == anchor} | {n: made}
        return self._cache[n]

    def _fit(self, n: int, warm: Model | None) -> Model:
        rows = self._rows(n)
        if warm is not None and np.array_equal(warm.rows, rows[: len(warm.rows)]):
            return self._warm(n, warm, rows)
        scaling, fits = self._cold(self.history.points(n), self.history.values(n), rows)
        return Model(_distinct(fits, n), scaling, rows)

    def _warm(self, n: int, warm: Model, rows: IntArray) -> Model:
        """A model of some of the first ``n`` measurements that begins with another's fits."""
        X, y = self.history.points(n), self.history.values(n)
        scaling = Scaling.of(y, self.history.design_size, warm.scaling)
        z, groups = scaling.z(y)[rows], self.history.space.groups
        rounds, steps = (2, 5) if n <= _SIZE.fixed_from else (1, 0)
        fits = [fit(X[rows], z, groups, start=f, rounds=rounds, steps=steps) for f in warm.fits]
        fits.sort(key=lambda f: -f.evidence)
        return Model(_distinct(fits, n), scaling, rows)

    def _cold(self, X: Array, y: Array, rows: IntArray) -> tuple[Scaling, list[Fit]]:
        """Fits from all starts, on a log-compressed scale where the evidence prefers that."""
        first = self.history.design_size
        scaling = Scaling.of(y, first)
        fits, evidence = self._cold_fits(X, y, rows, scaling)
        alternative = Scaling.log_compressed(y, first)
        if alternative is not None:
            others, theirs = self._cold_fits(X, y, rows, alternative)
            hyper = others[0].gp.hyper
            needed = evidence + _EVIDENCE.compression + _EVIDENCE.compression_each * len(rows)
            wide = alternative.unit > _EVIDENCE.wide
            most = _EVIDENCE.max_noise_wide if wide else _EVIDENCE.max_noise
            if theirs > needed and hyper.noise < most * hyper.amplitude:
                return alternative, others
            if theirs > needed and wide:
                one_sided = Scaling.one_sided(y, first, alternative)
                return one_sided, self._cold_fits(X, y, rows, one_sided)[0]
        return scaling, fits

    def _cold_fits(
        self, X: Array, y: Array, rows: IntArray, scaling: Scaling
    ) -> tuple[list[Fit], float]:
        """Fits from all starts, the best first, and its evidence as a density of ``y``."""
        z, groups = scaling.z(y)[rows], self.history.space.groups
        if len(y) <= _SIZE.max_exact:
            fits = [fit(X[rows], z, groups, start=start) for start in self._starts]
        else:  # so many have one mode, and few steps find it
            fits = [fit(X[rows], z, groups, start=self._starts[0], rounds=2, steps=5)]
        fits.sort(key=lambda f: -f.evidence)
        return fits, fits[0].evidence + scaling.log_slopes(y[rows])

    def _rows(self, n: int) -> IntArray:
        """All measurements; of very many, those since the anchor and a subset of those before."""
        anchor = self._anchor(n)
        if anchor <= _SIZE.max_exact:
            return np.arange(n)
        if self._subset[0] != anchor:
            self._subset = (anchor, self._choose_subset(anchor))
        return np.concatenate([self._subset[1], np.arange(anchor, n)])

    def _choose_subset(self, n: int) -> IntArray:
        """Half of the subset are the best by a first estimate, half are evenly spaced."""
        X, y = self.history.points(n), self.history.values(n)
        z = Scaling.of(y, self.history.design_size).z(y)
        some = np.linspace(0, n - 1, _SIZE.first_estimate).astype(int)
        groups = self.history.space.groups
        mean = fit(X[some], z[some], groups, rounds=2, steps=5).gp.mean(X)
        return _best_and_even(mean, _SIZE.subset)


def _best_and_even(mean: Array, size: int) -> IntArray:
    """So many measurements: half have the highest mean, and half are evenly spaced."""
    best = np.argsort(-mean, kind="stable")[: size // 2]
    rest = np.setdiff1d(np.arange(len(mean)), best)
    even = rest[np.linspace(0, len(rest) - 1, size // 2).astype(int)]
    return np.sort(np.concatenate([best, even]))


def _distinct(fits: list[Fit], n: int) -> list[Fit]:
    """The fits of different modes, the best first; ``n`` measurements refute those far behind."""
    most = _EVIDENCE.second_mode if n > _SIZE.fixed_from else _EVIDENCE.any_mode
    kept: list[Fit] = []
    for each in fits:
        behind = fits[0].evidence - each.evidence
        if behind <= most and not any(each.same_mode(other) for other in kept):
            kept.append(each)
    return kept
