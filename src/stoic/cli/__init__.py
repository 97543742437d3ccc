"""The command ``stoic``."""

from __future__ import annotations

import io
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; what is refused is said in a line, not in a traceback."""
    try:
        from stoic.cli.app import app
    except ImportError as missing:
        package = missing.name or "typer"
        print(
            f"expected package {package} for the command line, got none; pip install 'stoic[cli]'",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # a sign it can't show must not end hours of work
    app()
