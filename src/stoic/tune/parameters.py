"""Read parameters from the command line or from a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stoic.checks import describe
from stoic.errors import InvalidInput
from stoic.numbers import MINUS_SIGNS, parse
from stoic.printable import visible
from stoic.spaces import Categorical, Float, Grid, Int, Parameter

__all__ = ["Written", "of_flag", "of_table"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_FORMS = "low:high, low:high:log, low:high:step=2 or first,second,…"
_THOUSANDS = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})*:[0-9]{1,3}(?:,[0-9]{3})*(?::log)?(?::step=[0-9,]+)?"
)
_MAX_DIGITS = 30  # of an integer

Value = str | int | float | bool


@dataclass(frozen=True)
class Written:
    """A named parameter, and how each of its listed values was written."""

    name: str
    parameter: Parameter
    texts: Mapping[Value, str] = field(default_factory=dict)

    def text(self, value: Any) -> str:
        """A value as the program gets it.

        >>> of_flag("rate=0.10,0.20").text(0.1)
        '0.10'
        """
        if not isinstance(value, bool) and value in self.texts:
            return self.texts[value]
        return str(value).lower() if isinstance(value, bool) else str(value)


def of_flag(flag: str) -> Written:
    """The parameter that ``-p NAME=…`` means.

    >>> of_flag("threads=1:64").parameter, of_flag("rate=1e-4:0.1:log").parameter
    (Int(1, 64), Float(0.0001, 0.1, 'log'))
    >>> of_flag("threads=2:64:step=2").parameter, of_flag("share=0:1:step=0.1").parameter
    (Int(2, 64, step=2), Float(0.0, 1.0, step=0.1))
    >>> of_flag("gc=g1,zgc").parameter, of_flag("batch=1,8,64").parameter
    (Categorical(['g1', 'zgc']), Grid([1, 8, 64]))
    """
    name, equals, form = flag.partition("=")
    if not equals:
        raise InvalidInput(f"expected -p NAME={_FORMS}, got '{visible(flag)}'; name the parameter")
    return _of_text(_checked(name.strip()), form.strip())


def of_table(name: str, entry: object) -> Written:
    """The parameter that a line of a TOML file means.

    A string is read like a flag, a list holds choices, and a table has ``low``, ``high`` and
    maybe ``scale`` and ``step``, or ``choices``, or ``values`` (in a meaningful order), and maybe
    ``when``.

    >>> of_table("threads", "1:64").parameter
    Int(1, 64)
    >>> of_table("region", {"low": 1, "high": 32, "when": {"gc": "g1"}}).parameter
    Int(1, 32, when={'gc': 'g1'})
    """
    _checked(name)
    if isinstance(entry, str):
        return _of_text(name, entry)
    try:
        if isinstance(entry, list):
            return Written(name, _listed(entry, None))
        if isinstance(entry, dict):
            return Written(name, _of_fields(dict(entry)))
    except (InvalidInput, TypeError) as error:
        raise InvalidInput(f"in parameter {name!r}: {error}") from error
    raise InvalidInput(
        f"expected parameter {name!r} as text ({_FORMS}), a list or a table, got {describe(entry)}"
    )


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"expected a name of letters, digits, '_', '-' and '.', got {name!r}; rename it"
        )
    return name


def _of_text(name: str, form: str) -> Written:
    try:
        if "," in form and _THOUSANDS.fullmatch(form):
            raise InvalidInput(
                f"expected {_FORMS}, got '{visible(form)}'; write numbers without commas"
            )
        if "," in form:
            words = [word.strip() for word in form.split(",")]
            values = [_value(word) for word in words]
            texts = {
                value: word if isinstance(value, str) else _with_hyphen_minus(word)
                for value, word in zip(values, words, strict=True)
            }
            return Written(name, _listed(values, None), texts)
        return Written(name, _range(form))
    except InvalidInput as error:
        raise InvalidInput(f"in parameter {name!r}: {error}") from error


def _with_hyphen_minus(word: str) -> str:
    """A number with the minus sign of ASCII, the only one that most programs read."""
    return "-" + word[1:] if word[0] in MINUS_SIGNS else word


def _range(form: str) -> Parameter:
    low, *rest = (part.strip() for part in form.split(":"))
    step = rest.pop().removeprefix("step=").strip() if rest[1:] and _is_step(rest[-1]) else None
    if len(rest) not in (1, 2) or (len(rest) == 2 and rest[1] != "log"):
        hint = "; write a constant into the command itself" if not rest else ""
        raise InvalidInput(f"expected {_FORMS}, got '{visible(form)}'{hint}")
    bounds = [_value(low), _value(rest[0]), *([] if step is None else [_value(step)])]
    for bound in bounds:
        if isinstance(bound, str):
            raise InvalidInput(
                f"expected numbers in '{visible(form)}', got {bound!r}; or list: a,b,c"
            )
    scale = "log" if len(rest) == 2 else "linear"
    return _between(bounds[0], bounds[1], scale, bounds[2] if bounds[2:] else None, None)


def _is_step(part: str) -> bool:
    return part.startswith("step=")


def _value(word: str) -> int | float | str:
    """A number where the word is one, else the word; ``nan`` and ``inf`` are words."""
    found = parse(word)
    if found is None or not any(map(str.isdigit, word)):
        return word
    if len(word) > _MAX_DIGITS and word.lstrip("+" + MINUS_SIGNS).isdigit():
        raise InvalidInput(f"expected an integer of at most {_MAX_DIGITS} digits, got {len(word)}")
    return found


def _between(low: Any, high: Any, scale: Any, step: Any, when: Any) -> Parameter:
    whole = all(isinstance(number, int) for number in (low, high, 1 if step is None else step))
    kind = Int if whole else Float
    return kind(low, high, scale, step=step, when=when)


def _listed(values: list[Any], when: Any) -> Parameter:
    """Numbers in order make a grid, which has neighbours; other choices have no order."""
    if any(value == "" for value in values):
        raise InvalidInput(f"expected no empty choice, got one in {values}; drop the comma")
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if numbers and len(values) > 2 and values in (sorted(values), sorted(values, reverse=True)):
        return Grid(values, when=when)
    return Categorical(values, when=when)


def _of_fields(entry: dict[str, Any]) -> Parameter:
    when = entry.pop("when", None)
    keys = set(entry)
    if {"low", "high"} <= keys <= {"low", "high", "scale", "step"}:
        scale, step = entry.get("scale", "linear"), entry.get("step")
        return _between(entry["low"], entry["high"], scale, step, when)
    if keys == {"choices"}:
        return Categorical(entry["choices"], when=when)
    if keys == {"values"}:
        return Grid(entry["values"], when=when)
    raise InvalidInput(
        "expected low and high (and scale, step), choices, or values, "
        f"got {', '.join(sorted(keys))}"
    )
