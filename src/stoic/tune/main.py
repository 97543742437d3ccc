"""A tuning run from what was asked to an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stoic.cli.files import console_beside
from stoic.cli.terminal import Console, Text
from stoic.errors import InvalidInput
from stoic.report.result import Result
from stoic.streams import is_stream
from stoic.tune.board import Board
from stoic.tune.identity import agree
from stoic.tune.measuring import Measuring
from stoic.tune.plan import Plan
from stoic.tune.program import Program
from stoic.tune.session import Session
from stoic.tune.settings import Settings
from stoic.tune.signals import Wish, listening
from stoic.tune.summary import going_on, say, write_json
from stoic.tune.watchers import Lines, OnTerminal, Watcher

if TYPE_CHECKING:
    from stoic.study import Study

__all__ = ["Asked", "run"]


@dataclass(frozen=True)
class Asked:
    """What the command line said."""

    said: Settings
    space_file: Path | None
    report: bool
    json_out: Path | None
    plain: bool

    @property
    def plan(self) -> Plan:
        """What is to be done, or a typed error."""
        base = Settings() if self.space_file is None else Settings.of_file(self.space_file)
        plan = Plan.of(self.said.over(base), report=self.report)
        outputs = [path for path in (plan.report, self.json_out) if path is not None]
        if sum(map(is_stream, outputs)) > 1:
            raise InvalidInput(
                "expected --report or --json-out to be -, standard output, got both; name a file"
            )
        for path in outputs:
            _check_place(path)
        return plan


def _check_place(path: Path) -> None:
    """What can't be written must show before hours of work, not after."""
    if is_stream(path):
        return
    folder = path.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK) or path.is_dir():
        raise InvalidInput(
            f"expected a file in a folder that may be written, got {path}; make it, or name another"
        )


def run(asked: Asked) -> int:
    """Tune, report, and say how it ended: 0 done, 1 no value at all, 130 stopped."""
    from stoic.study import Study
    from stoic.study.running import patiently

    plan = asked.plan
    console = console_beside(plan.report, asked.json_out)
    started = time.time()
    with Study(
        plan.store,
        plan.name,
        space=plan.space,
        direction=plan.direction,
        seed=plan.seed,
        objective=plan.objective,
        lease=plan.lease,
        mode=plan.mode,
        max_lost_leases=plan.max_lost_leases,
    ) as study:
        agree(plan, study.uid)
        plain = asked.plain or not console.is_terminal
        session, wish = _tune(plan, study, console, plain)
        if session.refused is not None:
            raise InvalidInput(session.refused)
        result = patiently(study.result)
    result = replace(result, interrupted=wish())
    say(result, plan, console)
    if session.hopeless is not None:
        console.print(Text(f"stopped: {session.hopeless}", style="red"), soft_wrap=True)
    _hand_over(asked, plan, result, console, started)
    return wish.code or int(result.best is None)


def _tune(plan: Plan, study: Study, console: Console, plain: bool) -> tuple[Session, Wish]:
    from stoic.tune.leftovers import Leftovers

    trials = study.trials
    failures: dict[str, int] = {}
    for trial in trials:
        if trial.state == "failed":
            reason = trial.reason or "no reason given"
            failures[reason] = failures.get(reason, 0) + 1
    board = Board(plan.budget, plan.jobs, study.finished, failures)
    _greet(plan, study, console)
    leftovers = Leftovers(plan.folder)
    if ended := leftovers.end():
        console.print(f"ended what a killed run had left running: {ended} of {plan.name!r}")
    program = Program(
        plan.timeout,
        begun=leftovers.note,
        ended=leftovers.forget,
        secrets=plan.template.secrets,
    )
    measuring = Measuring(program, plan.template, plan.metric, plan.folder, study.seed, plan.mode)
    title = f"{plan.direction} {plan.objective}: {' '.join(plan.template.public.arguments)}"
    watcher: Watcher = Lines(console, board) if plain else OnTerminal(console, board, title)
    session = Session(plan, study, measuring, board, watcher)
    with listening(program.kill) as wish, watcher:
        session.run(wish)
    return session, wish


def _greet(plan: Plan, study: Study, console: Console) -> None:
    if study.finished:
        left = max(plan.budget - study.finished, 0)
        store = study.url if "://" in plan.store else plan.store  # a URL without its password
        console.print(
            Text(
                f"study {plan.name!r} in {store} goes on: "
                f"{study.finished} trials are done, {left} to go"
            ),
            soft_wrap=True,
        )


def _hand_over(asked: Asked, plan: Plan, result: Result, console: Console, started: float) -> None:
    """Files for others, and where they are."""
    if asked.json_out is not None:
        write_json(result, plan, asked.json_out)
    if plan.report is not None:
        from stoic.report import write_report

        write_report(
            result,
            plan.report,
            title=plan.name,
            command=shlex.join(plan.template.public.arguments),
            started=started,
            seconds=time.time() - started,
        )
        if not is_stream(plan.report):
            console.print(Text(f"report     {plan.report}"), soft_wrap=True)
    if plan.folder.is_dir():
        console.print(Text(f"output     {plan.folder}{os.sep}"), soft_wrap=True)
    if result.interrupted:
        for line in going_on(sys.argv[1:]):
            console.print(Text(line), soft_wrap=True)
