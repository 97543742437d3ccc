"""A small sweep as a program of its own, to be killed.

python tests/helpers/sweep.py FOLDER [WORKERS [HORIZON]]
"""

from __future__ import annotations

import sys
from dataclasses import replace

from stoic.lab.experiments.runner import run
from stoic.lab.experiments.spec import Experiment, PolicySpec

SWEEP = Experiment(
    "sweep",
    problems=({"kind": "rkhs-chowdhury2019", "arms": 30},),
    noises=({"kind": "student-t", "df": 3.0}, {"kind": "symmetrised-pareto", "shape": 1.5}),
    policies=(
        PolicySpec("tgp-ucb", "TGP-UCB"),
        PolicySpec("ata-gp-ucb", "ATA-GP-UCB"),
        PolicySpec("rgp-pe", "RGP-PE"),
    ),
    horizons=(150,),
    trials=3,
    checkpoints=10,
    record=("epochs",),
)

if __name__ == "__main__":
    folder, workers, horizon = (*sys.argv[1:], *["2", "150"][len(sys.argv) - 2 :])
    run(replace(SWEEP, horizons=(int(horizon),)), folder, workers=int(workers))
