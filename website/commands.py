"""The reference of the commands, from the options that they declare."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from stoic.cli.app import app

__all__ = ["commands", "reference"]

_EXAMPLE = re.compile(r"^(stoic .*)$", re.MULTILINE)
_WORDS = {int: "N", float: "X", str: "TEXT", Path: "FILE"}


def commands() -> dict[str, Any]:
    """Each command by its name, subcommands with that of their group; ``stoic`` itself is first."""
    return dict(_walk("stoic", typer.main.get_command(app)))


def reference() -> str:
    """All commands as Markdown: a section each, with a table of its arguments and options."""
    return "\n".join(_section(name, command) for name, command in commands().items())


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    if command.hidden:
        return
    yield name, command
    for word, each in getattr(command, "commands", {}).items():
        yield from _walk(f"{name} {word}", each)


def _section(name: str, command: Any) -> str:
    parameters = [each for each in command.params if not getattr(each, "hidden", False)]
    arguments = [each for each in parameters if not _is_option(each)]
    usage = " ".join([name, "[OPTIONS]", *map(_in_usage, arguments)])
    if hasattr(command, "commands"):
        usage = f"{name} COMMAND"
    rows = [_row(each) for each in [*arguments, *filter(_is_option, parameters)]]
    rows.append("| `--help` | Show this message and exit. | |")
    words = _EXAMPLE.sub(r"```text\n\1\n```", inspect.cleandoc(command.help or ""))
    table = ["| | meaning | default |", "|---|---|---|", *rows]
    return "\n".join([f"## {name}", "", words, "", f"```text\n{usage}\n```", "", *table, ""])


def _is_option(parameter: Any) -> bool:
    return bool(parameter.opts[0].startswith("-"))


def _in_usage(argument: Any) -> str:
    word = argument.metavar or argument.name.upper()
    word = f"{word}…" if argument.nargs == -1 else word
    return word if argument.required else f"[{word}]"


def _row(parameter: Any) -> str:
    """A row of the table.

    >>> print(_row(commands()["stoic study list"].params[1]))
    | `--json` | Print JSON. |  |
    """
    if _is_option(parameter):
        names = [*parameter.opts, *parameter.secondary_opts]
        shown = ", ".join(_code(_with_value(name, parameter)) for name in names)
    else:
        shown = _code(_in_usage(parameter))
    return f"| {shown} | {_text(_described(parameter))} | {_default(parameter)} |"


def _with_value(name: str, option: Any) -> str:
    if option.is_flag or not name.startswith("-"):
        return name
    return f"{name} {option.metavar or _WORDS.get(_kind(option), 'VALUE')}"


def _kind(option: Any) -> Any:
    annotation = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    return next(iter(getattr(annotation, "__args__", ())), annotation)


def _described(parameter: Any) -> str:
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    limits = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
    said = [parameter.help or "", f"({', '.join(limits)})" if limits else ""]
    again = parameter.multiple and not re.search(r"again|once for each|repeatable", said[0])
    said.append("May be given again." if again else "")
    return " ".join(filter(None, said))


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if callable(default) or default is None or isinstance(default, bool) or default in ((), []):
        return ""
    return _code(str(default))


def _code(text: str) -> str:
    return f"`{_text(text)}`"


def _text(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", r"\|")
