"""Run a duel: blocks in random order, a comparison after each, until all is decided."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from stoic.comparison import Comparison, Margin, compare
from stoic.duels.contenders import Contender, ContenderFailed, Run
from stoic.printable import visible
from stoic.randomness import generator
from stoic.redaction import redacted

__all__ = ["Duel", "Rules"]

_LOG = logging.getLogger("stoic.duels")
_MAX_LOOK_SHARE = 0.1  # of the time, for intervals that are shown meanwhile
_MAX_FIRST_FAILURES = 3  # runs of a contender that may all fail before the duel ends

Call = Callable[[Callable[[], Run]], Run]


def _directly(act: Callable[[], Run]) -> Run:
    return act()


@dataclass(frozen=True)
class Rules:
    """What is wanted, and when to stop."""

    direction: str
    margin: Margin
    budget: int
    """Blocks at most."""
    seconds: float | None = None
    """Time at most; a block that would probably exceed it is not begun."""
    confidence: float = 0.95
    seed: int = 0
    warmup: int = 0
    """Blocks at the beginning whose values are not used."""


@dataclass
class Duel:
    """A duel under way: the first contender is the baseline.

    A challenger that is decided is not run again. The order within a block is a random permutation
    of its own, which the comparison relies on.
    """

    contenders: Sequence[Contender]
    rules: Rules
    call: Call = _directly
    """Makes each run; another one can notice that the user wants to stop."""
    values: list[list[float | None]] = field(init=False)
    failures: list[Counter[str]] = field(init=False)
    comparisons: dict[int, Comparison] = field(init=False)
    blocks: int = 0
    running: int | None = None
    """The contender that runs now."""
    ended_by: str = ""
    """``"decided"``, ``"budget"``, ``"time"`` or ``"interrupted"``; empty while it runs."""
    notes: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.values = [[] for _ in self.contenders]
        self.failures = [Counter() for _ in self.contenders]
        self.comparisons, self.notes = {}, {}
        self.started = time.monotonic()
        self._lengths: list[float] = []  # of the blocks, in seconds
        self._full_look = (self.started, 0.0)  # when it ended, and how long it took
        self.compare()

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self.started

    @property
    def open(self) -> list[int]:
        """The challengers that are not decided."""
        return [i for i, found in self.comparisons.items() if found.decision == "undecided"]

    def run(self, observe: Callable[[], None] = lambda: None) -> None:
        """Run to the end; ``observe`` is called after each block."""
        names = " ".join(contender.name for contender in self.contenders)
        _LOG.info("duel begins: %s", visible(redacted(names)))
        try:
            self._run(observe)
        finally:
            self.compare()
            _LOG.info("duel ended by %s after %d blocks", self.ended_by or "an error", self.blocks)

    def _run(self, observe: Callable[[], None]) -> None:
        for block in range(-self.rules.warmup, self.rules.budget):
            if not self._time_for_another():
                self.ended_by = "time"
                return
            begun = time.monotonic()
            if not self._block(block):
                self.ended_by = "interrupted"
                return
            self._lengths.append(time.monotonic() - begun)
            if block >= 0:
                self.blocks += 1
                self._look()
            observe()
            if not self.open:
                self.ended_by = "decided"
                return
        self.ended_by = "budget"

    def compare(self) -> None:
        """Compare all challengers with the baseline."""
        for i in range(1, len(self.contenders)):
            self.comparisons[i] = self._compared(i, brief=False)

    def _look(self) -> None:
        """Compare what is open; intervals, which only people look at, if there is time for them."""
        begun = time.monotonic()
        at, took = self._full_look
        brief = took > _MAX_LOOK_SHARE * (begun - at)
        for i in self.open:
            found = self._compared(i, brief=brief)
            if not brief:
                self.comparisons[i] = found
            elif found.decision != "undecided":
                self.comparisons[i] = self._compared(i, brief=False)
        if not brief:
            self._full_look = (time.monotonic(), time.monotonic() - begun)

    def _compared(self, i: int, *, brief: bool) -> Comparison:
        new = self.values[i]
        return compare(
            self.values[0][: len(new)],
            new,
            direction=self.rules.direction,
            margin=self.rules.margin,
            confidence=self.rules.confidence,
            comparisons=len(self.contenders) - 1,
            brief=brief,
        )

    def _time_for_another(self) -> bool:
        if self.rules.seconds is None:
            return True
        expected = median(self._lengths) if self._lengths else 0.0
        return self.elapsed + expected <= self.rules.seconds

    def _block(self, block: int) -> bool:
        """Run each contender once; False where the user stopped it, and nothing is kept."""
        rng = generator(self.rules.seed, block + self.rules.warmup)
        sides = [0, *self.open]
        seed = int(rng.integers(2**31))
        made: dict[int, Run] = {}
        for at in rng.permutation(len(sides)):
            i = self.running = sides[at]
            contender = self.contenders[i]
            found = self.call(lambda contender=contender: contender.run(max(block, 0), seed))  # type: ignore[misc]
            self.running = None
            if found.stopped:
                return False
            self._check(i, found)
            made[i] = found
        if block >= 0:
            for i, found in made.items():
                self._keep(i, found)
        return True

    def _keep(self, i: int, found: Run) -> None:
        self.values[i].append(found.value)
        if found.value is None:
            self.failures[i][found.reason] += 1
        elif found.note:
            self.notes.setdefault(self.contenders[i].name, found.note)

    def _check(self, i: int, found: Run) -> None:
        """End the duel where a contender can't be started, or has never given a value."""
        if found.value is not None:
            return
        name, before = self.contenders[i].name, self.values[i]
        if not found.started:
            raise ContenderFailed(
                f"expected a program that can be started, got {name}, which {found.reason}"
            )
        count = len(before) + 1
        if count >= _MAX_FIRST_FAILURES and all(value is None for value in before):
            raise ContenderFailed(
                f"expected a value of {name}, got none in its first {count} runs: {found.reason}; "
                "run it by hand",
                found.output,
            )
