"""Who gets which suggestion: alone, among several, while the model is late, and without it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

pytest.importorskip("fastapi")

from stoic.errors import StaleProposal
from stoic.server.store.asking import Take
from stoic.server.store.writing import StudyRef, Writer
from stoic.server.thinking.advisers import Advisers
from stoic.server.thinking.process import Computing
from stoic.server.thinking.queue import _MAX_BATCH, _MIN_BATCH
from stoic.study import Proposal, Study, StudyTrial

REF = StudyRef("a", "uid")
Tasks = list[tuple[dict[str, Any], asyncio.Future[list[dict[str, Any]]]]]


class Store:
    """A study that any proposal suits, unless it is ``strict``."""

    def __init__(self) -> None:
        self.strict, self.asked = False, 0

    def suggest(self, count: int, *, model: bool) -> list[Proposal]:
        assert not model
        return [Proposal("uid", 0, 0, {"x": -1.0}, (), "random")] * count

    async def run(self, ref: StudyRef, operation: Callable[[Any], Any]) -> Any:
        assert ref == REF
        return operation(self)


def take(study: Study, proposal: Proposal, stale_ok: bool) -> StudyTrial | None:
    store = cast(Store, study)
    if proposal.number < 0 or (store.strict and not stale_ok):
        raise StaleProposal("expected another")
    store.asked += 1
    return StudyTrial(store.asked, proposal.params, 1, 0.0, "uid", "", proposal.made)


class Thinker:
    """A process that answers when the test lets it."""

    def __init__(self) -> None:
        self.tasks: Tasks = []

    async def do(self, task: str, ref: StudyRef, **arguments: Any) -> list[dict[str, Any]]:
        assert (task, ref) == ("suggest", REF)
        done: asyncio.Future[list[dict[str, Any]]] = asyncio.get_running_loop().create_future()
        self.tasks.append((arguments, done))
        return await done

    async def close(self) -> None:
        """Nothing to end."""

    async def asked(self, count: int) -> dict[str, Any]:
        """What it was asked, when it was asked so often."""
        while len(self.tasks) < count:
            await asyncio.sleep(0.001)
        return self.tasks[count - 1][0]

    def answer(self) -> int:
        """Answer what it was asked last; how many proposals that was."""
        arguments, done = self.tasks[-1]
        count, task = arguments["count"], len(self.tasks)
        made = "batch" if arguments["quick"] else "model"
        done.set_result([
            {"study": "uid", "number": i, "entries": 0, "params": {"x": task + i / 1000},
             "before": (), "made": made}
            for i in range(count)
        ])  # fmt: skip
        return int(count)


class Place:
    """Advisers with a store and a process of the test."""

    def __init__(self, deadline: float) -> None:
        self.store, self.thinker = Store(), Thinker()
        self.advisers = Advisers("", 1, deadline, cast(Writer, self.store))
        self.advisers._processes = [cast(Any, self.thinker)]

    def ask(self, count: int = 1) -> asyncio.Task[list[StudyTrial | None]]:
        takes: list[Take] = [take] * count
        return asyncio.create_task(self.advisers.ask(REF, takes))


def made(found: list[list[StudyTrial | None]]) -> Iterator[str]:
    for trials in found:
        for trial in trials:
            assert trial is not None
            yield trial.made


def test_whoever_asks_alone_waits_for_the_model() -> None:
    async def work() -> None:
        place = Place(deadline=0.01)
        for _ in range(3):
            asked = place.ask(count=2)
            await asyncio.sleep(0.05)  # five deadlines
            assert not asked.done()
            assert (await place.thinker.asked(len(place.thinker.tasks)))["quick"] is False
            place.thinker.answer()
            assert list(made([await asked])) == ["model", "model"]

    asyncio.run(work())


def test_one_that_is_out_of_date_is_made_again_for_whoever_asks_alone() -> None:
    async def work() -> None:
        place = Place(deadline=0.01)
        place.store.strict = True
        asked = place.ask()
        await place.thinker.asked(1)
        place.thinker.answer()
        await place.thinker.asked(2)
        place.store.strict = False
        place.thinker.answer()
        (trial,) = await asked
        assert trial is not None
        assert trial.params["x"] == 2.0  # of the second computation

    asyncio.run(work())


def test_a_model_that_is_late_makes_a_stock() -> None:
    """Draws at first; then proposals that share the work, and those left serve whoever is late."""

    async def work() -> None:
        place = Place(deadline=0.02)
        first = [place.ask() for _ in range(4)]
        assert set(made(await asyncio.gather(*first))) == {"random"}
        assert place.thinker.answer() == 4  # too late for them: four of the next get these
        crowd = [place.ask() for _ in range(8)]
        told = await place.thinker.asked(2)
        assert told["quick"] is True
        assert _MIN_BATCH <= told["count"] <= _MAX_BATCH
        place.thinker.answer()
        kinds = list(made(await asyncio.gather(*crowd)))
        assert sorted(kinds) == ["batch"] * 4 + ["model"] * 4

        more = [place.ask() for _ in range(5)]  # the model thinks again: the stock is there
        beside = (await place.thinker.asked(3))["beside"]
        found = await asyncio.gather(*more)
        assert set(made(found)) == {"batch"}
        asked = [trial.params for trials in found for trial in trials if trial is not None]
        assert all(params in beside for params in asked)  # the next ones account for them
        assert len({params["x"] for params in asked}) == 5

    asyncio.run(work())


def test_where_quick_ones_fail_exact_ones_are_made_again() -> None:
    async def work() -> None:
        place = Place(deadline=0.02)
        await asyncio.gather(*(place.ask() for _ in range(2)))
        place.thinker.answer()
        crowd = [place.ask() for _ in range(4)]
        assert (await place.thinker.asked(2))["quick"] is True
        place.thinker.tasks[-1][1].set_exception(Computing("not positive definite"))
        assert (await place.thinker.asked(3))["quick"] is False
        place.thinker.answer()
        assert {"model", "random"} >= set(made(await asyncio.gather(*crowd)))

    asyncio.run(work())


def test_the_rest_of_an_old_stock_is_dropped() -> None:
    async def work() -> None:
        place = Place(deadline=0.02)
        queue = place.advisers._queue(REF)
        await asyncio.gather(*(place.ask() for _ in range(3)))
        place.thinker.answer()
        for task in (2, 3):
            crowd = [place.ask() for _ in range(4)]
            await place.thinker.asked(task)
            place.thinker.answer()
            await asyncio.gather(*crowd)
            await asyncio.sleep(0.01)
            assert {int(each.params["x"]) for each in queue._stock} == {task}

    asyncio.run(work())
