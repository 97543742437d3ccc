"""Nevergrad with Stoic's suggestions: ``ng.optimizers.registry["Stoic"]`` after this import."""

from __future__ import annotations

import math
from typing import Any

import nevergrad as ng
from nevergrad.optimization.base import Optimizer, registry

import stoic

__all__ = ["Stoic"]


def parameter_of(name: str, p: Any) -> Any:
    """A parameter of Nevergrad as one of Stoic; choices by their index."""
    if isinstance(p, ng.p.Choice):
        return stoic.Categorical(list(range(len(p.choices))))
    if not isinstance(p, ng.p.Scalar) or any(bound is None for bound in p.bounds):
        raise ValueError(f"expected Scalar and Log with bounds, and Choice, got {name}={p}")
    low, high = (float(bound[0]) for bound in p.bounds)
    if p.integer:
        return stoic.Int(int(low), int(high))
    return stoic.Float(low, high, "log" if isinstance(p, ng.p.Log) else "linear")


@registry.register
class Stoic(Optimizer):  # type: ignore[misc]
    """Of functions of keywords: ``ng.p.Instrumentation(x=ng.p.Scalar(lower=0, upper=1), …)``."""

    def __init__(self, parametrization: Any, budget: int | None = None, num_workers: int = 1):
        super().__init__(parametrization, budget=budget, num_workers=num_workers)
        self._children = self.parametrization[1]  # the keywords
        space = {name: parameter_of(name, p) for name, p in self._children._content.items()}
        self.optimizer = stoic.Optimizer(space, direction="minimize")
        self._running: dict[str, dict[str, Any]] = {}

    def _candidate(self, params: dict[str, Any]) -> Any:
        of = self._children
        values = {k: of[k].choices[v].value if isinstance(of[k], ng.p.Choice) else v
                  for k, v in params.items()}  # fmt: skip
        return self.parametrization.spawn_child(new_value=((), values))

    def _internal_ask_candidate(self) -> Any:
        params = self.optimizer.ask(pending=list(self._running.values()))
        candidate = self._candidate(params)
        self._running[candidate.uid] = params
        return candidate

    def _internal_tell_candidate(self, candidate: Any, loss: float) -> None:
        params = self._running.pop(candidate.uid)
        if math.isfinite(loss) and loss < 5e20:  # Nevergrad's own stand-in for infinity
            self.optimizer.tell(params, float(loss))
        else:
            self.optimizer.fail(params, f"loss {loss}")

    def provide_recommendation(self) -> Any:
        """The best estimate, not the luckiest evaluation."""
        return self._candidate(self.optimizer.recommend().params)
