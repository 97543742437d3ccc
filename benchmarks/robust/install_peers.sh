#!/bin/sh
# Make .venv-peers with the optimisers to compare with: 1.3 GB, more where torch brings CUDA.
set -eu
cd "$(dirname "$0")/../.."
${PYTHON:-python3} -m venv .venv-peers
.venv-peers/bin/python -m pip install --quiet torch==2.13.0
.venv-peers/bin/python -m pip install --quiet botorch optuna rich
echo "now: .venv-peers/bin/python benchmarks/robust/run.py --method tpe --out peers.jsonl"
