"""The commands and their options; a command's own imports happen when it runs."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

import stoic
from stoic.cli.diagnose import diagnose
from stoic.cli.duel import duel
from stoic.cli.loop import LoopCommand, ask, best, tell
from stoic.cli.note import note
from stoic.cli.refusals import Commands, plainly
from stoic.cli.serve import serve
from stoic.cli.study import study
from stoic.cli.token import token
from stoic.cli.tune import tune
from stoic.errors import MissingExtra, StoicError
from stoic.terminal import Console

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    help="Optimisation and bandits that keep their head when measurements lie.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Out = Annotated[Path, typer.Option(help="Where results are kept, and found again.")]
Workers = Annotated[
    int | None, typer.Option(min=0, help="Local processes; by default one for each core.")
]
Engine = Annotated[str, typer.Option(help="One of local, dask.")]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")
]
Trials = Annotated[int | None, typer.Option(min=1, help="Trials of each case.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Do finished runs again.")]
Schedule = Annotated[
    list[str] | None, typer.Option(help="Only with this schedule; may be given again.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        Console().print(f"stoic {stoic.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Optimisation and bandits that keep their head when measurements lie."""


app.command(no_args_is_help=True)(tune)
app.command(no_args_is_help=True)(duel)
app.command()(diagnose)
app.command(cls=LoopCommand)(ask)
app.command(
    cls=LoopCommand, no_args_is_help=False, context_settings={"ignore_unknown_options": True}
)(tell)  # -1.5 is a value
app.command(cls=LoopCommand)(best)
app.command()(serve)
study.command("note", no_args_is_help=True)(note)
app.add_typer(study, name="study")
app.add_typer(token, name="token")


@app.command()
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Such as chowdhury2019/fig1a.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every experiment.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            help="A small version, within a minute; claims that need the full size are not tested."
        ),
    ] = False,
    trials: Trials = None,
    schedule: Schedule = None,
    out: Out = Path("results"),
    fresh: Fresh = False,
    workers: Workers = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
) -> None:
    """Run a paper's experiment, draw its figure, and test the paper's claims.

    Without a name, list the experiments.
    """
    with plainly():
        lab = _lab()
        how = lab.How(out, trials, schedule, fresh, engine, workers, scheduler)
        lab.reproduce(names or [], everything, quick, how)


@app.command()
def run(
    file: Annotated[Path, typer.Argument(help="An experiment as TOML; - is standard input.")],
    trials: Trials = None,
    schedule: Schedule = None,
    out: Out = Path("results"),
    fresh: Fresh = False,
    workers: Workers = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
) -> None:
    """Run an experiment of your own, written as TOML, and report on it."""
    with plainly():
        lab = _lab()
        lab.run(file, lab.How(out, trials, schedule, fresh, engine, workers, scheduler))


@app.command()
def kinds() -> None:
    """List the policies, problems, noises and attacks that an experiment can be made of."""
    with plainly():
        _lab().kinds()


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A Parquet file of curves; - is standard input.")],
    second: Annotated[Path, typer.Argument(help="Another, of the same trials.")],
    column: Annotated[str, typer.Option(help="What is compared at the end.")] = "regret",
) -> None:
    """Compare two results trial by trial: mean difference with a bootstrap 95 % interval."""
    with plainly():
        _lab().compare(first, second, column)


def _lab() -> ModuleType:
    """The commands of the lab, whose packages are an extra of their own."""
    try:
        from stoic.cli import lab
    except StoicError:
        raise
    except ImportError as missing:
        raise MissingExtra.of(missing.name or "pyarrow", "this command", "lab") from missing
    return lab
