"""What the optimiser suggests and answers on histories that are made without its help."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

import stoic

__all__ = ["COUNT", "SPACES", "compare", "record", "run", "same_numbers", "space_of"]

COUNT = 60  # histories
TOLERANCE = 1e-9  # of numbers, relative
Params = dict[str, Any]

# The kind of each parameter, what it is made of, and the choice that it hangs on.
Spec = tuple[str, Any, dict[str, str] | None]
SPACES: dict[str, dict[str, Spec]] = {
    "line": {"x": ("float", (-3.0, 7.0), None)},
    "log": {"rate": ("log", (1e-6, 1.0), None), "width": ("log int", (1, 4096), None)},
    "mixed": {
        "threads": ("int", (1, 64), None),
        "cache": ("log", (16.0, 4096.0), None),
        "gc": ("choice", ["g1", "zgc", "parallel"], None),
        "block": ("grid", [1, 2, 4, 8, 16], None),
    },
    "conditional": {
        "opt": ("choice", ["adam", "sgd"], None),
        "momentum": ("float", (0.0, 0.99), {"opt": "sgd"}),
        "beta": ("float", (0.8, 0.999), {"opt": "adam"}),
        "depth": ("int", (1, 8), None),
    },
    "eight": {f"x{i}": ("float", (0.0, 1.0), None) for i in range(8)},
    "finite": {
        "a": ("int", (0, 11), None),
        "b": ("grid", [0.1, 1.0, 10.0], None),
        "c": ("choice", ["u", "v"], None),
    },
    "choices": {f"flag{i}": ("choice", ["off", "on", "auto"][: 2 + i % 2], None) for i in range(5)},
}
KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "float": lambda made_of, when: stoic.Float(*made_of, when=when),
    "log": lambda made_of, when: stoic.Float(made_of[0], made_of[1], "log", when=when),
    "int": lambda made_of, when: stoic.Int(*made_of, when=when),
    "log int": lambda made_of, when: stoic.Int(made_of[0], made_of[1], "log", when=when),
    "choice": lambda made_of, when: stoic.Categorical(made_of, when=when),
    "grid": lambda made_of, when: stoic.Grid(made_of, when=when),
}


def space_of(name: str) -> dict[str, Any]:
    """The parameters of a space by its name."""
    return {key: KINDS[kind](of, when) for key, (kind, of, when) in SPACES[name].items()}


def _draw(rng: np.random.Generator, name: str) -> Params:
    """A configuration, uniform on the scale of each parameter."""
    params: Params = {}
    for key, (kind, of, when) in SPACES[name].items():
        if when is not None and any(params[other] != value for other, value in when.items()):
            continue
        if kind in ("choice", "grid"):
            params[key] = of[int(rng.integers(len(of)))]
            continue
        low, high = of
        u = float(rng.random())
        value = low * (high / low) ** u if "log" in kind else low + (high - low) * u
        params[key] = round(value) if "int" in kind else min(max(value, low), high)
    return params


def _truth(params: Params) -> float:
    """A smooth function of the numbers plus an effect of each choice."""
    total = 0.0
    for i, (name, value) in enumerate(sorted(params.items())):
        if isinstance(value, str):
            total += 0.3 * (sum(map(ord, name + value)) % 5)
        else:
            u = math.log10(abs(value) + 1e-3) if name in ("rate", "width", "cache") else value / 5.0
            total += math.sin(1.7 * u + i) - 0.1 * u * u
    return total


def _plan(number: int) -> dict[str, Any]:
    """What history ``number`` is like."""
    names = list(SPACES)
    return {
        "space": names[number % len(names)],
        "direction": ("maximize", "minimize")[number // 7 % 2],
        "size": (10, 18, 25, 40, 80)[number % 5],
        "noise": (0.0, 0.1, 1.0)[number % 3],
        "outliers": (0.0, 0.1, 0.25)[number // 2 % 3],
        "failures": (0.0, 0.0, 0.15)[number // 3 % 3],
        "replicates": number % 4 == 1,
        "scale": (1.0, 1e6, 1e-9, 1.0)[number % 4],
        "offset": (0.0, 1e3, 0.0)[number // 5 % 3],
        "long": number % 15 == 5,  # on a finite space: more than a policy takes over at
    }


def history(number: int) -> tuple[dict[str, Any], list[tuple[Params, float | None, str | None]]]:
    """The plan of a history, and its outcomes."""
    plan = _plan(number)
    rng = np.random.default_rng([17, number])
    if plan["long"]:
        plan |= {"space": ("finite", "choices")[number // 15 % 2], "size": 330, "noise": 1.0}
    outcomes: list[tuple[Params, float | None, str | None]] = []
    for _ in range(plan["size"]):
        again = plan["replicates"] and outcomes and rng.random() < 0.4
        params = (
            outcomes[int(rng.integers(len(outcomes)))][0] if again else _draw(rng, plan["space"])
        )
        value = _truth(params) + plan["noise"] * float(rng.standard_t(3))
        if rng.random() < plan["outliers"]:
            value += float(rng.choice([-1.0, 1.0])) * 10.0 ** float(rng.uniform(1.0, 9.0))
        if rng.random() < plan["failures"] and len(outcomes) > 2:
            outcomes.append((params, None, "exit code 3"))
        else:
            outcomes.append((params, plan["scale"] * (value + plan["offset"]), None))
    return plan, outcomes


def record(number: int) -> list[dict[str, Any]]:
    """What is asked and answered at three times of history ``number``, and in five more rounds."""
    plan, outcomes = history(number)
    space = space_of(plan["space"])
    optimizer = stoic.Optimizer(space, direction=plan["direction"], seed=number)
    found: list[dict[str, Any]] = []
    told = 0
    for share in (0.4, 0.7, 1.0):
        stop = round(share * len(outcomes))
        for params, value, reason in outcomes[told:stop]:
            if value is None:
                optimizer.fail(params, reason or "")
            else:
                optimizer.tell(params, value)
        told = stop
        found.append(_answers(optimizer, full=share == 1.0))
    for _ in range(5):
        params = optimizer.ask()
        optimizer.tell(params, plan["scale"] * (_truth(params) + plan["offset"]))
        found.append({"asked": params})
    return found


def run(number: int) -> dict[str, Any]:
    """The result of a whole run of 30 evaluations, with failures and outliers."""
    name = list(SPACES)[number]
    calls = iter(range(1000))

    def measured(params: Params) -> float:
        call = next(calls)
        if call % 9 == 7:
            raise ValueError("no value this time")
        return _truth(params) + (1e7 if call % 11 == 4 else 0.0)

    fn = (stoic.maximize, stoic.minimize)[number % 2]
    result = fn(measured, space_of(name), 30, seed=number)
    found: dict[str, Any] = json.loads(json.dumps(result.to_dict()))
    found["text"] = str(result)
    return found


def _answers(optimizer: Any, *, full: bool) -> dict[str, Any]:
    answer = optimizer.recommend()
    asked = optimizer.ask()
    found: dict[str, Any] = {
        "ask": asked,
        "params": answer.params,
        "value": answer.value,
        "interval": list(answer.interval),
        "measured": answer.measured,
        "suspects": [asdict(suspect) for suspect in optimizer.suspects()],
    }
    if full:
        lucky = optimizer.luckiest
        found["luckiest"] = {"trial": lucky.trial.number, "why": lucky.why}
        found["batch"] = optimizer.ask(4)
        found["pending"] = optimizer.ask(pending=[asked])
    return found


# -- comparison ---------------------------------------------------------------------------------

_NUMBER = re.compile(r"[-−+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")


def numbers(text: str) -> list[str]:
    """All numbers of a text."""
    return _NUMBER.findall(text)


def same_numbers(old: str, new: str) -> bool:
    """Whether two texts give the same numbers, up to rounding."""
    before, after = numbers(old), numbers(new)
    if len(before) != len(after):
        return False
    return all(a == b or _near(a, b) for a, b in zip(before, after, strict=True))


def _near(old: str, new: str) -> bool:
    try:
        return math.isclose(float(old), float(new), rel_tol=1e-7, abs_tol=1e-9)
    except ValueError:  # 1.2.3
        return False


def compare(old: Any, new: Any, where: str = "") -> tuple[list[str], list[str]]:
    """What differs in numbers, categories or shape, and what in words alone."""
    wrong: list[str] = []
    words: list[str] = []
    if isinstance(old, dict) and isinstance(new, dict):
        if old.keys() != new.keys():
            wrong.append(f"{where}: keys {sorted(old)} became {sorted(new)}")
        pairs = [(f"{where}.{key}", old[key], new[key]) for key in old if key in new]
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            wrong.append(f"{where}: {len(old)} entries became {len(new)}")
        pairs = [(f"{where}[{i}]", *both) for i, both in enumerate(zip(old, new, strict=False))]
    else:
        return _leaves(old, new, where)
    for each in pairs:
        more, other = compare(each[1], each[2], each[0])
        wrong += more
        words += other
    return wrong, words


def _leaves(old: Any, new: Any, where: str) -> tuple[list[str], list[str]]:
    said = f"{where}: {old!r} became {new!r}"
    if isinstance(old, float) and isinstance(new, float):
        near = old == new or math.isclose(old, new, rel_tol=TOLERANCE) or old != old != new
        return ([] if near else [said]), []
    if type(old) is not type(new):
        return [said], []
    if isinstance(old, str) and old != new:
        prose = " " in old and same_numbers(old, new)
        return ([], [said]) if prose else ([said], [])
    return ([] if old == new else [said]), []
