"""Optimisers to compare with. Apart from random and Sobol points they need ``install_peers.sh``.

Each keeps the defaults of its library. The libraries are imported when a peer is made, so that
this file loads without them.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from scipy.stats import qmc

from robust.problems import Array


class Peer:
    """Keeps the history; recommends the best measurement."""

    def __init__(self, d: int, seed: int, budget: int) -> None:
        self.d, self.seed, self.budget = d, seed, budget
        self.X: list[Array] = []
        self.y: list[float] = []

    def tell(self, x: Array, y: float) -> None:
        self.X.append(x)
        self.y.append(y)

    def recommend(self) -> Array:
        return self.X[int(np.argmax(self.y))]


class Random(Peer):
    """Uniform points."""

    def ask(self) -> Array:
        return np.random.default_rng([self.seed, len(self.y)]).random(self.d)


class Sobol(Peer):
    """A scrambled Sobol sequence."""

    def ask(self) -> Array:
        if not self.y:
            self._points = qmc.Sobol(self.d, seed=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the count need not be a power of two
            return self._points.random(1)[0]


class BoTorch(Peer):
    """SingleTaskGP and qLogNoisyExpectedImprovement; recommends the highest posterior mean."""

    path = "botorch.models", "SingleTaskGP"

    def __init__(self, d: int, seed: int, budget: int) -> None:
        super().__init__(d, seed, budget)
        warnings.simplefilter("ignore")
        self._torch: Any = import_module("torch")
        self._torch.set_num_threads(1)
        self._torch.manual_seed(seed)
        self._first = qmc.Sobol(d, seed=seed).random_base2(3)  # 8 points
        self._model: Any = None
        self.failures = 0

    def _how(self) -> dict[str, Any]:
        return {}

    def _fit(self) -> Any:
        if self._model is None:
            X = self._torch.tensor(np.array(self.X))
            y = self._torch.tensor(np.array(self.y))[:, None]
            folder, name = self.path
            model = getattr(import_module(folder), name)(X, y)
            mll = import_module("gpytorch.mlls").ExactMarginalLogLikelihood(model.likelihood, model)
            try:
                import_module("botorch.fit").fit_gpytorch_mll(mll, **self._how())
            except Exception:
                self.failures += 1  # goes on with the hyper-parameters it had
            self._model = model.eval()
        return self._model

    def ask(self) -> Array:
        if len(self.y) < len(self._first):
            return self._first[len(self.y)]
        model, torch = self._fit(), self._torch
        improvement = import_module("botorch.acquisition.logei").qLogNoisyExpectedImprovement
        bounds = torch.tensor([[0.0] * self.d, [1.0] * self.d], dtype=torch.double)
        point, _ = import_module("botorch.optim").optimize_acqf(
            improvement(model, torch.tensor(np.array(self.X))),
            bounds,
            q=1,
            num_restarts=8,
            raw_samples=128,
        )
        return np.clip(point[0].detach().numpy(), 0.0, 1.0)

    def tell(self, x: Array, y: float) -> None:
        super().tell(x, y)
        self._model = None

    def recommend(self) -> Array:
        mean = self._fit().posterior(self._torch.tensor(np.array(self.X))).mean
        return self.X[int(mean[:, 0].argmax())]


class BoTorchPursuit(BoTorch):
    """The same with the robust model that searches for outliers by relevance pursuit; slow."""

    path = "botorch.models.robust_relevance_pursuit_model", "RobustRelevancePursuitSingleTaskGP"


class BoTorchPursuitFast(BoTorchPursuit):
    """The same with a shorter search: forwards, over four shares of outliers."""

    def _how(self) -> dict[str, Any]:
        pursuit = import_module("botorch.models.relevance_pursuit")
        return {
            "relevance_pursuit_optimizer": pursuit.forward_relevance_pursuit,
            "fractions_of_outliers": [0.0, 0.1, 0.2, 0.3],
            "optimizer_kwargs": {"options": {"maxiter": 60}},
        }


class OptunaTPE(Peer):
    """Optuna's default sampler; its answer, as a user gets it, is the best measurement."""

    def __init__(self, d: int, seed: int, budget: int) -> None:
        super().__init__(d, seed, budget)
        warnings.simplefilter("ignore")
        self._optuna: Any = import_module("optuna")
        self._optuna.logging.set_verbosity(self._optuna.logging.ERROR)
        self._study = self._optuna.create_study(direction="maximize", sampler=self._sampler())

    def _sampler(self) -> Any:
        return self._optuna.samplers.TPESampler(seed=self.seed)

    def ask(self) -> Array:
        self._trial = self._study.ask()
        return np.array([self._trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(self.d)])

    def tell(self, x: Array, y: float) -> None:
        super().tell(x, y)
        self._study.tell(self._trial, y)

    def fail(self, x: Array, reason: str) -> None:  # noqa: ARG002
        self._study.tell(self._trial, state=self._optuna.trial.TrialState.FAIL)

    def recommend(self) -> Array:
        best = self._study.best_params
        return np.array([best[f"x{i}"] for i in range(self.d)])


class OptunaGP(OptunaTPE):
    """Optuna's Gaussian-process sampler for a noisy objective."""

    def _sampler(self) -> Any:
        import_module("torch").set_num_threads(1)
        return self._optuna.samplers.GPSampler(seed=self.seed, deterministic_objective=False)
