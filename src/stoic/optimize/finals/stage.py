"""The finals of an optimiser: begin and end them, follow their race, conclude from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stoic.checks import Array
from stoic.errors import InvalidInput
from stoic.optimize.answers.records import Suspect
from stoic.optimize.finals.baseline import measurements_due
from stoic.optimize.finals.contenders import challengers
from stoic.optimize.finals.needed import measurements_needed
from stoic.optimize.finals.race import RULE, Finals, Race
from stoic.optimize.finals.record import FinalsRecord
from stoic.optimize.finals.verdict import NOT_SHOWN, WORSE, Pair, Verdict, compared
from stoic.optimize.history import History
from stoic.optimize.knowledge import Knowledge
from stoic.optimize.modeller import Modeller
from stoic.parallel import one_thread

__all__ = ["Stage"]

Params = Mapping[str, Any]


class Stage:
    """Whether an optimiser searches or holds finals, and what the finals show."""

    def __init__(
        self,
        history: History,
        modeller: Modeller,
        seed: int,
        baseline: dict[str, Any] | None,
        suspects: Callable[[], tuple[Suspect, ...]],
    ) -> None:
        self._history, self._modeller, self._seed = history, modeller, seed
        self.baseline, self._suspects = baseline, suspects
        self._race: Race | None = None

    @property
    def race(self) -> Race | None:
        """The race of the finals that began last, unless they were ended."""
        return self._race

    @property
    def finals(self) -> Finals | None:
        """These finals."""
        return None if self._race is None else self._race.finals

    def baseline_due(self, waiting: list[Array]) -> Array | None:
        """The point of the baseline, if another measurement of it is due."""
        if self.baseline is None:
            return None
        history = self._history
        point = history.space.encode(self.baseline)
        pending = sum((other == point).all() for other in waiting)
        made = int((history.reported() == point).all(axis=1).sum()) + pending
        due = measurements_due(len(history) + len(waiting), history.design_size)
        return point if made < due else None

    def measurements_needed(self, known: Callable[[], Knowledge], least: int, most: int) -> int:
        """How many measurements of each would show that the answer is better; see `needed`."""
        if self.baseline is None or not self._history.successes or most <= least:
            return most
        base = self._history.space.encode(self.baseline)
        with one_thread():
            return measurements_needed(known(), base, least, most, self._seed)

    def contenders(self, known: Knowledge, evaluations: int) -> list[dict[str, Any]]:
        """Who would take part in finals now: the answer first, the baseline last."""
        base = None if self.baseline is None else self._history.space.encode(self.baseline)
        points = challengers(known, base, evaluations, self._seed)
        return self._with_baseline([self._history.configuration(point) for point in points])

    def _with_baseline(self, others: Sequence[Params]) -> list[dict[str, Any]]:
        """These configurations, each once, and the baseline after them."""
        last = [] if self.baseline is None else [self.baseline]
        points = self._history.space.read([*last, *others])[0]
        first = {point.tobytes(): i for i, point in reversed(list(enumerate(points)))}
        chosen = [others[i - len(last)] for i in sorted(first.values()) if i >= len(last)]
        return [dict(params) for params in (*chosen, *last)]

    def begin(self, contenders: Sequence[Params], evaluations: int) -> Finals:
        """Begin finals of some contenders from now on; the baseline takes part in any case."""
        every = self._with_baseline(contenders)
        if len(every) < 2:
            raise InvalidInput(
                f"expected at least two contenders, the baseline included, got {len(every)}; "
                "evaluate more, or name others"
            )
        finals = Finals(len(self._history), evaluations, tuple(every), self.baseline is not None)
        self._race = Race(finals, self._history, self._modeller, self._seed)
        return finals

    def end(self) -> None:
        """Go on with the search."""
        self._race = None

    def verdict(self) -> Verdict | None:
        """What the finals have shown so far; None without finals."""
        return None if self._race is None else self._judged(self._race)[0]

    def record(self) -> FinalsRecord | None:
        """The finals so far, block by block; None without finals."""
        return None if self._race is None else FinalsRecord.of(self._race)

    def winner(self) -> Array | None:
        """The contender that is the answer; None without finals."""
        if self._race is None:
            return None
        point: Array = self._race.points[self._judged(self._race)[1]]
        return point

    def _judged(self, race: Race) -> tuple[Verdict, int]:
        """The verdict, and which contender is the answer.

        The answer is the best challenger by all measurements. It is the baseline where the finals
        show the challenger to be worse, or don't show which one is better while all measurements
        together leave a fair chance that the baseline is.
        """
        leaders, base = race.leaders(), race.baseline
        best = leaders[0]
        other = leaders[1] if base is None else base
        aim, (blocks, left_out) = self._history.aim, self._blocks(race, other, best)
        verdict = compared(
            [pair for block in blocks for pair in block],
            aim.direction,
            blocks=[len(block) for block in blocks if block],
            target=aim.target,
            params=race.finals.contenders[best],
            reference=race.finals.contenders[other],
            has_baseline=base is not None,
        )
        verdict = replace(verdict, left_out=left_out)
        if base is None:
            return verdict, best
        values = race.values()
        fewer = values[best].count(None) < values[base].count(None)  # failures
        doubtful = verdict.word == NOT_SHOWN and race.chance(best, base) < RULE.keeps_baseline
        kept = verdict.word == WORSE or (doubtful and not fewer)
        return replace(verdict, kept=kept), base if kept else best

    def _blocks(self, race: Race, other: int, best: int) -> tuple[list[list[Pair]], int]:
        """Values of two contenders in the blocks of the verdict, and how many are left out.

        An impossible value shows nothing. An average is one without suspects; a typical value is
        robust, and needs all.
        """
        aim, left_out = self._history.aim, 0
        corrupt = {each.trial for each in self._suspects()} if aim.target == "mean" else set()
        blocks: list[list[Pair]] = []
        for rounds in race.verdict_rounds(other, best):
            pairs: list[Pair] = []
            for rows in rounds:
                y, x = (self._history.trials[row].value for row in rows)
                possible = all(value is None or aim.allows(value) for value in (y, x))
                if possible and not corrupt & {*rows}:
                    pairs.append((y, x))
                else:
                    left_out += 1
            blocks.append(pairs)
        return blocks, left_out
