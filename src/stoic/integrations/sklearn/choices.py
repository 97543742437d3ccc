"""The space of a search in scikit-learn's words, as a space of Stoic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stoic.errors import InvalidInput
from stoic.integrations.lists import of_list
from stoic.spaces import Float, Int, Space

__all__ = ["Choices"]


class Choices:
    """The space of a search, and the objects that its categories stand for."""

    def __init__(self, given: object) -> None:
        self._objects: dict[str, list[Any]] = {}
        if isinstance(given, Mapping):
            given = {name: self._parameter(name, form) for name, form in given.items()}
        self.space = Space.of(given)

    def _parameter(self, name: Any, form: Any) -> object:
        if isinstance(form, np.ndarray):
            form = form.tolist()
        if isinstance(form, list) and form:
            parameter, objects = of_list(form)
            if objects is not None:
                self._objects[name] = objects
            return parameter
        if hasattr(form, "rvs"):
            return _of_distribution(name, form)
        return form

    def params(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of the estimator."""
        chosen = self._objects
        return {k: chosen[k][v] if k in chosen else v for k, v in configuration.items()}


def _of_distribution(name: Any, frozen: Any) -> object:
    kind = getattr(getattr(frozen, "dist", None), "name", type(frozen).__name__)
    low, high = frozen.support()
    if kind == "randint":
        return Int(int(low), int(high))
    if kind in ("uniform", "loguniform", "reciprocal"):
        return Float(float(low), float(high), "linear" if kind == "uniform" else "log")
    raise InvalidInput(
        f"expected uniform, loguniform or randint of scipy.stats for {name!r}, got {kind}; give "
        "(low, high) or (low, high, 'log')"
    )
