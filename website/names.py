"""The public names of the package, read from its source without importing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

from website.docstrings import Docstrings

__all__ = ["load", "packages", "undocumented"]

INTERNAL = {
    "stoic.cli": "documented as commands",
    "stoic.schema": "checks saved states",
}
_DEEPER = ("stoic.integrations", "stoic.lab")  # their packages are public, each by itself
_ALONE = ("stoic.errors",)  # modules that are public beside packages


def load(source: Path) -> Any:
    """The package ``stoic`` below a folder, parsed as the site shows it."""
    extensions = griffe.load_extensions(Docstrings)
    return griffe.load(
        "stoic", search_paths=[source], extensions=extensions, resolve_aliases=True,
        resolve_implicit=True, resolve_external=False,
    )  # fmt: skip


def packages(root: Any) -> dict[str, list[str]]:
    """Public packages, and the names that each of them exports; what ``stoic`` has is there."""
    found = {root.path: _exports(root)}
    for name in sorted(root.members):
        for module in _public(root.members[name]):
            if names := [each for each in _exports(module) if each not in found[root.path]]:
                found[module.path] = names
    return found


def undocumented(root: Any) -> list[str]:
    """Public names without a docstring, and their methods and properties without one."""
    missing = []
    for package, names in packages(root).items():
        for name in names:
            found = _target(_at(root, package), name)
            if not found.has_docstring:
                missing.append(f"{package}.{name}")
            if found.is_class:
                missing += [f"{package}.{name}.{each}" for each in _bare(found)]
    return missing


def _public(module: Any) -> Iterator[Any]:
    if module.is_alias or not module.is_module or module.path in INTERNAL:
        return
    if module.path in _DEEPER:
        for name in sorted(module.members):
            yield from _public(module.members[name])
    elif module.is_init_module or module.path in _ALONE:
        yield module


def _at(root: Any, package: str) -> Any:
    return root if package == root.path else root[package.removeprefix(f"{root.path}.")]


def _exports(module: Any) -> list[str]:
    names = [str(each) for each in module.exports or ()]
    return [name for name in names if not _target(module, name).is_module]


def _target(module: Any, name: str) -> Any:
    found = module.members[name]
    return found.final_target if found.is_alias else found


def _bare(found: Any) -> Iterator[str]:
    """Methods and properties of a class without a docstring, unless a host's class has them.

    The checks of a test suite are described by their names.
    """
    if len(found.resolved_bases) < len(found.bases) and not _standard(found):
        return
    for name, member in found.members.items():
        method = member.is_function or "property" in member.labels
        if method and not name.startswith(("_", "test_")) and not member.has_docstring:
            yield name


def _standard(found: Any) -> bool:
    """Whether all bases that are not ours are of the standard library, whose methods are known."""
    ours = {base.name for base in found.resolved_bases}
    known = {"Exception", "Generic", "NamedTuple", "Protocol", "StrEnum", "ValueError"}
    names = {str(base).partition("[")[0].rpartition(".")[2] for base in found.bases}
    return names <= ours | known
