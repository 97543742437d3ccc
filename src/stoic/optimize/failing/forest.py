"""A forest of randomised classification trees that predicts failures.

After Geurts, Ernst & Wehenkel (2006), "Extremely randomized trees", with two changes. A threshold
is drawn between the values of a failure and of a success, so every split separates something. Each
tree is grown from a random part of the outcomes, and the others test it. All trees grow at once,
level by level: a Python loop over nodes would take too long.

Notation: n outcomes, q features, T trees. A node is a number: that of its tree times the nodes per
tree, plus its place in a binary heap, in which the children of k are 2k and 2k + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stoic.checks import Array, IntArray
from stoic.randomness import generator

__all__ = ["Forest"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class ForestRule:
    """How trees are grown; chosen by benchmarks/robust/failing.py."""

    trees: int = 32
    depth: int = 6
    part: float = 0.63  # of the outcomes, from which a tree is grown
    splits: int = 12  # compared at each node
    draws: int = 2  # times as many splits are drawn; those that separate nothing are left out
    margin: float = 0.15  # of the way between two values, in which no threshold is drawn
    prior_outcomes: float = 0.5  # outcomes that the overall share of failures counts for in a leaf


_RULE = ForestRule()
_NODES = 2 ** (_RULE.depth + 1)  # of a tree


class Forest:
    """Predicts failures; a function of its arguments alone.

    Parameters
    ----------
    F
        (n, q) features.
    failed
        (n,) outcomes; at least one of each kind.

    >>> F = np.linspace(0.0, 1.0, 40)[:, None]
    >>> forest = Forest(F, F[:, 0] > 0.5)
    >>> low, high = forest.chance_of_failure(np.array([[0.2], [0.8]]))
    >>> bool(low < 0.1), bool(high > 0.9)
    (True, True)
    """

    def __init__(self, F: Array, failed: Bools) -> None:
        self._share = (float(failed.sum()) + 0.5) / (len(failed) + 1.0)
        self._feature: IntArray = np.full(_RULE.trees * _NODES, -1)  # −1: a leaf
        self._threshold: Array = np.zeros(_RULE.trees * _NODES)
        self._chance: Array = np.zeros(_RULE.trees * _NODES)
        n = len(failed)
        rng = generator(0, n, stream=32)
        part = max(1, round(_RULE.part * n))
        order = rng.random((_RULE.trees, n)).argsort(axis=1)
        roots = np.arange(_RULE.trees) * _NODES + 1
        self._grow(F, failed, order[:, :part].ravel(), np.repeat(roots, part), rng)
        self.left_out = self._tested(F, order[:, part:])

    def chance_of_failure(self, F: Array) -> Array:
        """Between 0 and 1, for each row: the mean over the trees."""
        mean: Array = self._by_tree(F).mean(axis=0)
        return mean

    def _tested(self, F: Array, left_out: IntArray) -> Array:
        """The chance of failure of each outcome by the trees that were not grown from it."""
        tests = np.zeros((_RULE.trees, len(F)))
        np.put_along_axis(tests, left_out, 1.0, axis=1)
        count = tests.sum(axis=0)
        mean = (self._by_tree(F) * tests).sum(axis=0) / np.maximum(count, 1.0)
        return np.where(count > 0.0, mean, self._share)

    def _by_tree(self, F: Array) -> Array:
        """(T, n): the chances of the leaves that the rows reach."""
        first = np.arange(len(F)) * F.shape[1]
        values = F.ravel()
        node = np.repeat(np.arange(_RULE.trees)[:, None] * _NODES + 1, len(F), axis=1)
        root = node - 1
        for _ in range(_RULE.depth):
            feature = self._feature[node]
            inner = feature >= 0
            if not inner.any():
                break
            right = values.take(first + feature) > self._threshold[node]  # at a leaf, meaningless
            node = np.where(inner, 2 * node - root + right, node)
        chances: Array = self._chance[node]
        return chances

    # -- growth -------------------------------------------------------------------------------

    def _grow(
        self, F: Array, failed: Bools, rows: IntArray, nodes: IntArray, rng: np.random.Generator
    ) -> None:
        """Grow all trees from ``rows``, each of which is in one of the ``nodes``."""
        for level in range(_RULE.depth + 1):
            order = np.argsort(2 * nodes + failed[rows], kind="stable")
            rows, nodes = rows[order], nodes[order]
            groups = _Groups.of(nodes, failed[rows])
            prior = _RULE.prior_outcomes
            self._chance[groups.nodes] = (groups.failures + prior * self._share) / (
                groups.counts + prior
            )
            mixed = (groups.failures > 0) & (groups.failures < groups.counts)
            if level == _RULE.depth or not mixed.any():
                return
            inside = np.repeat(mixed, groups.counts)
            rows, nodes, groups = rows[inside], nodes[inside], groups.only(mixed)
            right, found = self._split(F, rows, failed[rows], groups, rng)
            kept = np.repeat(found, groups.counts)
            nodes = (2 * nodes - nodes // _NODES * _NODES + right)[kept]
            rows = rows[kept]
            if not len(rows):
                return

    def _split(
        self, F: Array, rows: IntArray, bad: Bools, groups: _Groups, rng: np.random.Generator
    ) -> tuple[Bools, Bools]:
        """Split each node by the best of some random splits.

        Returns which rows go to the right, and which nodes were split.
        """
        features, thresholds, empty = _drawn(F, rows, groups, rng)
        owner = np.repeat(np.arange(len(groups.nodes)), groups.counts)
        at = rows[:, None] * F.shape[1] + features[owner]
        right = F.ravel().take(at) > thresholds[owner]
        n_right = np.add.reduceat(right, groups.first, axis=0, dtype=np.float64)
        f_right = np.add.reduceat(right & bad[:, None], groups.first, axis=0, dtype=np.float64)
        n, f = (each[:, None].astype(np.float64) for each in (groups.counts, groups.failures))
        impurity = _gini(n - n_right, f - f_right) + _gini(n_right, f_right)
        impurity[empty] = np.inf
        best = impurity.argmin(axis=1)
        each = np.arange(len(best))
        found = np.isfinite(impurity[each, best])
        self._feature[groups.nodes[found]] = features[each, best][found]
        self._threshold[groups.nodes[found]] = thresholds[each, best][found]
        return right[np.arange(len(rows)), best[owner]], found


class _Groups(NamedTuple):
    """The rows of each node, which follow each other, successes first."""

    nodes: IntArray
    first: IntArray  # the position of its first row
    counts: IntArray
    failures: IntArray

    @classmethod
    def of(cls, nodes: IntArray, failed: Bools) -> _Groups:
        first = np.flatnonzero(np.diff(nodes, prepend=-1))
        counts = np.diff(first, append=len(nodes))
        return cls(nodes[first], first, counts, np.add.reduceat(failed, first, dtype=np.int64))

    def only(self, chosen: Bools) -> _Groups:
        """Some of the nodes, of which the rows follow each other."""
        counts = self.counts[chosen]
        return _Groups(
            self.nodes[chosen], np.cumsum(counts) - counts, counts, self.failures[chosen]
        )


def _drawn(
    F: Array, rows: IntArray, groups: _Groups, rng: np.random.Generator
) -> tuple[IntArray, Array, Bools]:
    """Random splits of each node: features, thresholds, and which of them separate nothing."""
    shape = (len(groups.nodes), _RULE.splits * _RULE.draws)
    features = rng.integers(F.shape[1], size=shape)
    good = (groups.counts - groups.failures)[:, None]
    first = groups.first[:, None]
    success = rows[first + (rng.random(shape) * good).astype(np.int64)]
    failure = rows[first + good + (rng.random(shape) * groups.failures[:, None]).astype(np.int64)]
    values, q = F.ravel(), F.shape[1]
    low, high = values.take(success * q + features), values.take(failure * q + features)
    useful = np.argsort(low == high, axis=1, kind="stable")[:, : _RULE.splits]
    low, high = np.take_along_axis(low, useful, 1), np.take_along_axis(high, useful, 1)
    way = _RULE.margin + (1.0 - 2.0 * _RULE.margin) * rng.random(low.shape)
    return np.take_along_axis(features, useful, 1), low + way * (high - low), low == high


def _gini(count: Array, failures: Array) -> Array:
    """The Gini impurity of nodes times their number of rows, without a factor 2."""
    impurity: Array = failures * (count - failures) / np.maximum(count, 1.0)
    return impurity
