"""What every policy is: ask, tell, recommend, state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MethodType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from stoic import state as states
from stoic.checks import Array, describe, integer, number
from stoic.errors import InvalidInput, InvalidPayoff, InvalidState
from stoic.kernels import Kernel, MatrixKernel
from stoic.schedules import Assumptions, Progress, Setting
from stoic.schema import LARGEST, Field, Reals, Schema, Texts, Wholes, checked
from stoic.spaces import Arms, Box, Domain

__all__ = ["Policy", "Recommendation"]

_LARGEST = 1e240  # payoffs beyond it are taken as this: sums of them must stay finite
_FORMAT = 1
_SHARED: Schema = {  # of a state, what all policies have in common
    "format": Wholes(),
    "policy": Texts(),
    "domain": {
        "arms": Reals("arms", "dimension", optional=True),
        "low": Reals("dimension", optional=True),
        "high": Reals("dimension", optional=True),
    },
    "shared": {
        "lam": Reals(low=0.0),
        "seed": Wholes(below=2**63),
        "schedule": Texts(),
        "horizon": Wholes(low=1, optional=True),
    },
}


class Recommendation(NamedTuple):
    """The arm that a policy would stand by.

    ``interval`` is the policy's own confidence interval, value ± width·std: a guarantee with
    the theory schedules, a rule of thumb with the practical ones.
    """

    arm: Any
    value: float
    interval: tuple[float, float]


class Policy(ABC):
    """A bandit policy on finite arms or a box.

    ``ask`` changes nothing: asked again, it gives the same answer until a ``tell``. ``tell`` is
    the only mutator; refused input leaves the policy as it was. ``state`` is all of it as plain
    arrays and scalars, and a policy made from it goes on bit by bit as if never stopped.

    Parameters
    ----------
    domain
        :class:`stoic.Arms` or :class:`stoic.Box`.
    kernel
        k, any :class:`stoic.kernels.Kernel`; may be left out for ``Arms.matrix(K)``.
    lam
        λ > 0, the ridge (the posterior's noise variance).
    horizon
        T, where a schedule needs it.
    schedule
        ``"practical"`` (no constants, no theorem), ``"paper"`` (what the authors ran),
        ``"theory"`` (the theorem to the letter), an object with the same methods, or a callable
        that makes one from a :class:`stoic.schedules.Setting`.
    assumptions
        The constants of the theory and paper schedules.
    seed
        Of whatever the policy draws; draws depend on (seed, round) alone.
    """

    name: ClassVar[str]
    schedules: ClassVar[Mapping[str, Callable[..., Any]]]
    arms_of_a_box: ClassVar[int] = 2**31  # for widths with a union bound over arms
    asks: ClassVar[Mapping[str, tuple[Any, ...]]] = {  # what it asks of a schedule, for example
        "width": (Progress(t=1, logdet=1.0, features=1, variance_sum=1.0),)
    }
    own: ClassVar[tuple[str, ...]] = ()  # attributes that are the policy's own options
    keeps: ClassVar[Mapping[str, Field]] = {}  # attributes that it must remember, and their form
    _known_choice: Any = None  # the next arm as a row number or a point, once it has been found

    def __init__(
        self,
        domain: Domain,
        kernel: Kernel | None = None,
        *,
        lam: float = 1.0,
        horizon: int | None = None,
        schedule: Any = "practical",
        assumptions: Assumptions | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(domain, Arms | Box):
            raise InvalidInput(
                f"expected a domain, stoic.Arms(X) or stoic.Box(low, high), got {describe(domain)}"
            )
        self.domain: Domain = domain
        self.kernel = _kernel(domain, kernel)
        points = domain.X if isinstance(domain, Arms) else domain.landmarks()
        self.kernel.check(points)
        prior_var = float(self.kernel.diag(points).max())
        if not 1e-30 <= prior_var <= 1e30:
            raise InvalidInput(
                "expected a kernel whose largest variance k(x, x) on the domain is from 1e-30 to "
                f"1e30, got {prior_var:g}; rescale the kernel"
            )
        self.lam = number(lam, "lam", above=0.0)
        if not 1e-12 * prior_var <= self.lam <= 1e12 * prior_var:
            raise InvalidInput(
                f"expected lam from 1e-12 to 1e12 of the kernel's variance ({prior_var:g}), "
                f"got {self.lam:g}; rescale the kernel or lam"
            )
        self.horizon = (
            None
            if horizon is None
            else integer(horizon, "horizon", at_least=1, at_most=LARGEST - 1)
        )
        self.seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
        if assumptions is not None and not isinstance(assumptions, Assumptions):
            raise InvalidInput(f"expected stoic.Assumptions(…), got {describe(assumptions)}")
        self.assumptions = assumptions or Assumptions()
        arms = len(domain) if isinstance(domain, Arms) else self.arms_of_a_box
        self.setting = Setting(self.assumptions, self.lam, self.horizon, arms, prior_var)
        self.schedule_name, self.schedule = self._schedule(schedule)
        self._rehearse()
        self.t = 0

    def _schedule(self, schedule: Any) -> tuple[str, Any]:
        if isinstance(schedule, str):
            if schedule not in self.schedules:
                listed = ", ".join(repr(name) for name in self.schedules)
                raise InvalidInput(
                    f"expected schedule to be one of {listed} or a schedule object, "
                    f"got {describe(schedule)}"
                )
            return schedule, self._named_schedule(schedule)
        if callable(schedule) and not isinstance(getattr(schedule, "width", None), MethodType):
            schedule = self._made(schedule)  # e.g. functools.partial(Practical, c=3.0)
        if not isinstance(getattr(schedule, "width", None), MethodType):
            raise InvalidInput(
                "expected schedule as a name, an object with a method width(progress), or a "
                f"callable that makes one from a Setting, got {describe(schedule)}"
            )
        return "custom", schedule

    def _made(self, maker: Callable[..., Any]) -> Any:
        try:
            return maker(self.setting)
        except TypeError as cause:
            raise InvalidInput(
                f"expected schedule to make one from a Setting, got {describe(maker)}: {cause}"
            ) from cause

    def _rehearse(self) -> None:
        """Ask the schedule once for all that will be asked: what is missing shows at once."""
        learns = getattr(self.schedule, "learns", False)
        for method, example in self.asks.items():
            if learns and method in ("truncation", "order"):
                continue  # a schedule that learns the noise clips by what it has learned
            try:
                value = getattr(self.schedule, method)
                value = value(*example) if callable(value) else value
            except (AttributeError, TypeError) as cause:
                raise InvalidInput(
                    f"expected a schedule whose {method} {type(self).__name__} can use, "
                    f"got {describe(self.schedule)}: {cause}"
                ) from cause

    def _named_schedule(self, name: str) -> Any:
        return self.schedules[name](self.setting)

    # -- what a policy shows ------------------------------------------------------------------

    @property
    @abstractmethod
    def mean(self) -> Array:
        """Estimated payoff of each arm (of each point played, on a box)."""

    @property
    @abstractmethod
    def std(self) -> Array:
        """Posterior standard deviation of each arm (of each point played, on a box)."""

    @property
    @abstractmethod
    def width(self) -> float:
        """What multiplies the std in the policy's bounds at the coming choice."""

    # -- ask ----------------------------------------------------------------------------------

    def ask(self, n: int | None = None) -> Any:
        """The next arm: a row number, or a point of the box.

        With ``n``, a list of arms (an array of points on a box): the next ``n`` of the present
        plan, or fewer where the plan ends; without a plan, a batch of ``n`` in which each
        choice reckons with those before it.
        """
        if n is None:
            choice = self._known_choice
            if choice is None:
                choice = self._choose()
            return choice if type(choice) is int else self._show(choice)
        batch = [self._show(choice) for choice in self._batch(integer(n, "n", at_least=1))]
        return batch if isinstance(self.domain, Arms) else np.array(batch)

    def _show(self, choice: Any) -> Any:
        return int(choice) if isinstance(self.domain, Arms) else np.array(choice, dtype=float)

    @abstractmethod
    def _choose(self) -> Any:
        """The next arm as a row number, or as a point."""

    @abstractmethod
    def _batch(self, n: int) -> list[Any]:
        """The next arms, at most ``n``."""

    # -- tell ---------------------------------------------------------------------------------

    def tell(self, arm: Any, payoff: float) -> None:
        """Report the payoff of an arm.

        Raises a typed error, and changes nothing, unless ``payoff`` is one finite real number
        and ``arm`` an arm of the domain (and of the plan, for policies that have one). Beyond
        ±1e240 a payoff is taken as that, so that sums stay finite.
        """
        if type(payoff) is float and -_LARGEST <= payoff <= _LARGEST:  # as good as always
            y = payoff
        else:
            y = number(payoff, "payoff", error=InvalidPayoff)
            y = min(max(y, -_LARGEST), _LARGEST)
        if type(arm) is int and arm is self._known_choice:  # what ask() gave
            place: Any = arm
        elif isinstance(self.domain, Arms):
            place = self.domain.index(arm)
        else:
            place = self.domain.point(arm)
        self._tell(place, y)

    @abstractmethod
    def _tell(self, place: Any, payoff: float) -> None:
        """Take in a valid payoff of a valid row number or point."""

    @abstractmethod
    def recommend(self) -> Recommendation:
        """The arm that the policy would stand by, with its value and interval."""

    def _stand_by(self, points: Array, arm: int, value: float, reach: float) -> Recommendation:
        shown = arm if isinstance(self.domain, Arms) else points[arm].copy()
        return Recommendation(shown, value, (value - reach, value + reach))

    # -- state --------------------------------------------------------------------------------

    def state(self) -> states.State:
        """The whole policy as a flat dictionary of arrays, numbers and strings."""
        domain: dict[str, Any]
        if isinstance(self.domain, Arms):
            domain = {"arms": np.array(self.domain.X)}
        else:
            domain = {"low": self.domain.low.copy(), "high": self.domain.high.copy()}
        shared: dict[str, Any] = {
            "lam": self.lam,
            "seed": self.seed,
            "schedule": self.schedule_name,
        }
        if self.horizon is not None:
            shared["horizon"] = self.horizon
        return states.flatten(
            {
                "format": _FORMAT,
                "policy": self.name,
                "domain": domain,
                "kernel": self.kernel.state(),
                "shared": shared,
                "assumptions": self.assumptions.state(),
                "options": {k: v for k in self.own if (v := getattr(self, k)) is not None},
                "memory": {"t": self.t, **self._memory()},
            }
        )

    def _memory(self) -> dict[str, Any]:
        """What the policy has learned, as a nested plain state."""
        return {name: np.copy(getattr(self, name)) for name in self.keeps}

    def _layout(self) -> dict[str, Field | Schema]:
        """What :meth:`_memory` must look like, with "A" arms or points played."""
        return {"t": Wholes(), **self.keeps}

    def _sizes(self) -> dict[str, int]:
        """The sizes in :meth:`_layout` that are known."""
        return {"A": len(self.domain)} if isinstance(self.domain, Arms) else {}

    def _remember(self, memory: dict[str, Any]) -> None:
        """Take over what :meth:`_memory` gave; it fits :meth:`_layout`."""
        self.t = memory["t"]
        for name in self.keeps:
            setattr(self, name, memory[name])

    def _verify(self) -> None:  # noqa: B027, a policy may have nothing to compare
        """Raise :class:`InvalidState` unless what was remembered fits together."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, schedule: Any = None) -> Self:
        """The policy of a state; ``schedule`` is needed only where a custom one was used."""
        nested = states.unflatten(state)
        form, name = nested.get("format"), nested.get("policy")
        if not (isinstance(form, int) and form == _FORMAT and isinstance(name, str)):
            raise InvalidState(f"expected a state of format {_FORMAT}, got {describe(form)}")
        if name != cls.name:
            raise InvalidState(
                f"expected a state of policy {cls.name!r}, got one of {describe(name)}"
            )
        try:
            return cls._from_nested(nested, schedule)
        except InvalidState:
            raise
        except Exception as cause:  # whatever a constructor does not like about its arguments
            raise InvalidState(
                f"the state of {cls.name!r} is damaged or incomplete: {cause!r}"
            ) from cause

    @classmethod
    def _from_nested(cls, nested: dict[str, Any], schedule: Any) -> Self:
        memory, kernel, assumptions, options = (
            nested.pop(part, {}) for part in ("memory", "kernel", "assumptions", "options")
        )
        shared = checked(nested, _SHARED, {})["shared"]
        if schedule is not None:
            shared["schedule"] = schedule
        elif shared["schedule"] == "custom":
            raise InvalidState("expected schedule=… to restore a policy with a custom schedule")
        policy = cls(
            _domain(nested["domain"]),
            Kernel.from_state(kernel),
            assumptions=Assumptions(**assumptions),
            **shared,
            **options,
        )
        policy._remember(checked(memory, policy._layout(), policy._sizes(), "memory"))
        policy._verify()
        return policy

    def save(self, path: str | Path) -> None:
        """Write the state to ``path``, a ``.json`` or ``.npz`` file."""
        states.save(path, self.state())

    @classmethod
    def load(cls, path: str | Path, *, schedule: Any = None) -> Self:
        """The policy that :meth:`save` wrote."""
        return cls.from_state(states.load(path), schedule=schedule)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.domain!r}, {self.kernel!r}, t={self.t})"


def _domain(state: dict[str, Any]) -> Domain:
    return Arms(state["arms"]) if "arms" in state else Box(state["low"], state["high"])


def _kernel(domain: Domain, kernel: Kernel | None) -> Kernel:
    given = domain.kernel if isinstance(domain, Arms) else None
    if given is not None and isinstance(kernel, Kernel) and not _has_matrix(kernel):
        raise InvalidInput(
            "expected no kernel, or one made of a MatrixKernel, for Arms.matrix(K), "
            f"got {kernel!r}; these arms have no coordinates"
        )
    kernel = given if kernel is None else kernel
    if not isinstance(kernel, Kernel):
        raise InvalidInput(
            "expected a kernel such as stoic.SquaredExponential(0.2), or stoic.Arms.matrix(K) "
            f"that brings its own, got {describe(kernel)}"
        )
    return kernel


def _has_matrix(kernel: Kernel) -> bool:
    inner = [part for part in kernel.parameters().values() if isinstance(part, Kernel)]
    return isinstance(kernel, MatrixKernel) or any(_has_matrix(part) for part in inner)
