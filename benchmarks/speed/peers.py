"""Rounds of GP-UCB near t by other libraries; run with the peers' own Python.

Reads {"arms", "played", "payoffs", "widths", "lengthscale", "lam", "rounds"} as JSON from
standard input, all of it fixed, and writes for each library the seconds of each round (fit to
the t payoffs so far, mean and std of all arms, the best bound) and the arms it chose.
"""

from __future__ import annotations

import os

# before numpy is imported
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

Job = dict[str, Any]
Round = Callable[[Any, Any, float], int]  # points and payoffs so far, width → choice


def botorch(job: Job, *, exact: bool) -> Round:
    """SingleTaskGP with everything fixed; ``set_train_data``, then the posterior at all arms.

    Left to itself, GPyTorch solves iteratively beyond 800 payoffs; ``exact`` asks for Cholesky.
    """
    torch, gpytorch = import_module("torch"), import_module("gpytorch")
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)
    arms = torch.tensor(job["arms"])
    kernel = gpytorch.kernels.RBFKernel()
    kernel.lengthscale = job["lengthscale"]
    model = import_module("botorch.models").SingleTaskGP(
        arms[:2],
        torch.zeros(2, 1),
        covar_module=kernel,
        mean_module=gpytorch.means.ZeroMean(),
        likelihood=gpytorch.likelihoods.GaussianLikelihood(),
        outcome_transform=None,
    )
    model.likelihood.noise = job["lam"]
    model.eval()
    size = gpytorch.settings.max_cholesky_size(10**6 if exact else 800)

    def choose(X: Any, y: Any, width: float) -> int:
        with torch.no_grad(), size:
            model.set_train_data(torch.from_numpy(X), torch.from_numpy(y), strict=False)
            posterior = model.posterior(arms)
            bound = posterior.mean[:, 0] + width * posterior.variance[:, 0].sqrt()
            return int(bound.argmax())

    return choose


def scikit_learn(job: Job) -> Round:
    """GaussianProcessRegressor(optimizer=None)."""
    process = import_module("sklearn.gaussian_process")
    kernel = process.kernels.RBF(job["lengthscale"])
    model = process.GaussianProcessRegressor(kernel, alpha=job["lam"], optimizer=None)
    arms = np.array(job["arms"])

    def choose(X: Any, y: Any, width: float) -> int:
        mean, std = model.fit(X, y).predict(arms, return_std=True)
        return int(np.argmax(mean + width * std))

    return choose


PEERS: dict[str, tuple[str, Callable[[Job], Round]]] = {
    "BoTorch": ("botorch", lambda job: botorch(job, exact=False)),
    "BoTorch, Cholesky": ("botorch", lambda job: botorch(job, exact=True)),
    "scikit-learn": ("scikit-learn", scikit_learn),
}


def run(choose: Round, job: Job) -> dict[str, Any]:
    """The last rounds of the job, after one that is not timed."""
    arms, y = np.array(job["arms"]), np.array(job["payoffs"])
    X = arms[np.array(job["played"])]
    first = len(X) - job["rounds"]
    choose(X[:first], y[:first], job["widths"][0])
    seconds, choices = [], []
    for t, width in zip(range(first, len(X)), job["widths"], strict=True):
        start = time.process_time()
        choices.append(choose(X[:t], y[:t], width))
        seconds.append(time.process_time() - start)
    return {"seconds": seconds, "choices": choices}


def main() -> None:
    warnings.simplefilter("ignore")
    job = json.load(sys.stdin)
    found: dict[str, Any] = {}
    for name, (package, make) in PEERS.items():
        try:
            found[name] = {"version": version(package), **run(make(job), job)}
        except ImportError as missing:
            found[name] = {"missing": str(missing)}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
