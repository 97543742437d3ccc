"""Draw valid configurations: random ones, of which the invalid are left out.

If nearly all random configurations are invalid but the space is finite, all of its configurations
are enumerated instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.randomness import generator
from stoic.spaces.conditions import Needs, count
from stoic.spaces.layout import Layout
from stoic.spaces.parameters import Parameter
from stoic.spaces.sobol import sobol
from stoic.spaces.validity import Constraints
from stoic.spaces.validity.values import Bools

__all__ = ["Drawing"]


@dataclass(frozen=True)
class DrawRule:
    """How many random configurations are tried; a try costs 0.1 to 10 µs."""

    first: int = 4096  # tried before it is decided whether to enumerate
    enumerated_below: float = 0.05  # share of valid ones, in a finite space
    max_enumerated: int = 2**18  # configurations of a finite space, before the constraints
    tried: int = 2**17  # before the search ends with an error
    min_share: float = 1e-4  # of valid ones; with fewer, the search ends with an error
    block: int = 2**16  # drawn at a time at most


_RULE = DrawRule()


class Drawing:
    """All coordinates (`layout.py`) of a space, and draws of the valid ones."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        needs: Sequence[Needs],
        layout: Layout,
        constraints: Constraints,
    ) -> None:
        self._parameters, self._needs = parameters, needs
        self._layout, self._constraints = layout, constraints

    def hold(self, C: Array) -> Bools:
        """Where coordinates are valid."""
        if not self._constraints:
            return np.ones(len(C), dtype=bool)
        return self._constraints.hold(C, self._layout.exists(C))

    def fill(self, Q: Array) -> Array:
        """The coordinates, valid or not, at quantiles in [0, 1), a column for each parameter."""
        return np.stack([p.fill(Q[:, i]) for i, p in enumerate(self._parameters)], axis=1)

    # -- all of a finite space ----------------------------------------------------------------

    @cached_property
    def _size(self) -> int | None:
        """The number of configurations, valid or not; None for a continuum."""
        return count(self._parameters, self._needs)

    @cached_property
    def size(self) -> int | None:
        """The number of valid configurations; None for a continuum."""
        return len(self._valid) if self._constraints and self._size is not None else self._size

    def every(self) -> Array:
        """All valid coordinates of a finite space, each once."""
        return self._valid if self._constraints else self._every()

    @cached_property
    def _valid(self) -> Array:
        if self._size is None or self._size > _RULE.max_enumerated:
            raise InvalidInput(
                "expected a space whose valid configurations can be counted, of at most "
                f"{_RULE.max_enumerated} before the constraints, got {self._size}; use sample"
            )
        C = self._every()
        valid: Array = C[self.hold(C)]
        return valid

    def _every(self) -> Array:
        C = np.zeros((1, len(self._parameters)))
        for i, parameter in enumerate(self._parameters):
            levels = np.where(self._layout.exists(C)[:, i], parameter.size or 1, 1)
            first = np.cumsum(levels) - levels
            C = np.repeat(C, levels, axis=0)
            C[:, i] = np.arange(len(C)) - np.repeat(first, levels)
        return C

    # -- draws --------------------------------------------------------------------------------

    @cached_property
    def _countable(self) -> bool:
        try:
            return self._size is not None and self._size <= _RULE.max_enumerated
        except InvalidInput:  # conditions too entangled to count
            return False

    def sample(self, n: int, seed: int, skip: int, tries: int | None) -> Array:
        """Valid points ``skip`` … ``skip + n − 1`` of a sequence that fills the space evenly.

        Fewer, but at least one, where ``tries`` random configurations do not suffice.
        """
        width = len(self._parameters)
        if not self._constraints:
            return self.fill(sobol(width, n, seed, skip))
        first = self.fill(sobol(width, _RULE.first, seed))
        good = self.hold(first)
        if self._countable and good.mean() < _RULE.enumerated_below:
            return self._shuffled(n, seed, skip)
        found, count, tried = [first[good]], int(good.sum()), len(first)
        while count < skip + n and (tries is None or tried < tries or not count):
            self._check(count, tried, first)
            block = self.fill(sobol(width, min(tried, _RULE.block), seed, tried))
            found.append(block[self.hold(block)])
            count, tried = count + len(found[-1]), tried + len(block)
        return np.concatenate(found)[skip : skip + n]

    def draw(self, rng: np.random.Generator) -> Array:
        """One valid configuration, each with the same chance."""
        tried = 0
        while True:
            C = self.fill(rng.random((min(max(tried, 1), _RULE.block), len(self._parameters))))
            good = C[self.hold(C)]
            if len(good):
                first: Array = good[0]
                return first
            tried += len(C)
            if tried >= _RULE.first and self._countable:
                valid = self._some()
                chosen: Array = valid[int(rng.integers(len(valid)))]
                return chosen
            self._check(0, tried, C)

    def _shuffled(self, n: int, seed: int, skip: int) -> Array:
        """Each valid configuration once in random order, then again in another."""
        valid = self._some()
        rounds = range(-(-(skip + n) // len(valid)))
        order = [generator(seed, i, stream=21).permutation(len(valid)) for i in rounds]
        shuffled: Array = valid[np.concatenate([*order, np.arange(0)])[skip : skip + n]]
        return shuffled

    def _some(self) -> Array:
        if not len(self._valid):
            raise InvalidInput(
                f"expected constraints that some configuration meets, got none of all {self._size} "
                "that meets them; drop a constraint or widen the parameters"
            )
        return self._valid

    def _check(self, count: int, tried: int, some: Array) -> None:
        """Raise an error where hardly any configuration is valid."""
        if tried < _RULE.tried or count >= _RULE.min_share * tried:
            return
        worst, share = min(
            self._constraints.shares(some, self._layout.exists(some)).items(),
            key=lambda item: item[1],
        )
        raise InvalidInput(
            f"expected constraints that at least {_RULE.min_share:.2%} of random configurations "
            f"meet, got {count} of {tried} tried; on its own, {worst!r} holds for {share:.2%}; "
            "narrow the parameters to where it holds, or drop it"
        )
