"""A command with ``{name}`` for parameters: checked before it runs, filled without a shell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from stoic.errors import InvalidInput
from stoic.printable import visible
from stoic.redaction import redacted_command, secrets_of
from stoic.tune.parameters import Written

__all__ = ["RESERVED", "Template"]

RESERVED = ("trial", "seed")  # also {trial} and {seed}, which every command may use
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class Template:
    """A command whose arguments hold ``{name}``; ``{{`` and ``}}`` are braces.

    Every argument stays one argument, for all values. Where a parameter does not exist under
    its condition, an argument such as ``--momentum={momentum}`` is left out, and so is the pair
    ``--momentum {momentum}``; a lone ``{momentum}`` becomes an empty argument.

    >>> from stoic.tune.parameters import of_flag
    >>> template = Template(["./bench", "-t", "{threads}"], [of_flag("threads=1:64")])
    >>> template.fill({"threads": 8})
    ['./bench', '-t', '8']
    """

    def __init__(
        self, arguments: Sequence[str], parameters: Sequence[Written], *, env: bool = False
    ) -> None:
        if not arguments or not arguments[0].strip():
            raise InvalidInput(
                "expected a command to run, got none; put it at the end: "
                "stoic tune … -- ./bench.sh {threads}"
            )
        self.arguments = tuple(arguments)
        self.parameters = {each.name: each for each in parameters}
        self._pieces = [_pieces(argument) for argument in self.arguments]
        self._names = [{name for _, name in pieces if name} for pieces in self._pieces]
        self._check(env)

    def _check(self, env: bool) -> None:
        used = set().union(*self._names)
        known = ", ".join(self.parameters)
        for name in sorted(used - set(self.parameters) - set(RESERVED)):
            raise InvalidInput(
                f"expected a parameter in {{{name}}}, got none of that name among {known}; "
                f"add -p {name}=… or write {{{{{name}}}}} for the braces themselves"
            )
        unused = [name for name in self.parameters if name not in used]
        if unused and not env:
            first = unused[0]
            raise InvalidInput(
                f"expected {{{first}}} somewhere in the command, got it nowhere; put it where the "
                f"value belongs, or add --env if the program reads {variable(first)}"
            )
        seen: dict[str, str] = {variable(name): name for name in RESERVED}
        for name in self.parameters:
            if (other := seen.setdefault(variable(name), name)) != name or name in RESERVED:
                raise InvalidInput(
                    f"expected a variable of its own for {name!r}, got {variable(name)}, "
                    f"which belongs to {other!r}; rename it"
                )

    @cached_property
    def public(self) -> Template:
        """The template without its secrets, for display."""
        return Template(redacted_command(self.arguments), tuple(self.parameters.values()), env=True)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """The secrets of the command, which no log may show."""
        found = secrets_of(self.arguments)
        return tuple(secret.replace("{{", "{").replace("}}", "}") for secret in found)

    @property
    def program(self) -> str | None:
        """The program, where it is always the same one."""
        return None if self._names[0] else "".join(text for text, _ in self._pieces[0])

    def fill(self, params: Mapping[str, Any], *, trial: int = 0, seed: int = 0) -> list[str]:
        """The arguments for one configuration."""
        texts = {"trial": str(trial), "seed": str(seed)}
        texts |= {name: self.parameters[name].text(value) for name, value in params.items()}
        filled: list[str] = []
        for i, pieces in enumerate(self._pieces):
            if self._names[i] <= set(texts):
                filled.append("".join(texts[name] if name else text for text, name in pieces))
            elif len(pieces) > 1:
                continue
            elif i > 1 and self.arguments[i - 1].startswith("-") and not self._names[i - 1]:
                filled.pop()
            else:
                filled.append("")
        return filled

    def environment(
        self, params: Mapping[str, Any], *, trial: int = 0, seed: int = 0
    ) -> dict[str, str]:
        """The same values as environment variables."""
        variables = {"STOIC_TRIAL": str(trial), "STOIC_SEED": str(seed)}
        return variables | {variable(k): self.parameters[k].text(v) for k, v in params.items()}


def variable(name: str) -> str:
    """The environment variable of a parameter.

    >>> variable("cache.size-mb")
    'STOIC_CACHE_SIZE_MB'
    """
    return "STOIC_" + re.sub(r"[^A-Z0-9]", "_", name.upper())


def _pieces(argument: str) -> list[tuple[str, str | None]]:
    """An argument as pairs of literal text and a parameter's name, None after the last text."""
    pieces: list[tuple[str, str | None]] = []
    literal, end = "", 0
    for found in _PIECE.finditer(argument):
        literal += argument[end : found.start()]
        end = found.end()
        if found.group() in ("{{", "}}"):
            literal += found.group()[0]
        elif found.group(1):
            pieces += [(literal, None)] if literal else []
            pieces.append(("", found.group(1)))
            literal = ""
        else:
            raise InvalidInput(
                f"expected {{name}} in '{visible(argument)}', got a brace alone; "
                "write {{ and }} for braces themselves"
            )
    literal += argument[end:]
    return [*pieces, (literal, None)] if literal or not pieces else pieces
