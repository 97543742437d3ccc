"""Tune under outliers: one value in ten is far too good, and is not the answer."""

from __future__ import annotations

import random

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """A bowl, whose lowest point is at x = 2, y = -1; noisy, with outliers."""
    x = trial.suggest_float("x", -5, 5)
    y = trial.suggest_float("y", -5, 5)
    outlier = -100 if random.random() < 0.1 else 0
    return (x - 2) ** 2 + (y + 1) ** 2 + random.gauss(0, 0.5) + outlier


module = optunahub.load_module(package="samplers/stoic")

random.seed(0)
study = optuna.create_study(sampler=module.StoicSampler(seed=0))
study.optimize(objective, n_trials=40)

print("The luckiest trial:", study.best_params)
print(module.recommend(study))
