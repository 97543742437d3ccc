"""The command ``stoic``."""

from __future__ import annotations

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
    app()
