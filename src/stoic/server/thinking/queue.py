"""Those who wait for a trial of one study: who gets which suggestion, and when."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stoic.errors import StaleProposal
from stoic.server.problems import Problem, busy
from stoic.server.store.asking import Take
from stoic.server.store.writing import StudyRef, Writer
from stoic.server.thinking.process import Computing, Process
from stoic.study import Proposal, Study, StudyTrial

__all__ = ["Queue", "Wish"]

_LOG = logging.getLogger("stoic.server")
_PATIENCE_SECONDS = 40.0  # of whoever asks alone
_MAX_WAITING = 512  # asks of one study
_MAX_EXACT = 16  # proposals of one computation, each made as if it were asked alone
_MIN_BATCH, _MAX_BATCH = 64, 128  # that share the work: a fit, now and then, takes a second
_SPARE = 1.5  # proposals for each ask since the last computation: the next one may take longer
_LAST_RESORT = 1.6  # deadlines until a draw: replies within 0.5 s, with the time of the store
_MAX_TRIES = 3  # until a proposal that is out of date is taken, though nobody else asks
_PAUSE_SECONDS = 0.1  # after a computation that failed
_STOCK_SECONDS = 10.0  # after which proposals that were not taken are dropped
_CROWD_SECONDS = 10.0  # after several asked at once, for which more are expected

_WITHOUT_THOUGHT = ("queue", "again")  # how trials are made that leave the proposal to the next


@dataclass
class Wish:
    """One ask, and who waits for its trial; ``take`` asks the study with a proposal."""

    take: Take
    request: object  # one may ask for several trials
    done: asyncio.Future[StudyTrial | None]
    since: float = field(default_factory=time.monotonic)
    tried: int = 0


class Queue:
    """Those who wait for a trial of one study, served together."""

    def __init__(self, ref: StudyRef, writer: Writer, process: Process, deadline: float) -> None:
        self._ref, self._writer, self.process, self._deadline = ref, writer, process, deadline
        self.waiting: list[Wish] = []
        self._news = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None
        self._thinking: asyncio.Task[list[Proposal]] | None = None
        self._stock: list[Proposal] = []
        self._stocked = 0.0  # when
        self._served = 0  # asks that got a proposal or a draw since the model was last asked
        self._crowded = -math.inf  # when several last asked at once
        self._slow = False  # whether the model's last exact proposals took longer than the deadline
        self._quick = False  # whether the present ones share the work

    async def ask(self, take: Take, request: object) -> StudyTrial | None:
        """Wait for a trial."""
        if len(self.waiting) >= _MAX_WAITING:
            raise busy("expected fewer asks of this study at once; try again")
        wish = Wish(take, request, asyncio.get_running_loop().create_future())
        self.waiting.append(wish)
        if not self._alone():
            self._crowded = wish.since
        self._news.set()
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve())
        try:
            return await wish.done
        finally:
            with contextlib.suppress(ValueError):
                self.waiting.remove(wish)

    async def _serve(self) -> None:
        try:
            while self.waiting:
                self._news.clear()
                await self._without_thought()
                await self._take_thought()
                await self._overdue()
                if self.waiting and self._thinking is None:
                    self._think()
                if self.waiting:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._news.wait(), self._until_next())
        except Exception as error:
            for wish in self.waiting:
                if not wish.done.done():
                    wish.done.set_exception(error)
            self.waiting.clear()

    # -- the ways to a trial ------------------------------------------------------------------

    async def _without_thought(self) -> None:
        """Trials that need no suggestion: repeated asks, and trials that came back."""
        new = [wish for wish in self.waiting if not wish.tried]
        if new:
            none = Proposal(self._ref.uid, -1, -1, {}, (), "model")  # never up to date
            await self._execute(new, [none] * len(new), stale_ok=False)

    def _think(self) -> None:
        self._quick = self._slow and time.monotonic() - self._crowded < _CROWD_SECONDS
        count = min(len(self.waiting), _MAX_EXACT)
        if self._quick:
            wanted = len(self.waiting) + round(_SPARE * self._served)
            count = min(max(wanted, _MIN_BATCH), _MAX_BATCH)
        self._served = 0
        self._thinking = asyncio.create_task(self._suggestions(count, self._quick))
        self._thinking.add_done_callback(self._thought)

    def _thought(self, task: asyncio.Task[list[Proposal]]) -> None:
        if not task.cancelled():
            task.exception()  # if all have gone, nobody else looks at it
        self._news.set()

    async def _suggestions(self, count: int, quick: bool) -> list[Proposal]:
        # the stock may be asked meanwhile; what is left of it is dropped when the new one is there
        beside = [proposal.params for proposal in self._stock] if quick else []
        began = time.monotonic()
        found = await self.process.do("suggest", self._ref, count=count, quick=quick, beside=beside)
        if not quick:
            self._slow = time.monotonic() - began > self._deadline
        return [_proposal(data) for data in found]

    async def _take_thought(self) -> None:
        """Take the proposals that the model made."""
        if self._thinking is None or not self._thinking.done():
            return
        thought, self._thinking = self._thinking, None
        try:
            proposals = thought.result()
        except Problem:  # the process was restarted, or has too much to do: it is asked again
            await asyncio.sleep(_PAUSE_SECONDS)
            return
        except Computing as error:
            if not self._quick:
                raise
            _LOG.error("suggestions that share the work failed: %s", error)
            self._slow = False  # the exact ones are tried again
            return
        if not self.waiting:
            self._keep(proposals)
            return
        wishes = self.waiting[: len(proposals)]
        tired = any(wish.tried > _MAX_TRIES for wish in wishes)
        self._served += len(wishes)
        stale_ok = tired or self._quick or not self._alone()
        await self._execute(wishes, proposals, stale_ok=stale_ok)
        self._keep(proposals[len(wishes) :])

    async def _overdue(self) -> None:
        """Who waited until the deadline, and is not alone, takes what there is."""
        now = time.monotonic()
        if now - self._stocked > _STOCK_SECONDS:
            self._stock = []
        late = self._waiting_for(self._patience(), now)
        last = self._waiting_for(_LAST_RESORT * self._patience(), now)
        count = max(min(len(late), len(self._stock)), len(last))
        if not count:
            return
        proposals, self._stock = self._stock[:count], self._stock[count:]
        self._served += count
        draws = count - len(proposals)
        await self._execute(late[:count], proposals, draws=draws, stale_ok=True)

    def _waiting_for(self, seconds: float, now: float) -> list[Wish]:
        """Those who have waited for so long, the first of them first."""
        return [wish for wish in self.waiting if now - wish.since >= seconds]

    def _keep(self, proposals: list[Proposal]) -> None:
        """Keep the newest proposals that nobody waited for, for whoever is late next."""
        self._stock, self._stocked = proposals, time.monotonic()

    def _until_next(self) -> float:
        """Seconds until somebody is late, or can't wait for the model any longer."""
        now, patience = time.monotonic(), self._patience()
        waited = [now - wish.since for wish in self.waiting]
        ends = [patience - each for each in waited if self._stock or each < patience]
        ends += [_LAST_RESORT * patience - each for each in waited]
        return max(0.001, min(ends))

    def _alone(self) -> bool:
        """Whether all wishes are of one request."""
        return len({id(wish.request) for wish in self.waiting}) <= 1

    def _patience(self) -> float:
        return _PATIENCE_SECONDS if self._alone() else self._deadline

    async def _execute(
        self,
        wishes: Sequence[Wish],
        proposals: list[Proposal],
        *,
        draws: int = 0,
        stale_ok: bool,
    ) -> None:
        """Ask with the proposals, in their order, and with draws after them.

        Whoever gets no trial goes on waiting.
        """
        asked = list(wishes)

        def take(study: Study) -> list[StudyTrial | Exception | None]:
            drawn = study.suggest(draws, model=False) if draws else []
            return _take_all(study, asked, [*proposals, *drawn], stale_ok)

        results = await self._writer.run(self._ref, take)
        for wish, result in zip(asked, results, strict=True):
            wish.tried += 1
            if isinstance(result, StaleProposal):
                continue
            with contextlib.suppress(ValueError):
                self.waiting.remove(wish)
            if wish.done.done():
                continue
            if isinstance(result, Exception):
                wish.done.set_exception(result)
            else:
                wish.done.set_result(result)


def _take_all(
    study: Study, wishes: list[Wish], proposals: list[Proposal], stale_ok: bool
) -> list[StudyTrial | Exception | None]:
    """In the writer: one ask after the other; a proposal that was not used goes to the next."""
    results: list[StudyTrial | Exception | None] = []
    left = iter(proposals)
    proposal = next(left)
    for wish in wishes:
        try:
            trial = wish.take(study, proposal, stale_ok)
        except Exception as error:
            results.append(error)
            continue
        results.append(trial)
        if trial is None or trial.made not in _WITHOUT_THOUGHT:
            proposal = next(left, proposal)
    return results


def _proposal(data: dict[str, Any]) -> Proposal:
    return Proposal(**{**data, "before": tuple(data["before"])})
