"""What the experiments of calandriello2019 share: the paper, α, draws of the process."""

from __future__ import annotations

from stoic.lab.experiments.tables import Table

__all__ = ["ALPHA", "NOISE", "SAMPLES", "SOURCE", "sample"]

SOURCE = (
    "Calandriello et al., Gaussian process optimization with adaptive sketching: scalable and no "
    "regret, COLT 2019"
)
EPS = 0.5  # of the theory schedule, as in the paper's example
ALPHA = (1.0 + EPS) / (1.0 - EPS)
NOISE: Table = {"kind": "gaussian", "std": 0.1}


def sample(kernel: str, dimension: int, per_dimension: int, lengthscale: float) -> Table:
    """A draw of the process on a grid of [0, 1]^d."""
    name = "SE" if kernel == "se" else "Matérn 5/2"
    return {
        "kind": "gp-sample",
        "kernel": kernel,
        "dimension": dimension,
        "per_dimension": per_dimension,
        "lengthscale": lengthscale,
        "low": 0.0,
        "high": 1.0,
        "label": f"{name}, {dimension}-D",
    }


SAMPLES = tuple(
    sample(kernel, *shape)
    for shape in ((1, 500, 0.1), (2, 25, 0.3), (3, 9, 0.5), (5, 4, 0.8))
    for kernel in ("se", "matern")
)
