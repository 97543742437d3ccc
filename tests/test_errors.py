"""Every error has a code, and a section of the reference that says what to do."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import stoic
from stoic import errors
from stoic.errors import REFERENCE, InvalidInput, InvalidParams, StoicError

ROOT = Path(stoic.__file__).parent
BY_COMMANDS = {"usage", "system", "interrupted"}  # of stoic ask, tell and best alone


def subclasses(of: type[StoicError]) -> Iterator[type[StoicError]]:
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)


def defined() -> set[str]:
    """The names of all classes of errors that the source defines, also where nothing imports them.

    A base counts by its last name, in any order of definition.
    """
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    found = {"StoicError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def test_codes_are_stable() -> None:
    found = {getattr(errors, name).code for name in errors.__all__ if name != "REFERENCE"}
    assert found >= {
        "access-denied", "conflicting-value", "invalid-arm", "invalid-expression", "invalid-input",
        "invalid-params", "invalid-payoff", "invalid-state", "missing-data", "missing-direction",
        "missing-extra", "out-of-plan", "stale-proposal", "stoic-error", "store-damaged",
        "store-error", "store-missing", "store-unavailable", "study-mismatch", "too-many-features",
        "unknown-name", "unknown-study", "unknown-trial",
    }  # fmt: skip


def test_no_two_classes_share_a_code() -> None:
    ours = {each for each in subclasses(StoicError) if each.__module__.startswith("stoic.")}
    assert len(ours) >= 20
    assert len({each.code for each in ours}) == len(ours)


def test_a_subclass_elsewhere_keeps_the_code() -> None:
    class Mine(InvalidParams):
        pass

    assert Mine("…").code == "invalid-params"
    assert Mine.page() == f"{REFERENCE}#invalid-params"


PAGE = ROOT.parents[1] / REFERENCE
SECTIONS = PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if PAGE.is_file() else [""]


@pytest.mark.skipif(not PAGE.is_file(), reason="a source distribution has no docs")
def test_every_error_has_its_section() -> None:
    of_commands = SECTIONS[-1]
    assert all(f"\n### {code}\n" in of_commands for code in BY_COMMANDS)
    names = {re.findall(r"`stoic\.[\w.]+\.(\w+)`", text)[0] for text in SECTIONS[:-1]}
    assert names == defined()


@pytest.mark.parametrize("text", SECTIONS[:-1], ids=lambda text: text.partition("\n")[0])
def test_a_section_names_the_class_and_what_to_do(text: str) -> None:
    code, words = text.partition("\n")[::2]
    path, *above = re.findall(r"`([\w.]+)`", words.strip().partition("\n")[0])
    module, _, name = path.rpartition(".")
    found = getattr(import_module(module), name)
    bases = (*vars(errors).values(), *vars(builtins).values())
    assert found.code == code
    assert found.page() == f"{REFERENCE}#{code}"
    named = {each for each in bases if getattr(each, "__name__", "") in above}
    assert len(named) == len(above)
    assert all(issubclass(found, each) for each in named)
    assert "**What to do.** " in words


def test_a_raised_error_leads_to_its_section() -> None:
    with pytest.raises(InvalidInput) as raised:
        stoic.Float(1.0, 0.0)
    assert raised.value.page() == f"{REFERENCE}#{raised.value.code}"
