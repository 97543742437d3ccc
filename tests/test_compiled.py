"""SciPy's compiled routines: the very ones that its packages show."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import lapack
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from stoic import compiled

ALONE = """
import sys
import stoic
stoic.Optimizer({"x": (0.0, 1.0)}, direction="maximize").ask()
heavy = [name for name in ("linalg", "spatial", "special", "stats") if f"scipy.{name}" in sys.modules]
assert not heavy, heavy
assert "stoic.policies" not in sys.modules

import scipy.linalg, scipy.spatial, scipy.special
import numpy as np
assert scipy.linalg._flapack.dpotrf is not None
np.testing.assert_allclose(scipy.linalg.cholesky(4.0 * np.eye(3)), 2.0 * np.eye(3))
np.testing.assert_allclose(scipy.spatial.distance.cdist([[0.0]], [[2.0]], "sqeuclidean"), 4.0)
assert scipy.special.ndtr(0.0) == 0.5
assert stoic.policies.GPUCB and stoic.Assumptions and {"policies", "Assumptions"} <= set(dir(stoic))
"""  # noqa: E501


def test_packages_are_left_alone_and_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["dpotrf", "dpotri", "dpotrs", "dtrtri", "dtrtrs"])
def test_lapack(name: str) -> None:
    rng = np.random.default_rng(0)
    A = rng.random((40, 40))
    given = [A @ A.T + np.eye(40)] + ([rng.random((40, 3))] if name.endswith("trs") else [])
    for one, other in zip(
        getattr(compiled, name)(*given, lower=1),
        getattr(lapack, name)(*given, lower=1),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_ndtr() -> None:
    x = np.linspace(-40.0, 40.0, 4001)
    np.testing.assert_array_equal(compiled.ndtr(x), ndtr(x))


@pytest.mark.parametrize("alone", [True, False])
def test_squared_distances(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not alone:
        monkeypatch.setattr(compiled, "_sqeuclidean", None)
    rng = np.random.default_rng(1)
    X, Z, w = rng.random((30, 4)), rng.random((20, 8))[:, ::2], rng.random(4)
    expected = cdist(X, Z, "sqeuclidean")
    np.testing.assert_array_equal(compiled.squared_distances(X, Z), expected)
    weighted = cdist(X, Z, "sqeuclidean", w=w)
    np.testing.assert_array_equal(compiled.squared_distances(X, Z, w), weighted)


def test_what_is_not_in_its_place_comes_from_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.extension("scipy.linalg._no_such_part") is None
    monkeypatch.setattr(compiled, "extension", lambda _: None)
    (found,) = compiled._routines("scipy.linalg._flapack", "scipy.linalg.lapack", "dpotrf")
    assert found is lapack.dpotrf
