"""``stoic tune``: the best configuration of any program that prints a number."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stoic.cli.options import Maximize, Minimize
from stoic.cli.refusals import plainly

__all__ = ["tune"]

_HOW = "How it runs"
_WHERE = "What is kept"


def tune(
    command: Annotated[
        list[str] | None,
        typer.Argument(help="What to run, after --; {name} stands for a parameter's value."),
    ] = None,
    minimize: Minimize = False,
    maximize: Maximize = False,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Trials in all, those of earlier runs included.")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Of this run, finals included: 90s, 10m, 1h30m."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            help="What is in use today: threads=8,gc=g1; the answer is compared with it.",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=RANGE",
            help="threads=1:64, rate=1e-4:0.1:log, gc=g1,zgc; once for each parameter.",
        ),
    ] = None,
    space: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Parameters and options as TOML; - is standard input. Options given here win.",
        ),
    ] = None,
    valid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPRESSION",
            help="What holds for valid configurations: 'threads * cache_mb <= 65536'; repeatable.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="The value is the first group of the last match; by default the last number.",
        ),
    ] = None,
    json_key: Annotated[
        str | None,
        typer.Option("--json", metavar="KEY", help="The value is at KEY (a.b.c) of JSON output."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="wall|cpu|rss",
            help="The value is the program's own time or memory, whatever it prints.",
        ),
    ] = None,
    objective: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What is measured, for reports.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="median|mean",
            help="What is estimated: of all runs, or of all but suspects; median by default.",
        ),
    ] = None,
    bounds: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH", help="Values are possible between these: 0:1, or 0: for times."
        ),
    ] = None,
    env: Annotated[
        bool, typer.Option("--env", help="The program reads STOIC_NAME; no {name} is needed.")
    ] = False,
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", rich_help_panel=_HOW, help="Of a run: 30, 90s, 5m; then it has failed."
        ),
    ] = None,
    confirm: Annotated[
        str | None,
        typer.Option(
            metavar="auto|N|no",
            rich_help_panel=_HOW,
            help="Trials of the finals, which compare the best few; auto: as few as needed.",
        ),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(
            metavar="settled",
            rich_help_panel=_HOW,
            help="settled: end early where another trial would hardly improve the answer.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=_HOW, help="Trials at a time.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="local|dask", rich_help_panel=_HOW, help="dask: run trials on a cluster."
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", rich_help_panel=_HOW, help="Of the cluster: tcp://10.0.0.1:8786."
        ),
    ] = None,
    repeat: Annotated[
        str | None,
        typer.Option(
            metavar="auto|K",
            rich_help_panel=_HOW,
            help="auto: measure again where it pays; K: run each trial K times.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, rich_help_panel=_HOW, help="Seed of all random draws.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", rich_help_panel=_HOW, help="A line for each trial.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL", rich_help_panel=_WHERE, help="Of studies; stoic.db by default."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(rich_help_panel=_WHERE, help="Of the study; by default the program's."),
    ] = None,
    lease: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            rich_help_panel=_WHERE,
            help="After which a trial of a machine that stopped responding is run again; 10m.",
        ),
    ] = None,
    max_lost_leases: Annotated[
        str | None,
        typer.Option(
            metavar="K|unlimited",
            rich_help_panel=_WHERE,
            help="A trial that loses its worker so often fails; 5 by default.",
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=_WHERE,
            help="NAME.html by default; - is standard output.",
        ),
    ] = None,
    no_report: Annotated[
        bool, typer.Option("--no-report", rich_help_panel=_WHERE, help="Write no report.")
    ] = False,
    group_readable: Annotated[
        bool,
        typer.Option(
            "--group-readable",
            rich_help_panel=_WHERE,
            help="A new store and its logs may be read by the group, not by their owner alone.",
        ),
    ] = False,
    json_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", rich_help_panel=_WHERE, help="The result as JSON; - is standard output."
        ),
    ] = None,
) -> None:
    """Find the best configuration of any program that prints a number.

    stoic tune --minimize --budget 60 -p threads=1:64 -p gc=g1,zgc -- ./bench.sh {threads} {gc}

    Failures, time-outs and absurd values are expected. Ctrl-C stops; the same command goes on.
    """
    with plainly():
        from stoic.tune.baseline import of_flags
        from stoic.tune.main import Request, run
        from stoic.tune.settings import (
            Settings,
            direction_of,
            finals,
            losses,
            parameters,
            repeats,
            seconds,
        )
        from stoic.tune.settings import bounds as read_bounds

        settings = Settings(
            command=tuple(command) if command else None,
            params=parameters(param or []),
            valid=tuple(valid or ()),
            direction=direction_of(minimize, maximize),
            budget=budget,
            time=None if time is None else seconds(time, "--time"),
            baseline=None if baseline is None else of_flags(baseline),
            confirm=None if confirm is None else finals(confirm, "--confirm"),
            stop=stop,
            timeout=None if timeout is None else seconds(timeout, "--timeout"),
            metric=metric,
            json=json_key,
            measure=measure,
            objective=objective,
            jobs=jobs,
            engine=engine,
            scheduler=scheduler,
            repeat=None if repeat is None else repeats(repeat, "--repeat"),
            target=target,
            bounds=None if bounds is None else read_bounds(bounds, "--bounds"),
            env=env or None,
            store=store,
            name=name,
            seed=seed,
            lease=None if lease is None else seconds(lease, "--lease"),
            max_lost_leases=losses(max_lost_leases, "--max-lost-leases")
            if max_lost_leases is not None
            else None,
            report=report,
            group_readable=group_readable or None,
        ).checked()
        code = run(Request(settings, space, not no_report, json_out, plain))
    raise typer.Exit(code)
