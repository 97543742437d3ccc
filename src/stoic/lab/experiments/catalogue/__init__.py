"""The catalogue of named experiments, by paper."""

from __future__ import annotations

from stoic.errors import UnknownName
from stoic.lab.experiments.catalogue import (
    bogunovic2022,
    calandriello2019,
    chowdhury2019,
    park2024,
    real,
)
from stoic.lab.experiments.catalogue.base import CheckedClaim, Claim, Reproduction, Verdict

__all__ = ["CATALOGUE", "CheckedClaim", "Claim", "Reproduction", "Verdict", "find"]

CATALOGUE: dict[str, Reproduction] = {
    entry.name: entry
    for module in (chowdhury2019, park2024, bogunovic2022, calandriello2019, real)
    for entry in module.REPRODUCTIONS
}


def find(name: str) -> Reproduction:
    """The reproduction of a name such as ``"chowdhury2019/fig1a"``."""
    if name not in CATALOGUE:
        raise UnknownName(
            f"expected an experiment among {', '.join(CATALOGUE)}, got {name!r}; "
            "`stoic reproduce` lists them"
        )
    return CATALOGUE[name]
