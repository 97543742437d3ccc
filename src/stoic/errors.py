"""Every error that Stoic raises on purpose.

Each message says what was expected, what came and what to do. Each class is
also the built-in exception that Python programmers would expect, so existing
``except ValueError`` blocks keep working.
"""

from __future__ import annotations

__all__ = [
    "ConflictingValue",
    "InvalidArm",
    "InvalidInput",
    "InvalidParams",
    "InvalidPayoff",
    "InvalidState",
    "MissingData",
    "MissingDirection",
    "MissingExtra",
    "OutOfPlan",
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


class StoicError(Exception):
    """The base of all of Stoic's errors."""


class InvalidInput(StoicError, ValueError):
    """A parameter, array or option that can't be used as it is."""


class MissingDirection(InvalidInput, TypeError):
    """Nobody said whether high or low values are good."""


class InvalidParams(InvalidInput):
    """A configuration that the search space does not contain: a name, type or value is wrong."""


class InvalidPayoff(InvalidInput):
    """A payoff that is not one finite real number; the policy is unchanged."""


class InvalidArm(InvalidInput, IndexError):
    """An arm outside the domain; the policy is unchanged."""


class OutOfPlan(InvalidInput):
    """An arm that the policy's present plan does not contain; the policy is unchanged."""


class TooManyFeatures(InvalidInput):
    """A kernel approximation that would need more features than allowed."""


class InvalidState(InvalidInput):
    """A saved state that is damaged, incomplete or of another policy."""


class MissingData(StoicError, FileNotFoundError):
    """A data file that is not where it was looked for."""


class MissingExtra(StoicError, ImportError):
    """A package that is not installed because it belongs to an optional extra."""

    @classmethod
    def of(cls, package: str, purpose: str, extra: str) -> MissingExtra:
        """The error that says which package is missing, for what, and how to get it.

        >>> print(MissingExtra.of("Box2D", "the Robot3D simulation", "robot"))
        expected package Box2D for the Robot3D simulation, got none; pip install 'stoic[robot]'
        """
        return cls(
            f"expected package {package} for {purpose}, got none; pip install 'stoic[{extra}]'"
        )


class UnknownName(StoicError, KeyError):
    """A name that no registered thing has."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


class StoreError(StoicError):
    """Something about the store of a study; nothing that was acknowledged is lost by it."""


class StoreUnavailable(StoreError, OSError):
    """A store that can't be opened or written: no access, no room, no server, locked too long."""


class StoreMissing(StoreUnavailable):
    """A store that is not there: nothing at its path, or an empty file."""


class StoreDamaged(StoreError, ValueError):
    """A store whose content is not what was written, or that is no store of Stoic at all.

    ``what`` is the damage alone; the message ends with the ``advice``.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)
        self.what = what


class StudyMismatch(StoreError, ValueError):
    """A study that is there already, and is about something else."""


class ConflictingValue(StoreError, ValueError):
    """Another outcome for a trial that has one; the first one stays."""


class UnknownStudy(StoreError, UnknownName):
    """A study that the store does not hold."""


class UnknownTrial(StoreError, UnknownName):
    """A trial that the study does not hold."""
