"""``python -m stoic`` is the command ``stoic``."""

from __future__ import annotations

from stoic.cli import main

if __name__ == "__main__":
    main()
