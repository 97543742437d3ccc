"""The surrogate of a history: a function of the history alone, whatever happened on the way.

Hyper-parameters are learned from a cold start at *anchors* (every trial at first, then ever
rarer), and from the last anchor's fit in between. A study that was stopped and resumed
therefore has the same surrogate, bit by bit, as one that never stopped.
"""

from __future__ import annotations

import math

import numpy as np

from stoic.checks import Array, IntArray
from stoic.optimize.history import History
from stoic.optimize.tactics import Tactics
from stoic.surrogate import RobustGP, Scaling, fit
from stoic.surrogate.fitting import Fit, Start

__all__ = ["Model", "Modeller"]

_STARTS = (Start(lengthscale=2.0), Start(cut=8.0, lengthscale=0.4))  # doubter, believer
_MANY = 200  # measurements, from which on hyper-parameters hold between anchors
_SETTLED = 20.0  # nats of evidence that settle a dispute of many measurements
_MOST = 2000  # measurements that are all looked at
_CHOICE = 600  # of more than that, so many are looked at, and all since the last anchor
_FEW = 150  # measurements that a first estimate is made from
_RARE = 500  # measurements between anchors, at most
_CLEARLY, _EACH = 8.0, 0.35  # nats, and per measurement, that a bent scale must be better by
_LOUD = 0.25  # of the amplitude a²: with more noise than that, a bent scale explains nothing
_SILENT = 0.01  # a say that is not worth its cost


class Model:
    """A committee of fitted surrogates: the most plausible one, and one that begs to differ.

    Few measurements often allow two stories: a rough function measured well, or a smooth one
    measured badly. Both are kept, weighted by their evidence. A wary version of the first, with
    shorter length-scales, sits in as well: what lies between measurements is never proved.
    """

    def __init__(self, fits: list[Fit], scaling: Scaling, rows: IntArray) -> None:
        self.fits, self.scaling = fits, scaling  # the most plausible first
        self.rows = rows  # which successful trials were seen

    @property
    def gp(self) -> RobustGP:
        """The most plausible surrogate."""
        return self.fits[0].gp

    def points(self) -> Array:
        """The different points that were looked at, in the order of their first measurement."""
        _, first = np.unique(self.gp.X, axis=0, return_index=True)
        points: Array = self.gp.X[np.sort(first)]
        return points

    def opinions(self, heed: float = 0.0) -> list[tuple[RobustGP, float]]:
        """The fitted surrogates with their say, by evidence but at least ``heed``."""
        if len(self.fits) == 1:
            return [(self.gp, 1.0)]
        lead = self.fits[0].evidence - self.fits[1].evidence
        say = max(heed, 1.0 / (1.0 + math.exp(min(lead, 50.0))))
        return [(self.gp, 1.0 - say), (self.fits[1].gp, say)]

    def members(self, tactics: Tactics, pending: Array) -> list[tuple[RobustGP, float]]:
        """Surrogates and their say, reckoning with pending measurements."""
        committee = [(gp.expecting(pending), say) for gp, say in self.opinions(tactics.heed)]
        first = committee[0][0]
        wary = first.wary(tactics.shorter, tactics.taller)
        against = max(first.evidence - wary.evidence - tactics.patience, 0.0)
        doubt = tactics.doubt * math.exp(-against / 2.0)
        members = [*((gp, (1.0 - doubt) * say) for gp, say in committee), (wary, doubt)]
        return [member for member in members if member[1] > _SILENT]


class Modeller:
    """Fits models of a growing history."""

    def __init__(self, history: History, first: int) -> None:
        self.history, self.first = history, first
        self._cache: dict[int, Model] = {}
        self._choice: tuple[int, IntArray] = (0, np.arange(0))  # an anchor, and its choice

    def model(self) -> Model:
        """The model of all that was told."""
        return self.at(self.history.successes)

    def at(self, n: int) -> Model:
        """The model of the first ``n`` measurements."""
        return self._model(n, self._anchor(n))

    def _anchor(self, n: int) -> int:
        """The last count at which hyper-parameters were learned from a cold start."""
        gap = 1 if n < 16 else 5 if n < 40 else min(max(10, 2 ** int(np.log2(n)) // 16), _RARE)
        return max(min(n, 2), n - n % gap)

    def _model(self, n: int, anchor: int) -> Model:
        if n not in self._cache:
            warm = None if n == anchor else self._model(anchor, anchor)
            made = self._fit(n, warm)
            self._cache = {k: v for k, v in self._cache.items() if k == anchor} | {n: made}
        return self._cache[n]

    def _fit(self, n: int, warm: Model | None) -> Model:
        X, y, rows = self.history.points(n), self.history.values(n), self._rows(n)
        if warm is not None and np.array_equal(warm.rows, rows[: len(warm.rows)]):
            scaling = Scaling.of(y, self.first, warm.scaling)
            z, groups = scaling.z(y)[rows], self.history.space.groups
            rounds, steps = (2, 5) if n <= _MANY else (1, 0)
            fits = [fit(X[rows], z, groups, start=f, rounds=rounds, steps=steps) for f in warm.fits]
            fits.sort(key=lambda f: -f.evidence)
        else:
            scaling, fits = self._cold(X, y, rows)
        lead = fits[0].evidence - fits[-1].evidence
        if fits[0].agrees(fits[-1]) or (n > _MANY and lead > _SETTLED):
            fits = fits[:1]
        return Model(fits, scaling, rows)

    def _cold(self, X: Array, y: Array, rows: IntArray) -> tuple[Scaling, list[Fit]]:
        """Fits from all starts, on a bent scale where that makes the values more plausible."""
        found: tuple[float, Scaling, list[Fit]] | None = None
        groups = self.history.space.groups
        for scaling in (Scaling.of(y, self.first), Scaling.bent(y, self.first)):
            if scaling is None:
                continue
            z = scaling.z(y)[rows]
            if len(y) <= _MOST:
                fits = [fit(X[rows], z, groups, start=start) for start in _STARTS]
            else:  # very many tell one story only, and soon
                fits = [fit(X[rows], z, groups, start=_STARTS[0], rounds=2, steps=5)]
            fits.sort(key=lambda f: -f.evidence)
            plausible = fits[0].evidence + scaling.log_slopes(y[rows])
            if found is None or (
                plausible > found[0] + _CLEARLY + _EACH * len(z)
                and fits[0].gp.hyper.noise < _LOUD * fits[0].gp.hyper.amplitude
            ):
                found = plausible, scaling, fits
        assert found is not None
        return found[1:]

    def _rows(self, n: int) -> IntArray:
        """All measurements; of very many, those since the anchor and a choice of those before."""
        anchor = self._anchor(n)
        if anchor <= _MOST:
            return np.arange(n)
        if self._choice[0] != anchor:
            self._choice = (anchor, self._choose(anchor))
        return np.concatenate([self._choice[1], np.arange(anchor, n)])

    def _choose(self, n: int) -> IntArray:
        """Half of the choice are the best by a first estimate, half are spread evenly."""
        X, y = self.history.points(n), self.history.values(n)
        z = Scaling.of(y, self.first).z(y)
        few = np.linspace(0, n - 1, _FEW).astype(int)
        groups = self.history.space.groups
        mean = fit(X[few], z[few], groups, rounds=2, steps=5).gp.mean(X)
        best = np.argsort(-mean, kind="stable")[: _CHOICE // 2]
        rest = np.setdiff1d(np.arange(n), best)
        even = rest[np.linspace(0, len(rest) - 1, _CHOICE // 2).astype(int)]
        return np.sort(np.concatenate([best, even]))
