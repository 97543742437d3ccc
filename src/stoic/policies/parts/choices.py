"""How a policy names, finds and tracks its choices: row numbers of arms, or points of a box."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from stoic.checks import Array
from stoic.errors import InvalidState
from stoic.estimators import Belief
from stoic.schema import Reals, Schema
from stoic.spaces import Arms, Box, Domain

__all__ = ["ArmChoices", "BoxChoices", "Choices", "choices_on"]

_BEST_STARTS = 8  # points of the highest estimates from which a bound is maximised, too


class Choices(Protocol):
    """A choice is a row number of finite arms, or a point of a box."""

    @property
    def points(self) -> Array:
        """The points that a belief tracks from the start."""

    @property
    def schema(self) -> Schema:
        """Of the state, with "A" tracked points."""

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes in :attr:`schema` that are known."""

    def read(self, arm: Any) -> Any:
        """What a user gave as an arm, as a choice; or a typed error."""

    def show(self, choice: Any) -> Any:
        """A choice as a user sees it."""

    def show_all(self, batch: list[Any]) -> Any:
        """Several choices as a user sees them."""

    def same(self, one: Any, other: Any) -> bool:
        """Whether two choices are the same."""

    def unpacked(self, saved: Array) -> Any:
        """A choice that a state has as an array."""

    def row(self, choice: Any, belief: Belief) -> int:
        """The row of a choice among the points that a belief tracks; it tracks a new one."""

    def at(self, row: int, belief: Belief) -> Any:
        """A tracked point as a user sees it."""

    def argmax(self, belief: Belief, width: float, seed: int) -> Any:
        """The choice of the highest deviation + width·std."""

    def random(self, rng: np.random.Generator) -> Any:
        """A choice drawn uniformly."""

    def suppose(self, belief: Belief, choice: Any) -> None:
        """Let a copy of a belief account for a choice whose payoff is pending."""

    def state(self, belief: Belief) -> dict[str, Any]:
        """Everything that :meth:`restore` needs."""

    def restore(self, state: dict[str, Any], belief: Belief) -> None:
        """Take over a state that fits :attr:`schema`; the belief tracks its points."""


def choices_on(domain: Domain) -> Choices:
    """The choices on a domain."""
    return ArmChoices(domain) if isinstance(domain, Arms) else BoxChoices(domain)


class ArmChoices:
    """Row numbers of finite arms."""

    def __init__(self, domain: Arms) -> None:
        self.points = domain.X
        self.schema: Schema = {}
        self.sizes = {"A": len(domain)}
        self._domain, self._count = domain, len(domain)

    def read(self, arm: Any) -> int:
        """What a user gave as an arm, as a row number; or a typed error."""
        if type(arm) is int and 0 <= arm < self._count:  # as good as always
            return arm
        return self._domain.index(arm)

    def show(self, choice: Any) -> Any:
        """A choice as a user sees it."""
        return choice if type(choice) is int else int(choice)

    def show_all(self, batch: list[Any]) -> Any:
        """Several choices as a user sees them."""
        return [int(choice) for choice in batch]

    def same(self, one: int, other: int) -> bool:
        """Whether two choices are the same."""
        return one == other

    def unpacked(self, saved: Array) -> int:
        """A choice that a state has as an array."""
        return self.read(int(saved.item()))

    def row(self, choice: int, belief: Belief) -> int:
        """The row of a choice: its number."""
        del belief
        return choice

    def at(self, row: int, belief: Belief) -> int:
        """A tracked point as a user sees it."""
        del belief
        return row

    def argmax(self, belief: Belief, width: float, seed: int) -> int:
        """The arm of the highest deviation + width·std, the lowest one of equals."""
        del seed
        return belief.best(width)

    def random(self, rng: np.random.Generator) -> int:
        """An arm drawn uniformly."""
        return int(rng.integers(len(self.points)))

    def suppose(self, belief: Belief, choice: int) -> None:
        """Let a copy of a belief account for an arm whose payoff is pending."""
        belief.suppose(choice)

    def state(self, belief: Belief) -> dict[str, Any]:
        """Nothing: all arms are tracked from the start."""
        del belief
        return {}

    def restore(self, state: dict[str, Any], belief: Belief) -> None:
        """Nothing to take over."""


class BoxChoices:
    """Points of a box; tracked are those played so far."""

    def __init__(self, domain: Box) -> None:
        self._domain = domain
        self._rows: dict[bytes, int] = {}  # points played → tracked row
        self.points = np.zeros((0, domain.dimension))
        self.sizes: dict[str, int] = {}
        self.schema: Schema = {"points": Reals("A", domain.dimension)}

    def read(self, arm: Any) -> Array:
        """What a user gave as a point; or a typed error."""
        return self._domain.point(arm)

    def show(self, choice: Any) -> Array:
        """A choice as a user sees it."""
        return np.array(choice, dtype=float)

    def show_all(self, batch: list[Any]) -> Array:
        """Several choices as a user sees them."""
        return np.array([self.show(choice) for choice in batch])

    def same(self, one: Array, other: Array) -> bool:
        """Whether two choices are the same."""
        return bool((one == other).all())

    def unpacked(self, saved: Array) -> Array:
        """A choice that a state has as an array."""
        return self._domain.point(saved)

    def row(self, choice: Array, belief: Belief) -> int:
        """The row of a point among those that a belief tracks; it tracks a new one."""
        point = choice + 0.0  # −0 is 0
        key = point.tobytes()
        if key not in self._rows:
            self._rows[key] = len(self._rows)
            belief.track(point[None])
        return self._rows[key]

    def at(self, row: int, belief: Belief) -> Array:
        """A tracked point as a user sees it."""
        point: Array = belief.posterior.points[row].copy()
        return point

    def argmax(self, belief: Belief, width: float, seed: int) -> Array:
        """A point of high deviation + width·std: over candidates, and refined locally."""

        def bound(X: Array) -> Array:
            deviation, std = belief.predict(X)
            return deviation + width * std

        top = np.argsort(-belief.deviation, kind="stable")[:_BEST_STARTS]
        t = belief.posterior.t
        of_candidates = int(np.random.SeedSequence([seed, t]).generate_state(1)[0])
        return self._domain.maximise(bound, of_candidates, belief.posterior.points[top])

    def random(self, rng: np.random.Generator) -> Array:
        """A point drawn uniformly."""
        return self._domain.clip(rng.uniform(self._domain.low, self._domain.high))

    def suppose(self, belief: Belief, choice: Array) -> None:
        """Let a copy of a belief account for a point whose payoff is pending."""
        belief.posterior.track(choice[None])
        belief.suppose(len(belief.posterior.counts) - 1)

    def state(self, belief: Belief) -> dict[str, Any]:
        """The points played."""
        return {"points": belief.posterior.points.copy()}

    def restore(self, state: dict[str, Any], belief: Belief) -> None:
        """Let the belief track the points of a state."""
        played = state["points"] + 0.0
        self._rows = {point.tobytes(): row for row, point in enumerate(played)}
        inside = (self._domain.low <= played) & (played <= self._domain.high)
        if len(self._rows) < len(played) or not inside.all():
            raise InvalidState("expected distinct points of the box in the state, got others")
        belief.track(played)
