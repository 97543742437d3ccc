"""``stoic reproduce``, ``stoic run``, ``stoic kinds``, ``stoic compare``: the extra ``lab``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer
from rich.table import Table

from stoic.cli.progress import watching
from stoic.errors import InvalidInput, StoicError
from stoic.lab.attacks import attacks
from stoic.lab.experiments import catalogue, toml
from stoic.lab.experiments.catalogue import CheckedClaim, Reproduction
from stoic.lab.experiments.compare import compare as compare_results
from stoic.lab.experiments.figures import matplotlib
from stoic.lab.experiments.publish import publish
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.runner import run as run_experiments
from stoic.lab.experiments.sentences import apart, opening, tally
from stoic.lab.experiments.spec import Case, Experiment
from stoic.lab.noise import noises
from stoic.lab.problems import problems
from stoic.policies import names as policy_names
from stoic.streams import is_stream
from stoic.terminal import Console, Text, refuse

__all__ = ["How", "compare", "kinds", "reproduce", "run"]

console = Console()


@dataclass(frozen=True)
class How:
    """Options of the runs: workers, trials, schedules, folder."""

    out: Path
    trials: int | None
    schedule: list[str] | None
    fresh: bool
    engine: str
    workers: int | None
    scheduler: str | None

    def resized(self, parts: list[Experiment]) -> list[Experiment]:
        """Experiments with the trials and schedules that were asked for."""
        schedules = tuple(self.schedule) if self.schedule else None
        return [part.resized(trials=self.trials, schedules=schedules) for part in parts]

    def __post_init__(self) -> None:
        if is_stream(self.out):
            raise InvalidInput("expected --out as a folder, for results are several files, got -")

    def run(self, parts: list[Experiment], folder: Path, store: Path | None = None) -> Results:
        """The results of some experiments, with a bar while they are made."""
        matplotlib()  # a missing package must be reported before hours of work
        with watching(console) as watch:
            return run_experiments(
                parts,
                folder,
                store=store,
                fresh=self.fresh,
                engine=self.engine,
                workers=self.workers,
                scheduler=self.scheduler,
                watch=watch,
            )

    @property
    def words(self) -> str:
        """The options that change the results, as on the command line."""
        trials = f" --trials {self.trials}" if self.trials is not None else ""
        return trials + "".join(f" --schedule {name}" for name in self.schedule or [])


def reproduce(names: list[str], everything: bool, quick: bool, how: How) -> None:
    """Run experiments of papers; without a name, list them."""
    if not names and not everything:
        _list()
        return
    entries = [catalogue.find(name) for name in names]
    failed = []
    for entry in list(catalogue.CATALOGUE.values()) if everything else entries:
        try:
            _reproduce(entry, quick, how)
        except StoicError as refused:  # the others run nevertheless
            failed.append(refused)
            refuse(refused)
    if failed:
        raise typer.Exit(2)


def _reproduce(entry: Reproduction, quick: bool, how: How) -> None:
    root = how.out / "quick" if quick else how.out
    console.rule(Text(f"{entry.name}: {entry.title}"), align="left")
    parts = how.resized(entry.build(quick))
    size = entry.size(parts)
    if not size.full:
        console.print(Text(opening(size), style="yellow"), soft_wrap=True)
    results = how.run(parts, root / entry.name, root / "runs")
    claims = entry.check(results)
    command = f"stoic reproduce {entry.name}" + (" --quick" if quick else "") + how.words
    report = publish(root / entry.name, results, entry, claims=claims, command=command)
    _show(entry, results, claims)
    console.print(Text(f"report: {report}"), soft_wrap=True)


def _list() -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("name", "what", "needs"):
        table.add_column(heading, no_wrap=heading == "name")
    for entry in catalogue.CATALOGUE.values():
        table.add_row(entry.name, entry.title, entry.needs and f"data: {entry.needs}")
    console.print(table)
    console.print("\nstoic reproduce NAME [--quick] runs one; data is read from $STOIC_DATA.")


def _show(entry: Reproduction, results: Results, claims: list[CheckedClaim]) -> None:
    """The paper's claims, our own questions, and the verdict with its one explanation."""
    papers, ours = apart(claims)
    _claims("claims of the paper", papers)
    _claims("our own questions", ours)
    for claims_of in filter(None, (papers, ours)):
        console.print(Text(tally(claims_of)), soft_wrap=True)
    outcome = entry.outcome(claims)
    for name, text in (
        ("question" if outcome == "ours" else "the paper shows", entry.shows),
        ("we get", entry.measured(results)),
        ("verdict", "" if outcome == "ours" else outcome),
        ("inferred from the print", entry.inferred),
        ("cannot follow from the text", entry.impossible),
        ("our explanation", entry.explanation(claims)),
    ):
        if text:
            console.print(Text(f"{name}: {text}"), soft_wrap=True)


def _claims(title: str, claims: list[CheckedClaim]) -> None:
    if not claims:
        return
    table = Table(title=title, title_justify="left", show_lines=True)
    for heading in ("claim", "verdict", "measured"):
        table.add_column(heading)
    for claim in claims:
        verdict = Text(claim.word, style="green" if claim.holds else "yellow")
        table.add_row(Text(claim.says), verdict, Text(claim.figures))
    console.print(table)


def run(file: Path, how: How) -> None:
    """Run an experiment of the user's own, and report on it."""
    part = toml.load(file)
    results = how.run(how.resized([part]), how.out / part.name)
    command = f"stoic run {file}{how.words}"
    report = publish(how.out / part.name, results, part.name, command=command)
    console.print(Text(f"report: {report}"), soft_wrap=True)


def kinds() -> None:
    """List the policies, problems, noises and attacks that an experiment can be made of."""
    for registry in (problems, noises, attacks):
        table = Table(title=registry.what, title_justify="left", box=None, pad_edge=False)
        for heading in ("kind", "parameters", "what"):
            table.add_column(heading, no_wrap=heading == "kind")
        for kind in registry.kinds():
            parameters = ", ".join(registry.parameters(kind))
            what = (registry.maker(kind).__doc__ or "").strip().splitlines()
            table.add_row(kind, parameters, what[0] if what else "")
        console.print(table, "")
    console.print("policies: " + ", ".join(policy_names()))


def compare(first: Path, second: Path, column: str) -> None:
    """Compare two results trial by trial."""
    if is_stream(first) and is_stream(second):
        raise InvalidInput("expected one file from standard input, got two; name the other")
    table = Table(title=f"{column} at the end, trial by trial")
    for heading in ("case", "trials", "first", "second", "difference", "95 % interval"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for row in compare_results(Results.read(first), Results.read(second), column=column):
        gap = row.difference
        table.add_row(
            Text(_name(row.a, row.b)),
            str(row.trials),
            f"{row.mean_a:.4g}",
            f"{row.mean_b:.4g}",
            f"{gap.mean:+.3g}",
            f"[{gap.low:+.3g}, {gap.high:+.3g}]" + (" *" if gap.settled else ""),
        )
    console.print(table)
    console.print("difference: first − second; * the interval excludes zero")


def _name(a: Case, b: Case) -> str:
    policies = a.policy if a.policy == b.policy else f"{a.policy} − {b.policy}"
    setting = (a.problem, a.noise, a.attack, a.schedule, f"T = {a.horizon}")
    return ", ".join(part for part in (policies, *setting) if part)
