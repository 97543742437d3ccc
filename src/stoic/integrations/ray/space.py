"""A search space of Ray Tune (nested, with constants) as a space of Stoic, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ray.tune.search import sample

from stoic.checks import describe, number
from stoic.errors import InvalidInput, InvalidState
from stoic.integrations.lists import of_list
from stoic.spaces import Categorical, Float, Int, Space
from stoic.spaces.parameters import Parameter

__all__ = ["RaySpace"]

_HOLE = "stoic.parameter"  # {_HOLE: name} stands where the value of a parameter goes
_NO_CHOICE = (
    "expected a parameter such as tune.uniform(0, 1) in the search space, got {}; pass param_space "
    "to the Tuner, or a space to StoicSearch"
)


@dataclass(frozen=True)
class RaySpace:
    """The parameters of a configuration, and where their values go."""

    space: Space
    template: Any
    """The configuration, with a hole for each parameter."""
    objects: dict[str, list[Any]] = field(default_factory=dict)
    """What the indices of a parameter stand for."""
    steps: dict[str, float] = field(default_factory=dict)
    """The unit of a quantised parameter, which counts in whole multiples of it."""

    @classmethod
    def of(cls, given: object) -> RaySpace:
        """The space of ``param_space``, or of a `stoic.Space`."""
        if isinstance(given, Space):
            return cls(given, {name: {_HOLE: name} for name in given.names})
        if not isinstance(given, Mapping):
            raise InvalidInput(_NO_CHOICE.format(describe(given)))
        reader = _Reader()
        template = reader.read(given, ())
        if not reader.parameters:
            raise InvalidInput(_NO_CHOICE.format("constants alone" if given else "none"))
        return cls(Space(reader.parameters), template, reader.objects, reader.steps)

    def config(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration for a trial."""
        filled: dict[str, Any] = self._fill(self.template, params)
        return filled

    def _fill(self, part: Any, params: Mapping[str, Any]) -> Any:
        if isinstance(part, dict):
            absent = [k for k, v in part.items() if _is_hole(v) and v[_HOLE] not in params]
            if _is_hole(part):
                name = part[_HOLE]
                return self._value(name, params[name])
            return {k: self._fill(v, params) for k, v in part.items() if k not in absent}
        if isinstance(part, list):
            return [self._fill(each, params) for each in part]
        return part

    def _value(self, name: str, value: Any) -> Any:
        if name in self.objects:
            return self.objects[name][value]
        if name in self.steps:
            step = self.steps[name]
            return value * step if isinstance(step, int) else float(f"{value * step:.12g}")
        return value

    def params(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a configuration that was made elsewhere."""
        return {
            name: self._inner(name, value)
            for name, value in self._values(self.template, config, ())
        }

    def _values(self, part: Any, config: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        if _is_hole(part):
            yield part[_HOLE], config
            return
        items: Any = enumerate(part) if isinstance(part, list) else ()
        if isinstance(part, dict):
            items = part.items()
        for key, inner in items:
            try:
                there = config[key]
            except (LookupError, TypeError):
                if _is_hole(inner) and self.space.parameters[inner[_HOLE]].when:
                    continue
                if any(True for _ in self._values(inner, _Anything(), ())):
                    where = "/".join([*path, str(key)])
                    raise InvalidInput(
                        f"expected a configuration with {where!r}, got {describe(config)}; add it"
                    ) from None
                continue
            yield from self._values(inner, there, (*path, str(key)))

    def _inner(self, name: str, value: Any) -> Any:
        if name in self.steps:
            return round(number(value, name) / self.steps[name])
        return self._index(name, value) if name in self.objects else value

    def _index(self, name: str, value: Any) -> int:
        for i, each in enumerate(self.objects[name]):
            if each is value or (type(each) is type(value) and bool(np.all(each == value))):
                return i
        raise InvalidInput(
            f"expected {name!r} to be one of {describe(self.objects[name])}, got {describe(value)}"
        )

    # -- plain data ---------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """The space as data for JSON; without the template where that holds other objects."""
        rest = {"template": self.template, "objects": self.objects, "steps": self.steps}
        try:
            whole = json.loads(json.dumps(rest, allow_nan=False)) == rest
        except (TypeError, ValueError):
            whole = False
        return {"space": self.space.describe(), "rest": rest if whole else None}

    @staticmethod
    def space_of(description: Mapping[str, Any]) -> Space:
        """The space alone of a description."""
        return Space.from_description(description["space"])

    @classmethod
    def from_description(cls, description: Mapping[str, Any], given: RaySpace | None) -> RaySpace:
        """The space of a description; ``given`` if it is the same, which may hold any objects."""
        space, rest = cls.space_of(description), description["rest"]
        if given is not None:
            if given.space != space:
                raise InvalidState(
                    "expected a state with the search space of this searcher, got another one; "
                    "restore into StoicSearch() without a space"
                )
            return given
        if rest is None:
            raise InvalidState(
                "expected a search space whose constants and choices are plain data, got other "
                "objects in it; give StoicSearch the same space before restoring"
            )
        return cls(space, rest["template"], dict(rest["objects"]), dict(rest["steps"]))


class _Anything(dict[Any, Any]):
    """A configuration that has every key."""

    def __missing__(self, key: object) -> _Anything:
        return self


class _Reader:
    """Reads a configuration of Ray and collects its parameters."""

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter] = {}
        self.objects: dict[str, list[Any]] = {}
        self.steps: dict[str, float] = {}

    def read(self, part: Any, path: tuple[str, ...]) -> Any:
        """The part with holes in place of parameters."""
        if isinstance(part, sample.Domain):
            name = "/".join(path)
            if name in self.parameters:
                raise InvalidInput(f"expected each name once, got {name!r} twice; rename one")
            try:
                self.parameters[name] = self._parameter(name, part)
            except InvalidInput as error:
                raise InvalidInput(f"in {name!r}: {error}") from error
            return {_HOLE: name}
        if isinstance(part, Mapping):
            if "grid_search" in part:
                raise InvalidInput(
                    f"expected no grid_search in {'/'.join(path)!r}, got one; write "
                    f"tune.choice({part['grid_search']!r}), which is searched"
                )
            return {key: self.read(inner, (*path, str(key))) for key, inner in part.items()}
        if isinstance(part, list):
            return [self.read(inner, (*path, str(i))) for i, inner in enumerate(part)]
        return part

    def _parameter(self, name: str, domain: Any) -> Parameter:
        sampler: Any = domain.get_sampler()
        step = None
        if isinstance(sampler, sample.Quantized):
            sampler, step = sampler.sampler, sampler.q
        if isinstance(domain, sample.Categorical):
            if any(isinstance(each, sample.Domain) for each in domain.categories):
                raise InvalidInput("expected constants in tune.choice, got a range; name it apart")
            parameter, objects = of_list(domain.categories)
            if objects is not None:
                self.objects[name] = objects
            return parameter
        log = isinstance(sampler, sample.LogUniform)
        if not isinstance(domain, sample.Float | sample.Integer) or not (
            log or isinstance(sampler, sample.Uniform)
        ):
            raise InvalidInput(
                "expected uniform, loguniform, randint, lograndint, choice or a quantised form of "
                f"these, got {type(domain).__name__.lower()} of {type(sampler).__name__.lower()}; "
                "write a range with bounds"
            )
        return self._range(name, domain, log, step)

    def _range(self, name: str, domain: Any, log: bool, step: Any) -> Parameter:
        whole = isinstance(domain, sample.Integer)
        low, high = domain.lower, domain.upper
        if whole:
            high -= step is None or step == 1  # exclusive without a step
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InvalidInput(f"expected bounds, got {low} and {high}; give both")
        if step is not None and not (whole and step == 1):
            self.steps[name], whole = step, True
            low, high = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if low == high:
            return Categorical([low])
        scale: Any = "log" if log else "linear"
        return Int(int(low), int(high), scale) if whole else Float(float(low), float(high), scale)


def _is_hole(part: Any) -> bool:
    return isinstance(part, dict) and _HOLE in part
