"""Our policies against the papers' cost of the same policies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from speed.paper import PAPER
from speed.report import Goal, Options, Section, duration, ratio
from speed.timing import MIN_TIMED_SECONDS, History, agreement, in_turn, ours, sampled
from speed.work import Method, World, cube, park2024

__all__ = ["bkb", "five_dimensions", "one_dimension", "quadrature_and_nystrom", "two_dimensions"]

HEAD = ["policy", "schedule", "ours", "a round", "paper's cost", "ratio"]
HEAD += ["ratio, kernel tabulated", "same choices"]
EXACT = ("gp-ucb", "tgp-ucb", "ca-tgp-ucb", "mom-gp-ucb")
SCHEDULES = ("practical", "paper")
CHECKED_ROUNDS = 300  # rounds whose choices are compared


class Comparison:
    """Lines of a section, one for each method."""

    def __init__(self, options: Options, title: str, world: World, rounds: int) -> None:
        self.options, self.world, self.rounds = options, world, rounds
        self.section = Section(title, HEAD, notes=[self._how()])
        self.ratios: dict[Method, float] = {}
        X = world.problem.domain.X
        self.table = world.problem.kernel(X, X)

    def _how(self) -> str:
        paper = "Paper's cost: every round of the same history, once."
        if not self.options.full:
            paper = (
                f"Paper's cost: {self._points} evenly spaced rounds of the same history, the least "
                f"of {self._paper_repeats} each, summed over t."
            )
        return (
            f"T = {self.rounds}. Ours: all of ask and tell, the least of {self._repeats} runs, or "
            f"of as many as take {MIN_TIMED_SECONDS:g} s. {paper} "
            "Tabulated: the same with all kernel values of arms known beforehand, always on "
            "sampled rounds."
        )

    @property
    def _points(self) -> int:
        return self.options.pick(20, 4)

    @property
    def _repeats(self) -> int:
        return self.options.pick(3, 1)

    @property
    def _paper_repeats(self) -> int:
        return self.options.pick(4, 1)

    def add(self, methods: Iterable[Method]) -> dict[Method, History]:
        """Time methods and add their lines."""
        return {method: self._add(method) for method in methods}

    def _add(self, method: Method) -> History:
        self.options.tick(f"{self.section.title}: {method.label}, {method.schedule}")
        history = ours(method, self.world, self.rounds, self._repeats)
        unplayed = method.make(self.world, self.rounds)
        paper, tabulated = (partial(PAPER[method.name], unplayed, k) for k in (None, self.table))
        checked = self.rounds if self.options.full else self.options.pick(CHECKED_ROUNDS, 60)
        found = agreement(paper(), method.make(self.world, self.rounds), history, checked)
        spent, how = found.seconds, (history, self._points, self._paper_repeats)
        if not self.options.full:
            spent = sampled(paper, *how)
        least = sampled(tabulated, *how)
        self.ratios[method] = spent / history.seconds
        plays = history.payoffs.shape[1]
        self.section.rows.append(
            [
                method.label + (f", ℓ = {plays}" if plays > 1 else ""),
                method.schedule,
                duration(history.seconds),
                duration(history.seconds / self.rounds),
                duration(spent),
                ratio(self.ratios[method]),
                ratio(least / history.seconds),
                str(found),
            ]
        )
        return history

    def add_goal(self, work: str, baseline: str, least: float) -> None:
        """The goal of the default schedule's lines."""
        mine = {m.label: r for m, r in self.ratios.items() if m.schedule == "practical"}
        measured = ", ".join(f"{label} {ratio(r)}×" for label, r in mine.items())
        met = min(mine.values()) >= least
        self.section.goals.append(Goal(work, baseline, f"≥ {least:,.0f}×", measured, met))


def _exact(options: Options, title: str, world: World, least: float) -> Section:
    part = Comparison(options, title, world, options.pick(1000, 150))
    part.add(Method(name, schedule) for schedule in SCHEDULES for name in EXACT)
    part.section.notes.append("A round of MoM-GP-UCB is an episode of ℓ plays.")
    part.add_goal(f"{title}, T = {part.rounds}", "paper cost", least)
    return part.section


def one_dimension(options: Options) -> Section:
    """park2024's function of the kernel's space."""
    return _exact(options, "1-D RKHS, 1000 arms", park2024("1d"), 1000.0)


def two_dimensions(options: Options) -> Section:
    """Griewank's function on a grid."""
    return _exact(options, "2-D Griewank, 400 arms", park2024("2d"), 300.0)


def five_dimensions(options: Options) -> Section:
    """Griewank's function on normal draws."""
    arms = options.pick(5000, 1000)
    return _exact(options, f"5-D Griewank, {arms} arms", park2024("5d", arms), 100.0)


def quadrature_and_nystrom(options: Options) -> Section:
    """ATA-GP-UCB against its own cost, and against our GP-UCB."""
    title = "ATA-GP-UCB on the 1-D RKHS, 1000 arms"
    part = Comparison(options, title, park2024("1d"), options.pick(1000, 100))
    kinds = ({"features": "nystrom"}, {"features": "qff"})
    for schedule in SCHEDULES:
        methods = [Method("ata-gp-ucb", schedule, dict(kind)) for kind in kinds]
        part.add(methods)
        unit, turns = Method("gp-ucb", schedule), options.pick(11, 1)
        slower = in_turn(methods, unit, part.world, part.rounds, turns)
        text = ", ".join(f"{method.label} {ratio(r)}×" for method, r in slower.items())
        part.section.notes.append(
            f"A round of our GP-UCB as unit ({schedule}), the median of {turns} turns: {text}."
        )
        if schedule == "practical":
            met = max(slower.values()) <= 10.0
            goal = Goal("ATA, a round of", "our own GP-UCB", "≤ 10×", text, met)
    part.add_goal(f"ATA on the 1-D RKHS, T = {part.rounds}", "paper cost of ATA", 1000.0)
    part.section.goals.append(goal)
    features = methods[1].make(part.world, part.rounds).posterior.size
    part.section.notes.append(f"Quadrature has {features} features.")
    return part.section


def bkb(options: Options) -> Section:
    """BKB against calandriello2019 §3.2."""
    world, rounds = cube(options.pick(1000, 300), 3, 0.5), options.pick(2000, 150)
    part = Comparison(options, f"BKB, {len(world.problem.f)} arms in 3-D", world, rounds)
    part.add(Method("bkb", schedule) for schedule in SCHEDULES)
    part.add_goal(f"{part.section.title}, T = {rounds}", "paper cost of BKB", 20.0)
    return part.section
