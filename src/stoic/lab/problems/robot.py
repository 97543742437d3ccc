"""Robot3D: the start point and duration of a push that brings a disc to rest at a goal.

Bogunovic, Li, Krause, Scarlett, NeurIPS 2022 ("bogunovic2022"), §4, after Wang, Jegelka,
*Max-value entropy search for efficient Bayesian optimization*, ICML 2017.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stoic.checks import Array, choice, integer
from stoic.kernels import SquaredExponential
from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.robot_simulation import push
from stoic.spaces import Arms

__all__ = ["robot3d"]

_GOAL = np.array([3.0, 2.0])  # r_g
_ARMS = 100
_TABLE = Path(__file__).with_name("robot3d.npz")  # results of push() for seeds 0 to 9


@problems.register("robot3d")
def robot3d(*, seed: int, source: str = "table", pushes: int | None = None) -> Problem:
    """Robot3D(r_x, r_y, t_r) = 5 − ‖push(r_x, r_y, t_r) − r_g‖ at 100 points, r_g = (3, 2).

    The hand starts at (r_x, r_y) ~ U[−5, 5]² and pushes for a time t_r ~ U[1, 30]. The kernel is
    SE with l = 2, B = max|f|, and R_target is r_x ≥ 0. In the table no trial's optimum is inside
    R_target: to push a disc to the right, the hand stands on its left.

    Parameters
    ----------
    seed
        The trial's number.
    source
        ``"table"``: ten sets of points, simulated in advance; trial s uses set s mod 10.
        ``"simulation"``: new points for each trial, by Box2D, the extra ``robot``. The first ten
        trials equal those of the table, bit for bit with Box2D 2.3.10.
    pushes
        With it, all trials share the set of points of that number, as in the paper, which has
        one set; without it, each trial has its own.

    >>> problem = robot3d(seed=0)
    >>> len(problem.domain), round(problem.optimum, 2)
    (100, 3.88)
    """
    integer(seed, "seed", at_least=0)
    number = seed if pushes is None else integer(pushes, "pushes", at_least=0)
    if choice(source, "source", ("table", "simulation")) == "simulation":
        X = _scatter(number)
        rest = push(X)
    else:
        with np.load(_TABLE) as table:
            row = number % len(table["points"])
            X, rest = table["points"][row], table["rest"][row].astype(np.float64)
    f = 5.0 - np.linalg.norm(rest - _GOAL, axis=1)
    return Problem(
        Arms(X),
        SquaredExponential(2.0),
        f,
        norm_bound=float(np.abs(f).max()),
        target=X[:, 0] >= 0.0,
    )


def _scatter(number: int) -> Array:
    """The arms (r_x, r_y, t_r) of a set."""
    rng = np.random.default_rng(number)
    return np.column_stack([rng.uniform(-5.0, 5.0, (_ARMS, 2)), rng.uniform(1.0, 30.0, _ARMS)])
