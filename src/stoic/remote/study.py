"""`stoic.connect`: a study on a server, with the verbs of `stoic.Study`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self, TypedDict, Unpack

from stoic.checks import given_direction, number
from stoic.errors import AccessDenied, UnknownStudy
from stoic.optimize import Trial
from stoic.remote.address import Token, address
from stoic.remote.calling import Caller, Times
from stoic.remote.marking import RemoteMarks
from stoic.remote.wire import State, definition_of, state_of
from stoic.report import Result
from stoic.runs.run import RunLimits, limits_of
from stoic.spaces import Space
from stoic.study.definition import Definition, StudyArguments, checked_name
from stoic.study.running import run

__all__ = ["RemoteStudy", "connect"]


class RemoteStudy(RemoteMarks):
    """A study on a server, as `connect` gives it.

    It has the verbs and the answers of `stoic.Study`. Every request is repeated until the server
    answers, so that a lost reply, a restart of the server, or one that is busy, is no error:
    repeated asks give the same trial, and repeated tells count once.
    """

    widened: tuple[str, ...] = ()
    """What connecting with a wider space, or a first baseline, changed, in words."""

    def close(self) -> None:
        """Close the connections; trials that were asked stay leased until their leases end."""
        self._caller.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"RemoteStudy({self.url!r}, {self.name!r})"

    def optimize(
        self,
        fn: Callable[..., object],
        budget: int | None = None,
        *,
        jobs: int = 1,
        engine: str = "local",
        scheduler: str | None = None,
        callback: Callable[[Trial], object] | None = None,
        progress: bool = False,
        **limits: Unpack[RunLimits],
    ) -> Result:
        """Evaluate a function until the study has ``budget`` finished trials.

        As `stoic.Study.optimize`, whose arguments these are. The function runs here; leases are
        renewed while it does, and Ctrl-C releases the trials under evaluation.
        """
        wanted = limits_of(budget, limits)
        ended_by = run(self, fn, wanted, jobs, (engine, scheduler), callback, progress)
        return replace(self.result(), interrupted=ended_by is None, ended_by=ended_by or "")

    # -- opening ------------------------------------------------------------------------------

    def _go_on(self, arguments: StudyArguments) -> None:
        """Let the study go on in the wider space, or with the first baseline, that is given."""
        before = self._definition
        wanted = before.continued(arguments, self.name)
        if wanted != before:
            change: dict[str, Any] = {"space": wanted.space.describe()}
            change |= {} if arguments.baseline is None else {"baseline": wanted.baseline}
            self._post("widen", change)
            self.refresh()
            self.widened = tuple(before.changes(self._definition))


class Definitions(TypedDict, total=False):
    """The arguments of `connect` that define a study; `stoic.Study` explains them."""

    space: Space | Mapping[str, Any] | None
    direction: str | None
    seed: int | None
    method: str | None
    objective: str | None
    target: str | None
    bounds: tuple[float | None, float | None] | None
    baseline: Mapping[str, Any] | None


def connect(
    url: str,
    name: str = "study",
    *,
    token: str | None = None,
    lease: float = 600.0,
    worker: str | None = None,
    patience: float | None = None,
    **definition: Unpack[Definitions],
) -> RemoteStudy:
    """A study on a server that `stoic serve` runs, with the verbs of `stoic.Study`.

    Parameters
    ----------
    url
        The address of the server: ``http://127.0.0.1:8313``, or ``https://…`` of its proxy.
    name
        Of the study.
    token
        As ``stoic token new`` printed it; by default the variable ``STOIC_TOKEN``. It is sent to
        this address alone, in one header, and over plain HTTP only within this machine, unless
        the variable ``STOIC_ALLOW_HTTP`` is 1.
    space, direction, seed, method, objective, target, bounds, baseline
        As for `stoic.Study`. A space and a direction make a study that does not exist; without
        them the study must exist.
    lease
        Seconds until a trial is asked again whose worker stopped responding.
    worker
        The name of this worker. By default it consists of host, process and the process's start.
    patience
        Seconds for which requests are repeated before a server that does not answer is an error:
        60 by default, and 10 as long as it has never answered.

    Studies of policies are made in the store.

    >>> connect("http://127.0.0.1:1", patience=0.0)
    Traceback (most recent call last):
    stoic.errors.StoreUnavailable: expected an answer of the server at http://127.0.0.1:1, got ...
    """
    arguments = StudyArguments(**definition)
    named = None if worker is None else checked_name(worker, "worker")
    seconds = number(lease, "lease", above=0.0, at_most=1e9)
    caller = Caller(address(url), Token.given(token), _times(patience))
    state = _found(caller, checked_name(name, "name"), arguments)
    asked = definition_of(state).asking(arguments)
    study = RemoteStudy(caller, state, asked, seconds, named)
    study._go_on(arguments)
    with suppress(AccessDenied):  # of a token that may only read
        study.reclaim()
    return study


def _times(patience: float | None) -> Times:
    if patience is None:
        return Times()
    seconds = number(patience, "patience", at_least=0.0, at_most=1e9)
    return Times(patience=seconds, first=seconds)


def _found(caller: Caller, name: str, arguments: StudyArguments) -> State:
    """The study of this name, made where it does not exist and the arguments define one."""
    try:
        return state_of(caller.get(caller.address.path("studies", name)))
    except UnknownStudy:
        if not arguments.enough:
            if arguments.space is not None:
                given_direction(arguments.direction)
            raise
    wanted = Definition.of(arguments)
    made = {
        "name": name,
        "space": wanted.space.describe(),
        "direction": wanted.direction,
        "seed": wanted.seed,
        "method": wanted.method,
        "objective": wanted.objective,
        "target": wanted.target,
        **({} if wanted.bounds is None else {"bounds": list(wanted.bounds)}),
        **({} if wanted.baseline is None else {"baseline": wanted.baseline}),
    }
    return state_of(caller.post(caller.address.path("studies"), made))
