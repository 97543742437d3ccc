"""Hyper-parameters of a neural network, from a table of all combinations."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from stoic.checks import integer
from stoic.errors import InvalidInput
from stoic.kernels import Matern
from stoic.lab.datasets import HPOTable
from stoic.lab.datasets import hpo as load
from stoic.lab.noise import Rows
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.tables import median_distance, spread
from stoic.randomness import generator
from stoic.spaces import Arms

__all__ = ["hpo"]

_ARMS_STREAM = 151  # stream of the trial's randomness


@lru_cache(maxsize=2)
def _table(dataset: str) -> HPOTable:
    """The table, loaded once for all trials of an experiment and never changed."""
    return load(dataset)


@problems.register("hpo")
def hpo(
    *,
    seed: int = 0,
    dataset: str = "naval_propulsion",
    arms: int | None = None,
    logarithm: bool = False,
) -> Problem:
    """The hyper-parameters of the lowest mean validation loss, among up to 62,208 combinations.

    A payoff is minus the validation loss of one of four repeats, drawn at random. Training
    sometimes diverges, and losses are then larger by up to nine orders of magnitude. The noise is
    therefore heavy-tailed, and f varies over as many orders of magnitude. With ``logarithm=True``
    the payoff is −ln(loss), and f is its mean.

    The kernel is Matérn 5/2 on the unit cube of settings; its length-scale is the median distance
    between arms. A regret of 1 is the regret of the median arm.

    Parameters
    ----------
    seed
        Which arms are chosen, if not all.
    dataset
        As in :func:`stoic.lab.datasets.hpo`.
    arms
        How many combinations; None for all of them.
    logarithm
        Whether payoffs are logarithms.
    """
    table = _table(dataset)
    total = len(table.X)
    if not isinstance(logarithm, bool):
        raise InvalidInput(f"expected logarithm to be true or false, got {logarithm!r}")
    chosen = np.arange(total)
    if arms is not None:
        integer(arms, "arms", at_least=1, at_most=total)
        chosen = np.sort(generator(seed, 0, _ARMS_STREAM).choice(total, arms, replace=False))
    X, losses = table.X[chosen], table.values[chosen]
    payoffs = -(np.log(losses) if logarithm else losses)
    f = payoffs.mean(axis=1)
    return Problem(
        domain=Arms(X),
        kernel=Matern(2.5, median_distance(X)),
        f=f,
        norm_bound=float(np.abs(f).max()),
        noise=Rows(payoffs.T),
        unit=spread(f),
    )
