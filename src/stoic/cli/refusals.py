"""What is refused is said in a line, not in a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from stoic.cli.terminal import Console, refuse
from stoic.errors import StoicError

__all__ = ["plainly"]


@contextmanager
def plainly() -> Iterator[None]:
    """Say what was refused, and stop."""
    try:
        yield
    except StoicError as refused:
        refuse(refused)
        raise typer.Exit(2) from None
    except BrokenPipeError:
        raise  # who read us has read enough: the command ends with exit code 1, without a word
    except OSError as trouble:
        refuse(_words(trouble))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped; what is finished is kept: run it again to go on")
        raise typer.Exit(130) from None


def _words(trouble: OSError) -> str:
    if isinstance(trouble, FileNotFoundError) and isinstance(trouble.filename, str):
        folder = Path(trouble.filename).absolute().parent
        if not folder.is_dir():
            return f"expected a folder to write to, got {folder}, which is not there; make it"
    return f"expected room and permission for results, got {trouble}"
