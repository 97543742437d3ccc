"""The package for OptunaHub has the files and fields that the registry asks for, and loads.

The rules are those of optuna/optunahub-registry: its template, its check of the headers and its
guide for contributors. The package is loaded as `optunahub.load_local_module` does.
"""

from __future__ import annotations

import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("optuna")

import optuna

from stoic.integrations.optuna import StoicSampler, recommend

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "integrations" / "optunahub" / "package" / "samplers" / "stoic"

if not PACKAGE.is_dir():
    pytest.skip("a source distribution does not have it", allow_module_level=True)

README = (PACKAGE / "README.md").read_text(encoding="utf-8")
FIELDS = ("author", "title", "description", "tags", "optuna_versions", "license")

LOAD = f"""
import importlib.util, sys
name = "optunahub_registry.package.samplers.stoic"
spec = importlib.util.spec_from_file_location(name, {str(PACKAGE / "__init__.py")!r})
module = importlib.util.module_from_spec(spec)
"""


def header() -> dict[str, str]:
    """The front matter; one line for each field."""
    _, matter, _ = README.split("---\n", maxsplit=2)
    pairs = (line.partition(": ") for line in matter.splitlines())
    return {key: value.strip() for key, _, value in pairs}


def listed(text: str) -> list[str]:
    assert text[0] == "[", "the registry wants a list"
    assert text[-1] == "]"
    return [item.strip() for item in text[1:-1].split(",")]


def test_files() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_file()} == {
        "LICENSE",
        "README.md",
        "__init__.py",
        "example.py",
    }
    assert re.fullmatch("[a-z][a-z0-9_]*", PACKAGE.name)
    assert (PACKAGE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_front_matter() -> None:
    fields = header()
    assert tuple(fields) == FIELDS
    assert all(fields.values())
    assert "sampler" in listed(fields["tags"])
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", v) for v in listed(fields["optuna_versions"]))
    assert fields["license"] == "MIT License"
    assert not any(": " in value or "#" in value for value in fields.values()), "quote it in YAML"


def test_the_readme_has_the_sections_of_the_template_and_no_html() -> None:
    heads = re.findall(r"^## (.+)$", README, flags=re.M)
    assert heads == ["Abstract", "APIs", "Installation", "Example"]
    prose = re.sub(r"```.*?```", "", README, flags=re.S)
    assert not re.search(r"<[a-zA-Z!/]", prose)


def test_imports_are_one_on_a_line() -> None:
    """As the registry's linter wants them."""
    for path in PACKAGE.glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.match(r"\s*from .* import .*,", line), path.name


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The one function of optunahub that is used, for this package instead of GitHub's."""

    def load_module(package: str) -> ModuleType:
        assert package == "samplers/stoic"
        name = "optunahub_registry.package.samplers.stoic"
        spec = importlib.util.spec_from_file_location(name, PACKAGE / "__init__.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    there = ModuleType("optunahub")
    vars(there)["load_module"] = load_module
    monkeypatch.setitem(sys.modules, "optunahub", there)
    return there


def test_it_gives_the_sampler(hub: ModuleType) -> None:
    module = hub.load_module("samplers/stoic")
    assert sorted(module.__all__) == ["StoicSampler", "recommend"]
    assert module.StoicSampler is StoicSampler
    assert module.recommend is recommend


@pytest.mark.usefixtures("hub")
def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    runpy.run_path(str(PACKAGE / "example.py"))
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    exec(compile(block, "README.md", "exec"), {})
    first, second = re.findall(r"Best configuration: x=(-?[\d.e-]+)", capsys.readouterr().out)
    assert abs(float(first) - 2.0) < 0.5  # in spite of outliers of -100
    assert abs(float(second) - 2.0) < 0.05


def test_without_stoic_it_says_what_to_install() -> None:
    code = f"{LOAD}\nsys.modules['stoic'] = None\nspec.loader.exec_module(module)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ModuleNotFoundError: expected package stoic" in done.stderr
    assert "pip install -U 'stoic[optuna]'" in done.stderr
