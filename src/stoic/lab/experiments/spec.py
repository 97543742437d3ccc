"""The specification of an experiment, and the runs it consists of.

Runs are the product of problems, noises, attacks, policies, schedules, horizons and trials. The
dataclasses hold data only. They can also be written as TOML (:mod:`.toml`).
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from stoic.checks import choice, describe, integer, number
from stoic.errors import InvalidInput
from stoic.lab.experiments.tables import (
    Table,
    check_table,
    check_text,
    is_plain_name,
    is_text,
    label_of,
    without_labels,
)

__all__ = ["Case", "Experiment", "PolicySpec", "Run"]

SCHEDULES = ("practical", "paper", "theory")  # of the policies in stoic.policies
RECORDS = ("beliefs", "epochs", "accuracy")


@dataclass(frozen=True)
class PolicySpec:
    """A policy of an experiment.

    Attributes
    ----------
    policy
        A registered name such as ``"tgp-ucb"``, or your own class as ``"package.module:Class"``
        or ``"file.py:Class"``.
    label
        Its name in results and figures; by default, the policy's name.
    schedule
        A schedule of its own, instead of the experiment's: a name, or ``"module:Class"``.
    instead
        Schedules that replace the experiment's, by name: ``{"paper": "module:Class"}``.
    schedule_options
        Parameters of the schedule, by its name, e.g. ``{"paper": {"beta": 6.0}}``.
    options
        Parameters of the policy, e.g. ``{"features": "qff"}``.
    view
        The name of the (domain, kernel) pair of the problem that the policy gets.
    lam
        λ.
    """

    policy: str
    label: str = ""
    schedule: str | None = None
    instead: Table = field(default_factory=dict)
    schedule_options: Table = field(default_factory=dict)
    options: Table = field(default_factory=dict)
    view: str | None = None
    lam: float = 1.0

    def __post_init__(self) -> None:
        if not is_text(self.policy):
            raise InvalidInput(
                f"expected a policy's name or 'module:Class', got {describe(self.policy)}"
            )
        number(self.lam, "lam", above=0.0)
        for name in ("label", "schedule", "view"):
            if getattr(self, name) is not None:
                check_text(getattr(self, name), f"a policy's {name}", empty=name == "label")
        for name in ("instead", "schedule_options", "options"):
            check_table(getattr(self, name), f"a policy's {name}")
        if not self.label:
            object.__setattr__(self, "label", self.policy.rpartition(":")[2])

    def within(self, schedules: Collection[str]) -> PolicySpec:
        """The same policy without replacements for other schedules than these."""
        instead = {name: value for name, value in self.instead.items() if name in schedules}
        return replace(self, instead=instead)

    def under(self, schedule: str) -> PolicySpec:
        """The policy of a run, with one schedule and its own options alone."""
        options = self.schedule_options.get(schedule, {})
        schedule = self.instead.get(schedule, schedule)
        return replace(self, schedule=schedule, instead={}, schedule_options=options)


@dataclass(frozen=True)
class Case:
    """The settings of one curve of a figure: everything except the trial."""

    experiment: str
    problem: str
    noise: str
    attack: str
    schedule: str
    horizon: int
    policy: str


@dataclass(frozen=True)
class Run:
    """One run: everything that a worker needs, as data.

    ``key`` is a digest of the settings and versions; it identifies a finished run.
    """

    case: Case
    trial: int
    problem: Table
    noise: Table
    attack: Table
    policy: PolicySpec
    checkpoints: int
    record: tuple[str, ...]
    moment_order: float
    delta: float
    budget: float | None
    versions: Table

    @cached_property
    def key(self) -> str:
        """Twenty hexadecimal digits that identify these settings and versions."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Experiment:
    """A grid of runs.

    Attributes
    ----------
    name
        Of letters, digits, ``-``, ``_``, ``.`` and ``/``.
    problems, noises, attacks
        Tables ``{"kind": …, **parameters}``; every combination is run. An empty table of noise is
        for problems with their own payoffs; an empty table of attack means no attack. A noise
        may have a ``moment_order``; an attack may have ``policies``, the labels of the policies
        that it is run against.
    policies
        :class:`PolicySpec`, or names.
    schedules
        The schedules of every policy without a schedule of its own.
    horizons
        T; several for curves over T.
    trials
        Runs of each case; trial i draws the same function and noise for all policies.
    moment_order, delta, budget
        Assumptions of the theory and paper schedules; the budget is the attack's unless another
        is given.
    checkpoints
        The approximate number of recorded rounds, half of them evenly and half geometrically
        spaced.
    record
        More tables: ``"beliefs"`` (mean and bounds of every arm at the end), ``"epochs"``
        (arms left at the end of each epoch), ``"accuracy"`` (variance against the exact one).
    first_trial
        Number of the first trial.
    """

    name: str
    problems: tuple[Table, ...]
    policies: tuple[PolicySpec, ...]
    noises: tuple[Table, ...] = ({},)
    attacks: tuple[Table, ...] = ({},)
    schedules: tuple[str, ...] = ("practical",)
    horizons: tuple[int, ...] = (1000,)
    trials: int = 10
    moment_order: float = 1.0
    delta: float = 0.1
    budget: float | None = None
    checkpoints: int = 120
    record: tuple[str, ...] = ()
    first_trial: int = 0

    def __post_init__(self) -> None:
        if not is_text(self.name) or not is_plain_name(self.name):
            raise InvalidInput(
                "expected a name of letters, digits, '-', '_', '.' and '/', "
                f"got {describe(self.name)}"
            )
        for name in ("problems", "policies", "noises", "attacks", "schedules", "horizons"):
            if isinstance(getattr(self, name), str) or not isinstance(
                getattr(self, name), Sequence
            ):
                raise InvalidInput(
                    f"expected {name} as a tuple, got {describe(getattr(self, name))}"
                )
            if not getattr(self, name):
                raise InvalidInput(f"expected at least one of {name}, got none")
        specs = tuple(PolicySpec(p) if isinstance(p, str) else p for p in self.policies)
        object.__setattr__(self, "policies", specs)
        self._check_tables()
        self._check_policies()
        for schedule in self.schedules:
            check_text(schedule, "schedule")
        for horizon in self.horizons:
            integer(horizon, "horizon", at_least=1)
        integer(self.trials, "trials", at_least=1)
        integer(self.first_trial, "first_trial", at_least=0)
        integer(self.checkpoints, "checkpoints", at_least=2)
        number(self.moment_order, "moment_order", above=0.0, at_most=1.0)
        number(self.delta, "delta", above=0.0, at_most=1.0)
        if self.budget is not None:
            number(self.budget, "budget", at_least=0.0)
        for record in self.record:
            choice(record, "record", RECORDS)

    def _check_tables(self) -> None:
        for name in ("problems", "noises", "attacks"):
            for table in getattr(self, name):
                check_table(table, f"{name} as tables, one of them")
                check_text(table.get("label", ""), f"the label of one of {name}", empty=True)
        for noise in self.noises:
            order = noise.get("moment_order", 1.0)
            number(order, "a noise's moment_order", above=0.0, at_most=1.0)

    def _check_policies(self) -> None:
        labels = [spec.label for spec in self.policies]
        if len(set(labels)) < len(labels):
            raise InvalidInput(f"expected a label of its own for each policy, got {labels}")
        for attack in self.attacks:
            chosen = attack.get("policies", labels)
            if isinstance(chosen, str) or not set(chosen) <= set(labels):
                raise InvalidInput(
                    f"expected an attack's policies as a list of labels among {labels}, "
                    f"got {describe(chosen)}"
                )
        for spec in self.policies:
            for name, options in spec.schedule_options.items():
                check_table(options, f"schedule_options for {name!r}")
            known = {*SCHEDULES, *self.schedules, *([spec.schedule] if spec.schedule else [])}
            unknown = (set(spec.instead) | set(spec.schedule_options)) - known
            if unknown:
                raise InvalidInput(
                    f"expected options of {spec.label} by schedule, among {sorted(known)}, "
                    f"got {sorted(unknown)}; write schedule_options = {{ paper = {{ … }} }}"
                )

    def resized(
        self, *, trials: int | None = None, schedules: tuple[str, ...] | None = None
    ) -> Experiment:
        """The same experiment with other trials or schedules."""
        kept = self.schedules if schedules is None else schedules
        policies = tuple(spec.within({*SCHEDULES, *kept}) for spec in self.policies)
        trials = self.trials if trials is None else trials
        return replace(self, trials=trials, schedules=kept, policies=policies)

    def runs(self, origins: Callable[[Table, PolicySpec], Table] | None = None) -> Iterator[Run]:
        """Every run, trial by trial, so that an unfinished sweep has complete trials.

        ``origins`` gives what a run of a problem and a policy depends on besides its settings.
        """
        grid = itertools.product(
            range(self.first_trial, self.first_trial + self.trials),
            self.horizons,
            self.problems,
            self.noises,
            self.attacks,
            self.policies,
        )
        for trial, horizon, problem, noise, attack, spec in grid:
            if spec.label not in attack.get("policies", (spec.label,)):
                continue
            for schedule in (spec.schedule,) if spec.schedule else self.schedules:
                case = Case(
                    self.name, label_of(problem), label_of(noise), label_of(attack),
                    schedule.rpartition(":")[2], horizon, spec.label,
                )  # fmt: skip
                chosen = spec.under(schedule)
                yield Run(
                    case=case,
                    trial=trial,
                    problem=without_labels(problem),
                    noise=without_labels(noise),
                    attack=without_labels(attack),
                    policy=chosen,
                    checkpoints=self.checkpoints,
                    record=self.record,
                    moment_order=float(noise.get("moment_order", self.moment_order)),
                    delta=self.delta,
                    budget=attack.get("budget") if self.budget is None else self.budget,
                    versions=dict(origins(problem, chosen)) if origins else {},
                )
