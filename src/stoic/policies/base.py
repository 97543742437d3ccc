"""What every policy is: ask, tell, recommend, state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from stoic import state as states
from stoic.checks import Array, integer, number
from stoic.errors import InvalidPayoff, InvalidState
from stoic.kernels import Kernel
from stoic.policies.parts import construction, saving
from stoic.policies.parts.choices import Choices, choices_on
from stoic.policies.parts.options import checked_options
from stoic.policies.parts.scheduling import rehearse, resolved_schedule
from stoic.schedules import Assumptions, Progress
from stoic.schema import Field, Schema, Wholes, checked
from stoic.spaces import Domain

__all__ = ["Policy", "Recommendation"]

_MAX_PAYOFF = 1e240  # payoffs beyond it are taken as this: sums of them must stay finite


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
    own
        The policy's own arguments, which its class declares (:class:`Option`).
    """

    name: ClassVar[str]
    schedules: ClassVar[Mapping[str, Callable[..., Any]]]
    arms_of_a_box: ClassVar[int] = 2**31  # for widths with a union bound over arms
    asks: ClassVar[Mapping[str, tuple[Any, ...]]] = {  # what it asks of a schedule, for example
        "width": (Progress(t=1, logdet=1.0, features=1, variance_sum=1.0),)
    }
    keeps: ClassVar[Mapping[str, Field]] = {}  # attributes that it must remember, and their form

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
        **own: Any,
    ) -> None:
        for name, value in checked_options(type(self), own).items():
            setattr(self, name, value)
        self.domain: Domain = construction.checked_domain(domain)
        self.kernel = construction.checked_kernel(self.domain, kernel)
        self.seed = integer(seed, "seed", at_least=0, at_most=2**63 - 1)
        self.setting = construction.checked_setting(
            self.domain,
            self.kernel,
            lam,
            horizon,
            construction.checked_assumptions(assumptions),
            self.arms_of_a_box,
        )
        self.lam, self.horizon = self.setting.lam, self.setting.horizon
        self.assumptions = self.setting.assumptions
        self.schedule_name, self.schedule = resolved_schedule(
            schedule, self.schedules, self._named_schedule, self.setting
        )
        rehearse(self.schedule, self.asks, type(self).__name__)
        self.choices: Choices = choices_on(self.domain)
        self._next: Any = None  # the next choice, once it has been found
        self.t = 0

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
        choice accounts for those before it.
        """
        if n is not None:
            return self.choices.show_all(self._batch(integer(n, "n", at_least=1)))
        choice = self._next
        if choice is None:
            choice = self._next = self._choice()
        return self.choices.show(choice)

    def _choice(self) -> Any:
        """The next choice."""
        return self._batch(1)[0]

    @abstractmethod
    def _batch(self, n: int) -> list[Any]:
        """The next choices, row numbers or points, at most ``n``."""

    # -- tell ---------------------------------------------------------------------------------

    def tell(self, arm: Any, payoff: float) -> None:
        """Report the payoff of an arm.

        Raises a typed error, and changes nothing, unless ``payoff`` is one finite real number
        and ``arm`` an arm of the domain (and of the plan, for policies that have one). Beyond
        ±1e240 a payoff is taken as that, so that sums stay finite.
        """
        if not (type(payoff) is float and -_MAX_PAYOFF <= payoff <= _MAX_PAYOFF):
            y = number(payoff, "payoff", error=InvalidPayoff)
            payoff = min(max(y, -_MAX_PAYOFF), _MAX_PAYOFF)
        self._tell(self.choices.read(arm), payoff)
        self._next = None

    @abstractmethod
    def _tell(self, choice: Any, payoff: float) -> None:
        """Take in a valid payoff of a valid row number or point."""

    @abstractmethod
    def recommend(self) -> Recommendation:
        """The arm that the policy would stand by, with its value and interval."""

    # -- state --------------------------------------------------------------------------------

    def state(self) -> states.State:
        """The whole policy as a flat dictionary of arrays, numbers and strings."""
        shared = {"lam": self.lam, "seed": self.seed, "schedule": self.schedule_name}
        horizon = {} if self.horizon is None else {"horizon": self.horizon}
        return states.flatten(
            {
                "format": saving.FORMAT,
                "policy": self.name,
                "domain": saving.domain_state(self.domain),
                "kernel": self.kernel.state(),
                "shared": {**shared, **horizon},
                "assumptions": self.assumptions.state(),
                "options": saving.options_state(self),
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
        return self.choices.sizes

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
        saving.check_format(nested, cls.name)
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
        memory = nested.pop("memory", {})
        policy = cls(**saving.arguments(nested, schedule))
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
