"""A whole tuning run, from its request to its exit code."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stoic.errors import InvalidInput
from stoic.parallel import Pool, executor
from stoic.remote.anywhere import StoreOptions, open_study
from stoic.report import write_report
from stoic.report.result import Result
from stoic.runs.limits import UNLIMITED
from stoic.runs.loop import Loop
from stoic.runs.patience import GaveUp, patiently
from stoic.runs.signals import StopRequest, stop_requests
from stoic.streams import is_stream
from stoic.study.protocol import StudyVerbs
from stoic.study.running import StudySource
from stoic.terminal import Console, Text, console_beside
from stoic.tune.cluster import ClusterEvaluation
from stoic.tune.display import LineDisplay, LiveDisplay
from stoic.tune.identity import agree
from stoic.tune.measuring import ProgramEvaluation, ProgramRuns, program_of
from stoic.tune.plan import Plan, log_links
from stoic.tune.process.leftovers import Leftovers
from stoic.tune.progress import Progress, ProgressObserver
from stoic.tune.settings import Settings
from stoic.tune.summary import print_summary, resume_command, write_json

__all__ = ["Request", "run"]


@dataclass(frozen=True)
class Request:
    """The settings and options of the command line."""

    settings: Settings
    space_file: Path | None
    report: bool
    json_out: Path | None
    plain: bool

    @property
    def plan(self) -> Plan:
        """The plan of the run, or a typed error."""
        base = Settings() if self.space_file is None else Settings.of_file(self.space_file)
        plan = Plan.of(self.settings.over(base), report=self.report)
        outputs = [path for path in (plan.report, self.json_out) if path is not None]
        if sum(map(is_stream, outputs)) > 1:
            raise InvalidInput(
                "expected --report or --json-out to be -, standard output, got both; name a file"
            )
        for path in outputs:
            _check_writable(path)
        return plan


def _check_writable(path: Path) -> None:
    """Refuse a file that can't be written, before hours of work."""
    if is_stream(path):
        return
    folder = path.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK) or path.is_dir():
        raise InvalidInput(
            f"expected a file in a folder that may be written, got {path}; make it, or name another"
        )


def run(request: Request) -> int:
    """Tune, report, and return the exit code: 0 done, 1 no value at all, 130 stopped."""
    plan = request.plan
    console = console_beside(plan.report, request.json_out)
    started = time.time()
    with open_study(
        plan.store,
        plan.name,
        options=StoreOptions(plan.mode, plan.max_lost_leases),
        space=plan.space,
        direction=plan.direction,
        seed=plan.seed,
        objective=plan.objective,
        baseline=plan.baseline,
        target=plan.target,
        bounds=plan.bounds,
        lease=plan.lease,
    ) as study:
        agree(plan, study.uid)
        plain = request.plain or not console.is_terminal
        stop, gave_up, ended_by = _tune(plan, study, console, plain)
        result = patiently(study.result)
    result = replace(result, interrupted=stop(), ended_by="" if stop() else ended_by)
    print_summary(result, plan, console)
    if gave_up is not None:
        console.print(Text(f"stopped: {gave_up}", style="red"), soft_wrap=True)
    _write_files(request, plan, result, console, started)
    return stop.code or int(result.best is None)


def _tune(
    plan: Plan, study: StudyVerbs, console: Console, plain: bool
) -> tuple[StopRequest, GaveUp | None, str]:
    """Run to the limits; return the stop request, why the run gave up, and what ended it."""
    failed = [trial.reason for trial in study.trials if trial.state == "failed"]
    failures = Counter(reason or "no reason given" for reason in failed)
    progress = Progress(plan.limits, plan.jobs, study.finished, failures)
    progress.baseline = study.baseline
    _greet(plan, study, console)
    title = f"{plan.direction} {plan.objective}: {' '.join(plan.template.public.arguments)}"
    display = LineDisplay(console, progress) if plain else LiveDisplay(console, progress, title)
    with (
        _evaluation(plan, study.seed, console) as (evaluation, pool),
        stop_requests(evaluation.kill) as stop,
        display,
        StudySource(study, plan.limits) as source,
    ):
        loop = Loop(source, evaluation, ProgressObserver(study, progress, display), stop)
        try:
            loop.run(plan.jobs) if pool is None else loop.run_in(pool, plan.jobs)
        except GaveUp as error:
            return stop, error, ""
    return stop, None, source.course.ended_by


@contextmanager
def _evaluation(
    plan: Plan, seed: int, console: Console
) -> Iterator[tuple[ProgramRuns, Pool | None]]:
    """The evaluation of trials, and the pool where they run if that is not here."""
    if plan.engine == "dask":
        with executor("dask", scheduler=plan.scheduler) as pool:
            far = ClusterEvaluation(plan, pool, seed)
            try:
                yield far, pool
            finally:
                far.stop()
        return
    leftovers = Leftovers(plan.folder)
    if ended := leftovers.end():
        console.print(f"ended what a killed run had left running: {ended} of {plan.name!r}")
    program = program_of(plan, begun=leftovers.note, ended=leftovers.forget)
    yield ProgramEvaluation(plan, program, seed), None


def _greet(plan: Plan, study: StudyVerbs, console: Console) -> None:
    if study.finished:
        left = "" if plan.budget >= UNLIMITED else f", {max(plan.budget - study.finished, 0)} to go"
        store = study.url if "://" in plan.store else plan.store  # a URL without its password
        console.print(
            Text(f"study {plan.name!r} in {store} goes on: {study.finished} trials are done{left}"),
            soft_wrap=True,
        )
    for change in study.widened:
        console.print(Text(f"changed: {change}", style="yellow"), soft_wrap=True)


def _write_files(
    request: Request, plan: Plan, result: Result, console: Console, started: float
) -> None:
    """Write the result as JSON and as a report, and print where they are."""
    if request.json_out is not None:
        write_json(result, plan, request.json_out)
    if plan.report is not None:
        write_report(
            result,
            plan.report,
            title=plan.name,
            command=shlex.join(plan.template.public.arguments),
            started=started,
            seconds=time.time() - started,
            logs=log_links(plan.folder, plan.report),
        )
        if not is_stream(plan.report):
            console.print(Text(f"report     {plan.report}"), soft_wrap=True)
    if plan.folder.is_dir():
        console.print(Text(f"output     {plan.folder}{os.sep}"), soft_wrap=True)
    if result.interrupted:
        for line in resume_command(sys.argv[1:]):
            console.print(Text(line), soft_wrap=True)
