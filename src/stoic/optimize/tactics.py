"""How the optimiser goes about its search."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tactics"]


@dataclass(frozen=True)
class Tactics:
    """How the next measurement is sought; chosen once, on many problems, for everybody.

    ``doubt`` is the say of the wary surrogate, whose length-scales are ``shorter`` and whose
    amplitude is ``taller``, until more than ``patience`` nats of evidence speak against it;
    ``heed`` is the least say of a second story. ``care`` is what a configuration costs that is
    one spread below the best: little, and only where there is nothing left to learn does it
    decide. ``suspicion`` is the chance that a measurement that stands alone was a lie, of which
    the most consequential, ``audited``, may be measured again. ``spread`` and ``near`` count
    candidates, ``best`` the evaluated points among them, ``climbs`` local searches, ``kept``
    candidates kept by each ranking; ``quantiles`` discretise the coming measurement.
    """

    doubt: float = 0.2
    patience: float = 18.0
    care: float = 0.001
    heed: float = 0.2
    suspicion: float = 0.05
    audited: int = 5
    shorter: float = 0.35
    taller: float = 2.0
    spread: int = 300
    near: int = 25
    best: int = 10
    climbs: int = 4
    kept: int = 8
    quantiles: int = 15
