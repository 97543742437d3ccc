"""Imports go down only, and ``import stoic`` needs numpy and scipy alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import stoic

ROOT = Path(stoic.__file__).parent

# Lower layers first; what stands in one row may import within the row's own package only.
LAYERS: list[set[str]] = [
    {"errors", "files", "printable", "redaction"},
    {"checks", "forks"},
    {"loops", "numbers", "parallel", "randomness", "schema", "state", "streams"},
    {"notebook", "terminal"},
    {"diagnostics"},
    {"comparison"},
    {"kernels"},
    {"spaces"},
    {"features"},
    {"posterior"},
    {"estimators"},
    {"many_arms"},
    {"schedules"},
    {"policies"},
    {"surrogate"},
    {"optimize"},
    {"report"},
    {"runs"},
    {"lab", "study"},
    {"remote"},
    {"tune"},
    {"duels"},
    {"integrations", "server"},
    {"cli", "testing"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
PRODUCT = ("study", "remote", "tune", "duels", "integrations", "server")
FORBIDDEN = [("lab", set(PRODUCT))]
FORBIDDEN += [(product, {"lab"}) for product in PRODUCT]


def imports(path: Path) -> set[str]:
    """The subpackages of stoic that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            base = node.module or ""
            modules = [f"{base}.{a.name}" for a in node.names] if base == "stoic" else [base]
        else:
            continue
        found |= {m.split(".")[1] for m in modules if m.startswith("stoic.")}
    return found


def violations(layer: str, imported: set[str]) -> set[str]:
    above = {name for name in imported if LEVEL[name] > LEVEL[layer]}
    level = {name for name in imported if LEVEL[name] == LEVEL[layer] and name != layer}
    forbidden = set().union(*(bad for name, bad in FORBIDDEN if name == layer))
    return above | level | (imported & forbidden)


FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem in LEVEL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_layer_looks_up(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
    assert layer in LEVEL, f"{layer} has no place in the layers"
    top_level_names = {name for name in imports(path) if name in LEVEL}
    if layer == "testing":
        return  # sees everything
    assert not violations(layer, top_level_names)


def test_the_check_can_fail() -> None:
    assert violations("kernels", {"policies"}) == {"policies"}
    assert violations("lab", {"study"}) == {"study"}
    assert violations("policies", {"kernels", "policies"}) == set()


ALONE = """
import sys
from importlib.abc import MetaPathFinder

class OnlyNumpyAndScipy(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in {"numpy", "scipy", "stoic"} or top[0] == "_":
            return None
        raise ImportError(f"{name} is not to be needed")

sys.meta_path.insert(0, OnlyNumpyAndScipy())
import stoic
policy = stoic.policies.TGPUCB(stoic.Arms([0.0, 1.0]), stoic.Matern(2.5, 0.5))
policy.tell(policy.ask(), 1.0)
assert "scipy.stats" not in sys.modules, "half a second of import"
assert "matplotlib" not in sys.modules
"""


def test_import_needs_numpy_and_scipy_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


LATE = """
import sys
import stoic
stoic.Optimizer({"x": (0.0, 1.0)}, direction="maximize").ask()
assert "stoic.policies" not in sys.modules, "the optimiser needs none"
assert stoic.policies.GPUCB and stoic.Assumptions and {"policies", "Assumptions"} <= set(dir(stoic))
"""


def test_parts_are_imported_when_they_are_used() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_pickle_eval_or_assert_on_user_input() -> None:
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import pickle" not in text
        assert "eval(" not in text
