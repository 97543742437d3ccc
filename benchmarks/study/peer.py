"""Optuna in the part of `client.py`, run by a Python that has it.

python peer.py make PATH      prints the version
python peer.py crowd PATH TRIALS
"""

from __future__ import annotations

import sys
import time

import optuna  # type: ignore[import-not-found,unused-ignore]

optuna.logging.set_verbosity(optuna.logging.ERROR)
path = sys.argv[2]
storage = optuna.storages.RDBStorage(
    f"sqlite:///{path}", engine_kwargs={"connect_args": {"timeout": 60.0}}
)
if sys.argv[1] == "make":
    optuna.create_study(storage=storage, study_name="study")
    print(optuna.__version__)
    raise SystemExit

study = optuna.load_study(
    study_name="study", storage=storage, sampler=optuna.samplers.RandomSampler()
)
space = {
    "x": optuna.distributions.FloatDistribution(0.0, 1.0),
    "rate": optuna.distributions.FloatDistribution(1e-4, 1.0, log=True),
    "gc": optuna.distributions.CategoricalDistribution(["g1", "zgc", "none"]),
}
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[3])):
    trial = study.ask(space)
    study.tell(trial, float(trial.number))
    print("told", trial.number, flush=True)
print("done", time.monotonic())
