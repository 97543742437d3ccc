"""Errors of commands: one line on standard error and an exit code, no traceback."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
import typer.core

from stoic.errors import StoicError
from stoic.printable import visible
from stoic.redaction import redacted
from stoic.terminal import Console, Text, refuse

__all__ = ["Commands", "plainly"]

_UsageError: Any = typer.BadParameter.__base__  # click's class, which typer may bundle


@contextmanager
def plainly() -> Iterator[None]:
    """Print an error as one line, and exit; a server that is waited for is a line as well."""
    waiting = logging.getLogger("stoic.remote")
    handler = _Lines(logging.WARNING)
    waiting.addHandler(handler)
    try:
        yield
    except StoicError as refused:
        refuse(f"{refused} [{refused.code}]")  # the section of the reference
        raise typer.Exit(2) from None
    except BrokenPipeError:
        raise  # the reader closed the pipe: exit code 1, without a message
    except OSError as trouble:
        refuse(_words(trouble))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped; what is finished is kept: run it again to go on")
        raise typer.Exit(130) from None
    finally:
        waiting.removeHandler(handler)


class _Lines(logging.Handler):
    """Prints warnings on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        words = Text(f"stoic: {redacted(record.getMessage())}", style="yellow")
        Console(stderr=True).print(words, soft_wrap=True)


def _words(trouble: OSError) -> str:
    if isinstance(trouble, FileNotFoundError) and isinstance(trouble.filename, str):
        folder = Path(trouble.filename).absolute().parent
        if not folder.is_dir():
            return f"expected a folder to write to, got {folder}, which is not there; make it"
    return f"expected room and permission for results, got {trouble}"


class Commands(typer.core.TyperGroup):
    """Commands whose usage errors, which quote arguments, are filtered like all other text."""

    def make_context(self, *words: Any, **extra: Any) -> Any:
        with _filtered():
            return super().make_context(*words, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _filtered():
            return super().invoke(ctx)


@contextmanager
def _filtered() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        error.message = visible(redacted(error.message))
        raise
