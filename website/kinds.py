"""Tables of the kinds of problems, noises and attacks, from the registries of the lab."""

from __future__ import annotations

from stoic.lab.attacks import attacks
from stoic.lab.noise import noises
from stoic.lab.problems import problems

__all__ = ["tables"]


def tables() -> str:
    """A table for each registry: kind, parameters, what it is.

    >>> "| `student-t` | `df`" in tables()
    True
    """
    parts = []
    for registry in (problems, noises, attacks):
        rows = [f"### Kinds of {registry.what}", "", "| kind | parameters | |", "|---|---|---|"]
        for kind in registry.kinds():
            given = ", ".join(f"`{each}`" for each in registry.parameters(kind))
            what = (registry.maker(kind).__doc__ or "").strip().partition("\n")[0]
            rows.append(f"| `{kind}` | {given} | {what} |".replace("|y", r"\|y"))
        parts.append("\n".join(rows))
    return "\n\n".join(parts)
