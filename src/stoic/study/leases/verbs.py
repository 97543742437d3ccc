"""The part of a study that leases trials: ask, renew, release, reclaim, enqueue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from stoic.checks import describe, integer, number
from stoic.errors import InvalidInput, InvalidParams
from stoic.study.definition import checked_name, checked_params
from stoic.study.leases.asking import Asking, Wish
from stoic.study.leases.keys import checked_key, token_of
from stoic.study.marking import StudyMarks
from stoic.study.opened import OpenStudy
from stoic.study.records import Proposal, StudyTrial

__all__ = ["AskOptions", "StudyLeases", "checked_worker"]


_MAX_PROPOSALS = 1000  # of one call


class AskOptions(TypedDict, total=False):
    """Further arguments of `ask` and `ask_within`."""

    key: str | None
    worker: str | None
    proposal: Proposal | None
    stale_ok: bool


class StudyLeases(StudyMarks):
    """A study whose trials are leased to workers."""

    def __init__(
        self, opened: OpenStudy, lease: float, worker: str | None, max_lost: int | None
    ) -> None:
        super().__init__(opened)
        self.lease = lease
        self._leases = Asking(opened, worker, max_lost)

    @property
    def worker(self) -> str:
        """The name of this worker; after a fork, that of the child."""
        return self._leases.worker

    def ask(self, *, lease: float | None = None, **options: Unpack[AskOptions]) -> StudyTrial:
        """The next trial to evaluate, leased for ``lease`` seconds.

        First come trials that were enqueued, released, or leased to a worker that stopped
        responding.

        Parameters
        ----------
        lease
            In seconds; by default that of the study object.
        key
            Makes the ask safe to repeat, by any process. An ask with a key that was used gives
            the same trial: its lease begins anew, or it has its outcome by now. Where the trial
            was given back, or went to another worker when its lease ended, it is a new ask.
        worker
            In whose name to ask, for a server that asks for others.
        proposal
            A suggestion of `suggest`, to take if a new trial is due. Nothing is computed then, and
            no other thread waited for. Where the study has changed since, nothing is asked, and
            `StaleProposal` raised.
        stale_ok
            Whether to take the proposal also where the study has changed since.
        """
        trial = self._leases.ask(self._wish(None, lease, options))
        assert trial is not None
        return trial

    def ask_within(
        self, budget: int, *, lease: float | None = None, **options: Unpack[AskOptions]
    ) -> StudyTrial | None:
        """As `ask`, but None where the study has ``budget`` trials, all leased or finished.

        With it, many workers together finish exactly ``budget`` trials.
        """
        most = integer(budget, "budget", at_least=0)
        return self._leases.ask(self._wish(most, lease, options))

    def _wish(self, budget: int | None, lease: float | None, options: AskOptions) -> Wish:
        key, worker = options.get("key"), options.get("worker")
        proposal = options.get("proposal")
        if not isinstance(proposal, Proposal | None):
            raise InvalidInput(f"expected a proposal of suggest, got {describe(proposal)}")
        return Wish(
            self._seconds(lease),
            budget,
            None if key is None else checked_key(key),
            None if worker is None else checked_name(worker, "worker"),
            proposal,
            bool(options.get("stale_ok", False)),
        )

    def suggest(
        self,
        count: int = 1,
        *,
        model: bool = True,
        quick: bool = False,
        beside: Sequence[Mapping[str, Any]] = (),
    ) -> list[Proposal]:
        """Suggestions for the next trials, without asking them; each accounts for those before.

        They are computed while others may write. `ask` takes them, also in another process, and
        what is asked in this way is what `ask` alone would have suggested.

        Parameters
        ----------
        count
            How many.
        model
            False for uniform draws instead, which take no time; none is of a configuration that
            is under evaluation.
        quick
            True for suggestions of the model that share most of the work, so that many take little
            longer than one. They are made in another way than those of `ask`.
        beside
            Configurations that will be asked as well, for quick suggestions to account for.
        """
        wanted = integer(count, "count", at_least=1, at_most=_MAX_PROPOSALS)
        if model and quick:
            return self._leases.suggest_quickly(wanted, [self._checked(each) for each in beside])
        return self._leases.suggest(wanted) if model else self._leases.draw(wanted)

    def renew(self, trial: StudyTrial | int, lease: float | None = None) -> bool:
        """Lease for ``lease`` seconds from now; False where the trial is not, or no longer, ours.

        A lease is ours if the trial has its token. A number stands for the lease that `ask` of
        this object gave.
        """
        return self._leases.extend(trial, self._seconds(lease))

    def release(self, trial: StudyTrial | int) -> bool:
        """Give a trial back, to be asked again at once; False where it is not ours: see `renew`."""
        return self._leases.extend(trial, None)

    def reclaim(self) -> int:
        """Take back the trials of processes that ended on this machine; return their number."""
        return self._leases.reclaim()

    def enqueue(self, params: Mapping[str, Any], *, key: str | None = None) -> None:
        """Add a configuration that is asked before any suggestion.

        A repeated call with the same ``key`` adds nothing.
        """
        token = "" if key is None else token_of(self.uid, checked_key(key), "enqueue")
        self._leases.enqueue(self._checked(params), token)

    def worker_of(self, trial: StudyTrial | int) -> str:
        """Who has a trial, or told its first outcome; empty for one that was never asked."""
        wanted = self._opened.number(trial)
        with self._opened.database.read() as connection:
            return self._opened.known(connection, wanted).worker

    def _checked(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration of the space, which another worker may have widened."""
        try:
            return checked_params(self.space, params)
        except InvalidParams:
            self._opened.renew_definition()
            return checked_params(self.space, params)

    def _seconds(self, lease: float | None) -> float:
        return self.lease if lease is None else _seconds(lease)


def checked_worker(
    lease: object, worker: object, max_lost: object
) -> tuple[float, str | None, int | None]:
    """A lease's seconds, a worker's name and a limit of lost leases, or `InvalidInput`."""
    named = None if worker is None else checked_name(worker, "worker")
    most = None if max_lost is None else integer(max_lost, "max_lost_leases", at_least=1)
    return _seconds(lease), named, most


def _seconds(lease: object) -> float:
    return number(lease, "lease", above=0.0, at_most=1e9)
