"""Compile all loops once, before several processes would do it at the same time.

Half a minute where nothing is compiled yet; Numba keeps the code beside the source.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.hostile import examples

if __name__ == "__main__":
    print(f"{len(list(examples()))} policies played with compiled loops")
