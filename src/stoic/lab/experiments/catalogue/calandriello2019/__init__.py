"""Calandriello et al., *Gaussian process optimization with adaptive sketching*, COLT 2019."""

from __future__ import annotations

from stoic.lab.experiments.catalogue.calandriello2019 import regret, sketch, starvation

__all__ = ["REPRODUCTIONS"]

REPRODUCTIONS = (*sketch.REPRODUCTIONS, *regret.REPRODUCTIONS, *starvation.REPRODUCTIONS)
