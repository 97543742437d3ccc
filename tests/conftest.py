"""Shared by all tests."""

import os
import signal

from hypothesis import settings

# One thread: BLAS on two cores is slower for matrices of this size.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Whoever is started in the background ignores Ctrl-C, and so would all that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every change meets the same examples, so that a test fails because of the change; a soak draws
# new ones each time.
settings.register_profile("test", derandomize=True, database=None, deadline=None)
settings.register_profile("soak", deadline=None, print_blob=True)
settings.load_profile("soak" if os.environ.get("STOIC_SOAK") else "test")
