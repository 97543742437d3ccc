"""The profile of a package's source: sizes, arguments, and what reaches where it should not.

``python tests/helpers/house.py [SRC]`` prints it for the package in ``SRC``, ``src/stoic`` by
default.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median, quantiles

__all__ = ["MAX_ARGUMENTS", "MAX_FILES", "MAX_LINES", "Function", "House", "Source"]

MAX_FILES = 16  # of a folder
MAX_LINES = 300  # of a file
MAX_ARGUMENTS = 8  # of a function, self not counted
LONG_FUNCTION = 35  # lines of a function, its docstring not counted, that few should exceed

# Underscored names that are documented: of the standard library, and of named tuples.
DOCUMENTED = {"os._exit", "sys._getframe"}
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}

# What a host of `integrations` gives its extensions under no other name.
OF_HOSTS = {"integrations/optuna/studies.py": {"_storage", "_study_id", "_trial_id"}}

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function: where it stands, its length without docstring, its number of arguments."""

    where: str
    lines: int
    arguments: int
    exempt: bool  # a command, a public constructor, or what a registry makes from a table


@dataclass(frozen=True)
class Source:
    """One file of the package."""

    root: Path
    path: Path
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        """The path below the package."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def room(self) -> str:
        """The folder or top-level module that it belongs to."""
        return self.name.partition("/")[0].removesuffix(".py")

    @property
    def lines(self) -> int:
        """How long it is."""
        return len(self.text.splitlines())

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.text)

    def at(self, node: ast.AST, words: str) -> str:
        """Something about a place of the file."""
        return f"{self.name}:{getattr(node, 'lineno', 0)} {words}"

    # -- functions ----------------------------------------------------------------------------

    def functions(self) -> Iterator[Function]:
        """All functions, also those within others."""
        for owner, node in _owned(self.tree):
            first = node.body[0]
            documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
            length = (node.end_lineno or 0) - node.lineno + 1 - docstring
            title = f"{owner.name}.{node.name}" if owner else node.name
            yield Function(
                self.at(node, title), length, _arguments(node, owner), self._exempt(owner, node)
            )

    def _exempt(self, owner: ast.ClassDef | None, node: AnyFunction) -> bool:
        command = self.room == "cli" and "typer." in ast.unparse(node.args)
        public = owner is not None and not owner.name.startswith("_")
        registered = any(".register(" in ast.unparse(each) for each in node.decorator_list)
        return command or registered or (public and node.name == "__init__")

    # -- what reaches where it should not -----------------------------------------------------

    @cached_property
    def foreign(self) -> dict[str, str]:
        """Names in this file that stand for modules, or parts, of other packages."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    found[name] = alias.name if alias.asname else name
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        return {name: full for name, full in found.items() if _outside(full)}

    @cached_property
    def own(self) -> set[str]:
        """Underscored names that this file itself defines."""
        found = set()
        for node in ast.walk(self.tree):
            if isinstance(node, AnyFunction | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and _is_self(node.value):
                found.add(node.attr)
        return {name for name in found if _private(name)}

    def private_imports(self) -> Iterator[str]:
        """Private modules, and private names, of other packages."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for name in names:
                if _outside(name) and any(map(_private, name.split("."))):
                    yield self.at(node, f"imports {name}")

    def private_attributes(self) -> Iterator[str]:
        """Private attributes of other packages, and of objects that this file does not define."""
        for node in ast.walk(self.tree):
            words = _getattr(node)
            if words is not None and words not in self.own:
                yield self.at(node, f"getattr of {words!r}")
            if not isinstance(node, ast.Attribute) or not _private(node.attr):
                continue
            if node.attr in OF_HOSTS.get(self.name, ()):
                continue
            full = f"{self.foreign.get(_root(node), '')}.{node.attr}"
            if full in DOCUMENTED or node.attr in OF_NAMED_TUPLES or _is_self(node.value):
                continue
            if _root(node) in self.foreign or node.attr not in self.own:
                yield self.at(node, f"uses {ast.unparse(node)}")

    def late_imports(self) -> Iterator[str]:
        """Imports of the package within functions, outside of the command line."""
        if self.room == "cli" or self.name == "__main__.py":
            return
        for _, function in _owned(self.tree):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stoic"):
                    yield self.at(node, f"imports {node.module} within {function.name}")
                elif isinstance(node, ast.Import):
                    for alias in node.names:
                        if alias.name.startswith("stoic"):
                            yield self.at(node, f"imports {alias.name} within {function.name}")

    def calibration_forks(self) -> Iterator[str]:
        """Choices in a policy that hang on whether it learns the noise."""
        if self.room != "policies":
            return
        for node in ast.walk(self.tree):
            test = getattr(node, "test", None)
            for part in test.values if isinstance(test, ast.BoolOp) else [test]:
                words = "" if part is None else ast.unparse(part)
                if (
                    words.removesuffix(" is None")
                    .removesuffix(" is not None")
                    .endswith("calibration")
                ):
                    yield self.at(node, words)


@dataclass(frozen=True)
class House:
    """All files of a package."""

    root: Path
    sources: tuple[Source, ...]

    @classmethod
    def of(cls, root: Path) -> House:
        """The package in a folder."""
        paths = sorted(root.rglob("*.py"))
        return cls(root, tuple(Source(root, p, p.read_text(encoding="utf-8")) for p in paths))

    @cached_property
    def functions(self) -> list[Function]:
        """All functions."""
        return [function for source in self.sources for function in source.functions()]

    @property
    def rooms(self) -> set[str]:
        """Folders and modules at the top; the package's own files are none."""
        return {source.room for source in self.sources if not source.name.startswith("__")}

    def violations(self) -> dict[str, list[str]]:
        """What is against the rules, by rule."""
        files: dict[str, int] = {}
        for source in self.sources:
            folder = source.path.parent.relative_to(self.root).as_posix()
            files[folder] = files.get(folder, 0) + 1
        every = self.sources
        return {
            f"folders of more than {MAX_FILES} files": [
                f"{folder}: {count}"
                for folder, count in files.items()
                if count > MAX_FILES and folder != "."
            ],
            f"files of more than {MAX_LINES} lines": [
                f"{source.name}: {source.lines}" for source in every if source.lines > MAX_LINES
            ],
            f"functions of more than {MAX_ARGUMENTS} arguments": [
                f"{function.where}: {function.arguments}"
                for function in self.functions
                if function.arguments > MAX_ARGUMENTS and not function.exempt
            ],
            "private modules of other packages": [x for s in every for x in s.private_imports()],
            "private attributes of others": [x for s in every for x in s.private_attributes()],
            "imports of the package in functions": [x for s in every for x in s.late_imports()],
            "choices by calibration in policies": [x for s in every for x in s.calibration_forks()],
        }

    def summary(self) -> str:
        """Sizes in a few lines."""
        files = [source.lines for source in self.sources]
        lengths = [function.lines for function in self.functions]
        long = sum(length > LONG_FUNCTION for length in lengths)
        return "\n".join(
            [
                f"{len(files)} files, {sum(files)} lines",
                f"file: {_spread(files)}",
                f"function: {_spread(lengths)}; {long} of {len(lengths)} over {LONG_FUNCTION}",
            ]
        )


def _owned(tree: ast.AST) -> Iterator[tuple[ast.ClassDef | None, AnyFunction]]:
    """Functions with the class they are methods of."""
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, AnyFunction):
                yield parent if isinstance(parent, ast.ClassDef) else None, node


def _arguments(node: AnyFunction, owner: ast.ClassDef | None) -> int:
    args = node.args
    count = len(args.posonlyargs) + len(args.args) + len(args.kwonlyargs)
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    return count - (owner is not None and not static)


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def _outside(module: str) -> bool:
    return module.partition(".")[0] not in ("stoic", "__future__")


def _is_self(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):  # super()
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _getattr(node: ast.AST) -> str | None:
    """The private name that a call of getattr, setattr or hasattr gives."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
        name = node.args[1]
        if node.func.id in ("getattr", "setattr", "hasattr") and isinstance(name, ast.Constant):
            return name.value if isinstance(name.value, str) and _private(name.value) else None
    return None


def _spread(values: list[int]) -> str:
    return f"median {median(values):g}, p95 {quantiles(values, n=20)[-1]:g}, longest {max(values)}"


def main() -> None:
    """Print the profile."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "src/stoic")
    house = House.of(root)
    print(house.summary())
    for rule, found in house.violations().items():
        print(f"{rule}: {len(found)}")
        for line in found:
            print(f"    {line}")


if __name__ == "__main__":
    main()
