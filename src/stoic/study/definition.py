"""The definition of a study: direction, method and seed never change; its space may get wider."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stoic  # stoic.policies is imported when it is used: it takes a quarter of a second
from stoic.checks import choice, describe, given_direction, integer
from stoic.errors import InvalidInput, StoicError, StoreDamaged, StudyMismatch
from stoic.optimize.aim import TARGETS, Aim, Bounds, given_bounds
from stoic.spaces import Arms, Box, Int, Space
from stoic.spaces.widening import changes, widened
from stoic.study.store.codec import read, written

if TYPE_CHECKING:
    from stoic.policies import Policy

__all__ = ["METHODS", "Definition", "StudyArguments", "checked_name", "checked_params"]

METHODS = ("auto", "random")
_MAX_NAME_CHARACTERS = 200
_FORMATS = (1, 2)  # the second has a baseline


@dataclass(frozen=True)
class StudyArguments:
    """The arguments with which a study is made or opened; None where one was not given."""

    space: Any = None
    policy: Any = None
    direction: str | None = None
    seed: int | None = None
    method: str | None = None
    objective: str | None = None
    target: str | None = None
    bounds: Bounds | None = None
    baseline: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.direction is not None:
            given_direction(self.direction)
        if self.method is not None:
            choice(self.method, "method", METHODS)
        if self.seed is not None:
            integer(self.seed, "seed", at_least=0, at_most=2**63 - 1)
        if self.objective is not None and not isinstance(self.objective, str):
            raise InvalidInput(f"expected objective as text, got {describe(self.objective)}")
        if self.target is not None:
            choice(self.target, "target", tuple(TARGETS))
        object.__setattr__(self, "bounds", given_bounds(self.bounds))
        if self.space is not None and self.policy is not None:
            raise InvalidInput("expected a space or a policy, got both; drop one of them")
        if self.policy is not None:
            self._check_policy()
        if isinstance(self.space, Space) and self.space.constraints.functions:
            raise InvalidInput(
                "expected constraints of a study as text, which can be stored, got a function; "
                "write it as an expression such as 'block_x * block_y <= 1024'"
            )

    def _check_policy(self) -> None:
        if not isinstance(self.policy, stoic.policies.Policy):
            raise InvalidInput(f"expected a policy of stoic.policies, got {describe(self.policy)}")
        if (self.seed, self.method) != (None, None):
            raise InvalidInput("expected neither seed nor method with a policy; it has its own")
        if (self.target, self.bounds) != (None, None):
            raise InvalidInput(
                "expected neither target nor bounds with a policy, which estimates by its own rule"
            )
        if self.baseline is not None:
            raise InvalidInput("expected no baseline with a policy, got one; drop it")

    @property
    def enough(self) -> bool:
        """Whether these arguments define a study; a policy needs no direction: it maximises."""
        return self.policy is not None or None not in (self.space, self.direction)


@dataclass(frozen=True)
class Definition:
    """The space, the direction, the objective and the method of a study.

    Target and bounds are what its answers are about unless another question is asked; suggestions
    do not depend on them.
    """

    space: Space  # may become wider, by an entry of the log; so may a first baseline come
    direction: str
    seed: int
    method: str  # "auto" | "random" | "policy"
    objective: str
    policy: dict[str, Any] | None = None  # the state at which a policy began
    target: str = "median"
    bounds: Bounds | None = None
    baseline: dict[str, Any] | None = None

    @classmethod
    def of(cls, arguments: StudyArguments) -> Definition:
        """The definition of a new study."""
        objective = arguments.objective or "value"
        if arguments.policy is None:
            space, method = Space.of(arguments.space), arguments.method or "auto"
            direction = given_direction(arguments.direction)
            seed, target = int(arguments.seed or 0), arguments.target or "median"
            base, bounds = arguments.baseline, arguments.bounds
            baseline = None if base is None else checked_params(space, base)
            return cls(space, direction, seed, method, objective, None, target, bounds, baseline)
        policy: Policy = arguments.policy
        direction = arguments.direction or "maximize"
        plain = {k: v.tolist() if isinstance(v, np.ndarray | np.generic) else v
                 for k, v in policy.state().items()}  # fmt: skip
        try:
            state = read(written(plain), "a policy")
        except (TypeError, ValueError) as cause:
            raise InvalidInput(f"expected a policy whose state is JSON data: {cause}") from cause
        return cls(_space_of(state), direction, policy.seed, "policy", objective, state)

    def text(self) -> str:
        """The definition as it is stored."""
        what: dict[str, Any] = {"policy": self.policy}
        if self.policy is None:
            what = {"space": self.space.describe()}
        if (self.target, self.bounds) != ("median", None):
            what |= {"target": self.target, "bounds": self.bounds}
        if self.baseline is not None:
            what["baseline"] = self.baseline
        return written(
            {
                "format": _FORMATS[self.baseline is not None],
                "direction": self.direction,
                "seed": self.seed,
                "method": self.method,
                "objective": self.objective,
                **what,
            }
        )

    @classmethod
    def from_text(cls, text: str) -> Definition:
        """The definition of a stored study, or `StoreDamaged`."""
        data = read(text, "a definition")
        try:
            if data["format"] not in _FORMATS:
                raise InvalidInput(f"expected a definition of format {_FORMATS[-1]} at most")
            policy = data.get("policy")
            space = Space.from_description(data["space"]) if policy is None else _space_of(policy)
            direction = given_direction(data["direction"])
            method = choice(data["method"], "method", (*METHODS, "policy"))
            seed = integer(data["seed"], "seed", at_least=0, at_most=2**63 - 1)
            aim = Aim.of(direction, data.get("target", "median"), data.get("bounds"))
            objective, asked = str(data["objective"]), (aim.target, aim.bounds)
            base = data.get("baseline")
            baseline = None if base is None else checked_params(space, base)
            return cls(space, direction, seed, method, objective, policy, *asked, baseline)
        except (StoicError, KeyError, TypeError, AttributeError) as cause:
            raise StoreDamaged(
                f"expected a whole definition, got {text[:60]!r}… ({cause})", "restore a copy"
            ) from cause

    @property
    def aim(self) -> Aim:
        """What answers are about."""
        return Aim(self.direction, self.target, self.bounds)

    def asking(self, arguments: StudyArguments) -> Definition:
        """This definition with another target or other bounds, where they are given.

        They are a question asked of the data: the study does not change.
        """
        asked = (arguments.target, arguments.bounds) != (None, None)
        if self.policy is not None and asked:
            raise InvalidInput(
                "expected neither target nor bounds for a study of a policy, which estimates by "
                "its own rule; leave them out"
            )
        target, bounds = arguments.target or self.target, arguments.bounds or self.bounds
        return replace(self, target=target, bounds=bounds)

    def sound(self) -> Definition:
        """This definition, if its policy can be restored; else `InvalidState`."""
        if self.policy is not None and self.policy.get("shared/schedule") != "custom":
            stoic.policies.from_state(self.policy)
        return self

    def agree(self, arguments: StudyArguments, name: str) -> None:
        """Raise `StudyMismatch` unless the given arguments agree with this definition."""
        other = self.continued(arguments, name)
        if other.space != self.space:
            raise self._mismatch("space", arguments.space, name)
        if other.baseline != self.baseline:
            raise self._mismatch("baseline", arguments.baseline, name)

    def continued(self, arguments: StudyArguments, name: str) -> Definition:
        """This definition with the wider space, or the first baseline, that arguments give.

        Raises `StudyMismatch` where something else differs.
        """
        given: dict[str, Any] = {
            "direction": arguments.direction,
            "seed": arguments.seed,
            "method": arguments.method,
            "objective": arguments.objective,
        }
        if arguments.policy is not None:
            same = self.policy is not None and Definition.of(arguments).policy == self.policy
            given["policy"] = None if same else arguments.policy
        for what, value in given.items():
            if value is not None and value != getattr(self, what):
                raise self._mismatch(what, value, name)
        wider = None if arguments.space is None else self._wider(Space.of(arguments.space), name)
        new = self if wider is None else replace(self, space=wider)
        if arguments.baseline is None:
            return new
        baseline = checked_params(new.space, arguments.baseline)
        if baseline != self.baseline and (self.baseline is not None or self.method != "auto"):
            raise self._mismatch("baseline", baseline, name)
        return replace(new, baseline=baseline)

    def changes(self, later: Definition) -> Iterator[str]:
        """What a later definition of the same study changes, in words."""
        yield from changes(self.space, later.space)
        if later.baseline != self.baseline:
            yield f"the baseline is now {later.baseline}"

    def _wider(self, theirs: Space, name: str) -> Space | None:
        mine = self.space
        if theirs.parameters == mine.parameters:  # name what differs
            if theirs.constraints.key != mine.constraints.key:
                raise self._mismatch("valid", theirs.valid, name)
            return None
        if self.policy is not None:
            raise self._mismatch("space", theirs, name)
        try:
            wider = widened(mine, theirs)
        except InvalidInput as why:
            raise self._mismatch("space", theirs, name, f" or a wider one ({why})") from why
        return None if wider == mine else wider

    def _mismatch(self, what: str, value: object, name: str, also: str = "") -> StudyMismatch:
        mine = self.space.valid if what == "valid" else getattr(self, what)
        return StudyMismatch(
            f"expected {what} {_short(mine)} of study {name!r}{also}, got {_short(value)}; "
            f"give the study's own{' or a wider one' * bool(also)}, leave it out, or choose "
            "another name"
        )


def checked_name(name: object, what: str) -> str:
    """A name of a study or a worker, or `InvalidInput`."""
    valid = isinstance(name, str) and 0 < len(name) <= _MAX_NAME_CHARACTERS and name.isprintable()
    if not isinstance(name, str) or not valid:
        raise InvalidInput(
            f"expected {what} as printable text of at most {_MAX_NAME_CHARACTERS} characters, "
            f"got {describe(name)}; choose another"
        )
    return str(name)


def checked_params(space: Space, params: Mapping[str, Any]) -> dict[str, Any]:
    """The values as Python scalars, floats with all digits, or `InvalidParams`."""
    scalars: dict[str, Any] = dict(space.read([params])[1][0])
    return scalars


def _space_of(policy: Mapping[str, Any]) -> Space:
    """The arms or the box of a policy's state."""
    if "domain/low" in policy:
        return Space.of(Box(policy["domain/low"], policy["domain/high"]))
    arms = Arms(policy["domain/arms"])
    if len(arms) < 2:
        raise InvalidInput("expected a policy with at least two arms, got one; add an arm")
    return Space({"arm": Int(0, len(arms) - 1)})


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
