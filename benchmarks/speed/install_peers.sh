#!/bin/sh
# Make .venv-peers with BoTorch and scikit-learn: 1.3 GB, more where torch brings CUDA.
set -eu
cd "$(dirname "$0")/../.."
${PYTHON:-python3} -m venv .venv-peers
.venv-peers/bin/python -m pip install --quiet torch==2.13.0
.venv-peers/bin/python -m pip install --quiet botorch scikit-learn
echo "now: .venv/bin/python benchmarks/speed/run.py"
