"""Every error that Stoic raises intentionally.

Each message says what was expected, what was given and what to do. Each class is
also the built-in exception that Python programmers expect, so existing
``except ValueError`` blocks keep working. Each class has a short stable ``code``
and a section of the reference, its ``page``.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

__all__ = [
    "REFERENCE",
    "AccessDenied",
    "ConflictingValue",
    "InvalidArm",
    "InvalidExpression",
    "InvalidInput",
    "InvalidParams",
    "InvalidPayoff",
    "InvalidState",
    "MissingData",
    "MissingDirection",
    "MissingExtra",
    "OutOfPlan",
    "StaleProposal",
    "StoicError",
    "StoreDamaged",
    "StoreError",
    "StoreMissing",
    "StoreUnavailable",
    "StudyMismatch",
    "TooManyFeatures",
    "UnknownName",
    "UnknownStudy",
    "UnknownTrial",
]


REFERENCE = "docs/reference/errors.md"
"""The page of the documentation with one section for each code."""


class StoicError(Exception):
    """The base of all of Stoic's errors.

    ``code`` is the kind of the error for programs: JSON lines and HTTP answers have it. A subclass
    outside this package keeps the code of its base, so that codes are a closed list.

    >>> InvalidParams("expected x in 0 to 1, got 2").code
    'invalid-params'
    >>> InvalidParams.page()
    'docs/reference/errors.md#invalid-params'
    """

    code: ClassVar[str] = "stoic-error"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            cls.code = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def page(cls) -> str:
        """Where the documentation explains the error: a path within the project."""
        return f"{REFERENCE}#{cls.code}"


class InvalidInput(StoicError, ValueError):
    """A parameter, array or option that can't be used."""


class MissingDirection(InvalidInput, TypeError):
    """It is unknown whether high or low values are good: the direction is missing."""


class InvalidParams(InvalidInput):
    """A configuration that the search space does not contain: a name, type or value is wrong."""


class InvalidExpression(InvalidInput):
    """A constraint that can't be read; ``column``, counted from 1, is where it is wrong."""

    def __init__(self, message: str, column: int = 1) -> None:
        super().__init__(message)
        self.column = column


class InvalidPayoff(InvalidInput):
    """A payoff that is not one finite real number; the policy is unchanged."""


class InvalidArm(InvalidInput, IndexError):
    """An arm outside the domain; the policy is unchanged."""


class OutOfPlan(InvalidInput):
    """An arm that is not in the policy's current plan; the policy is unchanged."""


class TooManyFeatures(InvalidInput):
    """A kernel approximation that would need more features than allowed."""


class InvalidState(InvalidInput):
    """A saved state that is damaged, incomplete or of another policy."""


class MissingData(StoicError, FileNotFoundError):
    """A data file that does not exist at its path."""


class MissingExtra(StoicError, ImportError):
    """A package that is not installed because it belongs to an optional extra."""

    @classmethod
    def of(cls, package: str, purpose: str, extra: str) -> MissingExtra:
        """The error for a missing package, with its purpose and the command to install it.

        >>> print(MissingExtra.of("Box2D", "the Robot3D simulation", "robot"))
        expected package Box2D for the Robot3D simulation, got none; pip install 'stoic[robot]'
        """
        return cls(
            f"expected package {package} for {purpose}, got none; pip install 'stoic[{extra}]'"
        )


class UnknownName(StoicError, KeyError):
    """A name that is not registered."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


class StoreError(StoicError):
    """A problem with the store of a study; acknowledged values are not lost by it."""


class StoreUnavailable(StoreError, OSError):
    """A store that can't be opened or written: no access, disk full, no server, or locked."""


class StoreMissing(StoreUnavailable):
    """A store that does not exist: nothing at its path, or an empty file."""


class StoreDamaged(StoreError, ValueError):
    """A store whose content is damaged, or a file that is not a store of Stoic.

    ``what`` is the damage alone; the message ends with the ``advice``.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)
        self.what = what


class AccessDenied(StoreError, PermissionError):
    """A server's token that is missing, unknown or revoked, or does not allow what was wanted."""


class StudyMismatch(StoreError, ValueError):
    """A study of this name exists already and has another definition."""


class StaleProposal(StoreError):
    """A suggestion that was made from an earlier state of the study; no trial was leased."""


class ConflictingValue(StoreError, ValueError):
    """A second, different outcome for a trial; the first one stays."""


class UnknownStudy(StoreError, UnknownName):
    """A study that is not in the store."""


class UnknownTrial(StoreError, UnknownName):
    """A trial that is not in the study."""
