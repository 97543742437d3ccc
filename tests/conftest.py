"""Shared by all tests."""

import os

# One thread: BLAS on two cores is slower for matrices of this size.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
