"""The verbs of a study on a server: ask, tell, and what belongs to them."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from stoic.checks import describe, integer, number
from stoic.errors import InvalidInput, InvalidParams, InvalidPayoff
from stoic.remote.calling import Caller
from stoic.remote.keys import Keys
from stoic.remote.log import RemoteLog
from stoic.remote.wire import (
    State,
    next_page,
    number_in,
    record_of,
    rows_in,
    state_of,
    trial_of,
)
from stoic.study.advisers import Adviser
from stoic.study.answers import StudyAnswers
from stoic.study.definition import Definition, checked_params
from stoic.study.leases.holder import LeaseHolder
from stoic.study.records import StudyTrial, TrialRecord, numbered
from stoic.study.store.rows import MAX_ROWS

__all__ = ["RemoteVerbs"]

_PAGE = 1000  # trials of a reply
_MAX_REASON_CHARACTERS = 10_000


class RemoteVerbs(StudyAnswers, LeaseHolder):
    """A study of a server as `stoic.Study` has its verbs; each call is one request or a few.

    After a fork, the child's object has connections of its own, and no leases.
    """

    def __init__(
        self, caller: Caller, state: State, definition: Definition, lease: float, worker: str | None
    ) -> None:
        self.name, self.lease = state.name, lease
        self._caller, self._uid = caller, state.uid
        self._log = RemoteLog(caller, state.name, state.uid, definition)
        self._keys = Keys()
        LeaseHolder.__init__(self, worker)

    @property
    def uid(self) -> str:
        """A universally unique id of the study."""
        return self._uid

    @property
    def url(self) -> str:
        """The address of the server."""
        return str(self._caller.address)

    @property
    def _definition(self) -> Definition:
        return self._log.definition

    @property
    def _thinking(self) -> threading.RLock:
        return self._log.thinking

    def informed(self) -> Adviser:
        """The adviser, which draws the conclusions here, with the whole log of the server."""
        return self._log.informed()

    def _path(self, *parts: str) -> str:
        return self._caller.address.path("studies", self._uid, *parts)

    def _post(
        self, verb: str, data: Mapping[str, Any], *, key: str | None = None
    ) -> dict[str, Any]:
        path = self._caller.address.path("studies", f"{self._uid}:{verb}")
        return self._caller.post(path, data, key=key)

    def hurried(self) -> AbstractContextManager[None]:
        return self._caller.hurried()

    # -- counts and trials --------------------------------------------------------------------

    def _state(self) -> State:
        return state_of(self._caller.get(self._path()))

    @property
    def finished(self) -> int:
        """How many trials have a value or failed, of all workers."""
        return self._state().finished

    @property
    def asked(self) -> int:
        """How many trials there are, those under evaluation included."""
        return self._state().asked

    @property
    def trials(self) -> tuple[TrialRecord, ...]:
        """All trials, by number."""
        found: list[TrialRecord] = []
        cursor: int | None = 0
        while cursor is not None:
            page = {"limit": _PAGE, **({"cursor": cursor} if cursor else {})}
            reply = self._caller.get(self._path("trials"), page)
            found += map(record_of, rows_in(reply, "trials"))
            cursor = next_page(reply, cursor)
        return tuple(found)

    # -- ask ----------------------------------------------------------------------------------

    def ask(self, *, lease: float | None = None) -> StudyTrial:
        """The next trial to evaluate, leased for ``lease`` seconds; see `stoic.Study.ask`.

        Where the reply is lost, the same trial comes with the next attempt.
        """
        trial = self._asked(self._seconds(lease), None)
        assert trial is not None
        return trial

    def ask_within(self, budget: int, *, lease: float | None = None) -> StudyTrial | None:
        """As `ask`, but None where the study has ``budget`` trials, all leased or finished."""
        return self._asked(self._seconds(lease), integer(budget, "budget", at_least=0))

    def _asked(self, seconds: float, budget: int | None) -> StudyTrial | None:
        wish: dict[str, Any] = {"worker": self.worker, "lease": seconds}
        if budget is not None and budget < MAX_ROWS:  # else it is no limit
            wish["budget"] = budget
        with self._keys.of("ask", seconds, budget) as key:
            rows = rows_in(self._post("ask", wish, key=key), "trials")
        if not rows:
            return None
        return self._keep(trial_of(rows[0]))

    def renew(self, trial: StudyTrial | int, lease: float | None = None) -> bool:
        """Lease for ``lease`` seconds from now; False where it is not ours: see `stoic.Study`."""
        which, token = self._held(trial)
        wish = {"trial": which, "lease": token, "seconds": self._seconds(lease)}
        return bool(token) and self._done("renew", wish, "renewed")

    def release(self, trial: StudyTrial | int) -> bool:
        """Give a trial back, to be asked again at once; False where it is not ours."""
        which, token = self._held(trial)
        return bool(token) and self._done("release", {"trial": which, "lease": token}, "released")

    def _held(self, trial: StudyTrial | int) -> tuple[int, str]:
        """A trial's number, and the token of its lease, empty where this object has none."""
        which = self._number(trial)
        return which, self._lease_of(trial, which)

    def _done(self, verb: str, wish: Mapping[str, Any], what: str) -> bool:
        return self._post(verb, wish).get(what) is True

    def reclaim(self) -> int:
        """Take back the trials of processes that ended on the server's machine."""
        return number_in(self._post("reclaim", {}), "reclaimed")

    def enqueue(self, params: Mapping[str, Any]) -> None:
        """Add a configuration that is asked before any suggestion."""
        checked = self._checked(params)
        with self._keys.of("enqueue", json.dumps(checked)) as key:
            self._post("enqueue", {"params": checked}, key=key)

    def _checked(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration of the space, which another worker may have widened."""
        try:
            return checked_params(self.space, params)
        except InvalidParams:
            self.refresh()
            return checked_params(self.space, params)

    def _seconds(self, lease: float | None) -> float:
        return self.lease if lease is None else number(lease, "lease", above=0.0, at_most=1e9)

    def _number(self, trial: object) -> int:
        return numbered(trial, self._uid, self.name)

    # -- tell ---------------------------------------------------------------------------------

    def tell(self, trial: StudyTrial | int, value: float, *, measurement: int = 0) -> None:
        """Report a value; it is on the server's disk when this returns.

        The same value again changes nothing, another one is a `ConflictingValue`.
        """
        which = self._number(trial)
        y = number(value, "value", error=InvalidPayoff)
        count = integer(measurement, "measurement", at_least=0, at_most=2**31)
        wish = {"trial": which, "value": y, "measurement": count, "worker": self.worker}
        self._post("tell", wish)
        self._ended(which)

    def fail(self, trial: StudyTrial | int, reason: str = "") -> None:
        """Report that a trial gave no value; a repeated report changes nothing."""
        which = self._number(trial)
        if not isinstance(reason, str):
            raise InvalidInput(f"expected reason as text, got {describe(reason)}")
        wish = {"trial": which, "reason": reason[:_MAX_REASON_CHARACTERS], "worker": self.worker}
        self._post("fail", wish)
        self._ended(which)

    def add(self, params: Mapping[str, Any], value: float) -> StudyTrial:
        """Take in a measurement that was made elsewhere, as a trial of its own."""
        checked = self._checked(params)
        y = number(value, "value", error=InvalidPayoff)
        wish = {"params": checked, "value": y, "worker": self.worker}
        with self._keys.of("add", json.dumps(checked), y) as key:
            reply = self._post("add", wish, key=key)
        return StudyTrial(number_in(reply, "number"), checked, 1, 0.0, self._uid)
