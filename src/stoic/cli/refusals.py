"""What is refused is said in a line, not in a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.text import Text

from stoic.errors import StoicError

__all__ = ["plainly"]


@contextmanager
def plainly() -> Iterator[None]:
    """Say what was refused, and stop."""
    try:
        yield
    except StoicError as refused:
        Console(stderr=True).print(Text(f"stoic: {refused}", style="red"), soft_wrap=True)
        raise typer.Exit(2) from None
    except OSError as trouble:
        Console(stderr=True).print(
            Text(f"stoic: expected room and permission for results, got {trouble}", style="red")
        )
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped; what is finished is kept: run it again to go on")
        raise typer.Exit(130) from None
