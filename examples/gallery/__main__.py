"""Make figures and computed sentences again: all of them, or those that are named."""

from __future__ import annotations

import argparse
import os
import time
from importlib import import_module
from pkgutil import iter_modules

from examples import gallery

HELPERS = {"__main__", "page", "style"}


def names() -> list[str]:
    """Everything that can be made."""
    return sorted({module.name for module in iter_modules(gallery.__path__)} - HELPERS)


def main() -> None:
    """Make them one by one, and print how long each took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"of {', '.join(names())}; default: all")
    for name in parser.parse_args().name or names():
        module = import_module(f"examples.gallery.{name}")
        if getattr(module, "NEEDS_DATA", False) and not os.environ.get("STOIC_DATA"):
            print(f"{name}: left as it is; it needs STOIC_DATA, a folder of data")
            continue
        start = time.process_time()
        module.make()
        print(f"{name}: {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
