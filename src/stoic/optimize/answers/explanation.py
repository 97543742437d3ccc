"""Tell which kind of function explains the measurements, on which scale, and how noisy they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from stoic.optimize.model import Model
from stoic.surrogate import RobustGP
from stoic.surrogate.covariance import SMOOTH

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class WordRule:
    """When a word is used; the rule decides about words only."""

    rugged: float = 0.05  # share of the micro part in the prior variance of f
    quiet: float = 0.01  # noise in spreads of all values: less is called hardly any
    loud: float = 0.5  # noise in spreads of all values: more is called large
    min_weight: float = 0.005  # of a member that is named


_RULE = WordRule()


@dataclass(frozen=True)
class Explanation:
    """What the optimiser's committee takes the measurements for.

    ``members`` are the kinds of functions with their posterior weights, the likeliest first;
    ``noise`` is the ordinary deviation of a measurement, in spreads of all values; where values are
    one spread better, it is ``noise_growth`` times as large.
    """

    members: tuple[tuple[str, float], ...]
    scale: str
    noise: float
    noise_growth: float = 1.0

    def __str__(self) -> str:
        first, *others = (f"{kind} ({weight:.0%})" for kind, weight in self.members)
        kinds = first + (", or " + ", or ".join(others) if others else "")
        return f"{kinds}; {self.scale}; {self._noise()}"

    def _noise(self) -> str:
        if self.noise < _RULE.quiet:
            return "hardly any noise"
        size = "large " if self.noise > _RULE.loud else ""
        text = f"{size}noise of {self.noise:.2g} times the spread of the values"
        if self.noise_growth == 1.0:
            return text
        return f"{text}, {self.noise_growth:.2g} times as much where values are one spread better"

    def to_dict(self) -> dict[str, Any]:
        """The explanation as data that JSON can hold."""
        members = [{"function": kind, "weight": weight} for kind, weight in self.members]
        noise = {"noise": self.noise, "noise_growth": self.noise_growth}
        return {"members": members, "scale": self.scale, **noise}


def explain(model: Model) -> Explanation:
    """The explanation of a fitted model, with weights by its evidence."""
    weights: dict[str, float] = {}
    for gp, weight in model.modes():
        weights[_kind(gp)] = weights.get(_kind(gp), 0.0) + weight
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    named = tuple((kind, weight) for kind, weight in ranked if weight >= _RULE.min_weight)
    hyper = model.gp.hyper
    growth = math.exp(hyper.noise_law.slope)
    return Explanation(named, _scale(model), math.sqrt(hyper.noise), growth)


def _kind(gp: RobustGP) -> str:
    h = gp.hyper
    if h.covariance is not SMOOTH:
        return "a rough function, each parameter by itself"
    rugged = h.micro > _RULE.rugged * h.variance and h.micro > h.noise
    return "a smooth function with rugged detail" if rugged else "a smooth function"


def _scale(model: Model) -> str:
    if model.scaling.is_one_sided:
        return "errors of any size to one side, so that only the best third of the values count"
    if model.scaling.log_unit > 0.0:
        return "values on a logarithmic scale below the best quarter"
    return "values on a linear scale"
