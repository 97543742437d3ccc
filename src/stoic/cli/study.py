"""``stoic study``: list, show, export, import, back up, delete and check studies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoic.cli.options import Maximize, Minimize, Params, Store, Valid
from stoic.cli.refusals import plainly
from stoic.errors import InvalidInput, UnknownStudy
from stoic.files import file_name
from stoic.redaction import redacted_url
from stoic.streams import is_stream
from stoic.terminal import Console, Text, confirm, console_beside

if TYPE_CHECKING:
    from stoic.remote.anywhere import AnyStudy

__all__ = ["named_study", "study"]

study = typer.Typer(help="Show, export, import, back up and check studies.", no_args_is_help=True)

StoreArgument = Annotated[
    str,
    typer.Argument(
        metavar="STORE",
        help="A path, a URL: postgresql://ann@db/tuning, or a server: http://127.0.0.1:8313.",
    ),
]
Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="Of the study; not needed where there is one.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, json or parquet; by default that of the file's suffix, and csv for -.",
    ),
]


@study.command("list")
def list_studies(store: StoreArgument = "stoic.db", as_json: Json = False) -> None:
    """List the studies of a store."""
    with plainly():
        from stoic.cli import study_views as views
        from stoic.remote.anywhere import summaries

        found = summaries(store)
        views.listed(store, found, as_json)


@study.command()
def show(name: Name = None, store: Store = "stoic.db", as_json: Json = False) -> None:
    """Show the definition of a study, its progress and its answer."""
    with plainly():
        from stoic.cli import study_views as views

        with opened_study(store, name) as opened:
            views.shown(opened, as_json)


@study.command()
def best(name: Name = None, store: Store = "stoic.db", as_json: Json = False) -> None:
    """Print the recommended configuration, with its estimated value and a 90 % interval."""
    with plainly():
        from stoic.cli import study_views as views

        with opened_study(store, name) as opened:
            views.best(opened, as_json)


@study.command()
def trials(
    name: Name = None,
    store: Store = "stoic.db",
    last: Annotated[int | None, typer.Option(min=1, help="Only the newest N trials.")] = None,
    state: Annotated[str | None, typer.Option(help="Only those open, told or failed.")] = None,
    as_json: Json = False,
) -> None:
    """List the trials of a study."""
    with plainly():
        from stoic.checks import choice
        from stoic.cli import study_views as views

        if state is not None:
            choice(state, "--state", ("open", "told", "failed"))
        with opened_study(store, name) as opened:
            found = [trial for trial in opened.trials if state in (None, trial.state)]
            views.trials(opened, found[-last:] if last else found, as_json)


@study.command("export")
def export_study(
    file: Annotated[
        Path, typer.Argument(help="A file to write: .csv, .json or .parquet; - is standard output.")
    ],
    name: Name = None,
    store: Store = "stoic.db",
    kind: Format = None,
) -> None:
    """Write all trials of a study to a file: a row for each measurement."""
    with plainly():
        from stoic.remote.anywhere import export

        count = export(store, named_study(store, name), file, kind)
        where = "standard output" if is_stream(file) else file
        console_beside(file).print(Text(f"{where}: {count} rows"), soft_wrap=True)


@study.command("import")
def import_study(
    file: Annotated[
        Path, typer.Argument(help="A file to read: .csv, .json or .parquet; - is standard input.")
    ],
    name: Name = None,
    store: Store = "stoic.db",
    kind: Format = None,
    param: Params = None,
    space: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Of a new study: parameters as TOML; - is standard input."
        ),
    ] = None,
    valid: Valid = None,
    minimize: Minimize = False,
    maximize: Maximize = False,
    objective: Annotated[str | None, typer.Option(help="What is measured.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random draws.")] = None,
) -> None:
    """Import measurements from a file into a study, all of them or none.

    Columns: the parameters, value, and where known reason (of a failure), number (of the trial)
    and measurement. A study that does not exist is made, from -p or --space, or from the file's own
    description. A file that numbers its trials may be imported again.
    """
    with plainly():
        from stoic.spaces import Space
        from stoic.study.definition import StudyArguments
        from stoic.study.exchange.transfer import import_file
        from stoic.tune.baseline import configuration
        from stoic.tune.settings import Settings, direction_of, parameters

        if space is not None and is_stream(space) and is_stream(file):
            raise InvalidInput("expected one file from standard input, got two; save one of them")
        given = Settings(
            params=parameters(param or []),
            valid=tuple(valid or ()),
            direction=direction_of(minimize, maximize),
            seed=seed,
        ).checked()
        given = given.over(Settings.of_file(space)) if space is not None else given
        if given.valid and not given.params:
            raise InvalidInput("expected -p or --space beside --valid, got neither; add parameters")
        named = {each.name: each.parameter for each in given.params}
        chosen = Space(named, valid=given.valid) if named else None
        base = given.baseline
        arguments = StudyArguments(
            chosen,
            None,
            given.direction,
            given.seed,
            None,
            objective or given.objective,
            given.target,
            given.bounds,
            None if chosen is None or base is None else configuration(chosen, given.params, base),
        )
        done = import_file(store, name, file, kind, arguments=arguments)
        new = "new study" if done.made else "study"
        words = f"{new} {done.study!r}: {done.trials} new trials, {done.outcomes} new outcomes"
        words += f", {done.known} known already" if done.known else ""
        Console().print(Text(words), soft_wrap=True)


@study.command("backup")
def back_up_store(
    file: Annotated[Path, typer.Argument(metavar="NEW.db", help="A file to write.")],
    store: Store = "stoic.db",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Copy a store to a new file, while anyone may work on it, and verify the copy.

    A copy of stoic.db made with cp would miss what is still in stoic.db-wal.
    """
    with plainly():
        from stoic.study.repair.backup import back_up

        counts = back_up(store, file, force=force)
        listed = ", ".join(f"{name!r} with {count} trials" for name, count in counts.items())
        Console().print(Text(f"{file}: {listed or 'no studies'}"), soft_wrap=True)


@study.command("delete")
def delete_study(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the study.")],
    store: Store = "stoic.db",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a study and all of its trials. This can't be undone."""
    with plainly():
        from stoic.remote.anywhere import delete, summaries

        found = {each.name: each for each in summaries(store)}
        if name not in found:
            raise UnknownStudy(
                f"expected a study among {', '.join(map(repr, found)) or 'none'}, got {name!r}"
            )
        question = (
            f"Delete study {name!r} with {found[name].trials} trials from {redacted_url(store)}?"
        )
        if not yes and not confirm(question):
            raise typer.Exit(1)
        delete(store, name)
        Console().print(Text(f"study {name!r} is deleted"), soft_wrap=True)


@study.command()
def report(
    name: Name = None,
    store: Store = "stoic.db",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="NAME.html by default; - is standard output."),
    ] = None,
) -> None:
    """Write a study as one HTML file that needs nothing but a browser."""
    with plainly():
        from stoic.report import write_report
        from stoic.tune.plan import log_links, logs_folder

        with opened_study(store, name) as opened:
            records = opened.trials
            times = [trial.told for trial in records if trial.told is not None]
            started = min((trial.asked for trial in records), default=None)
            ended = max(times) - started if times and started is not None else None
            path = out or Path(f"{file_name(opened.name)}.html")
            write_report(
                opened.result(),
                path,
                title=opened.name,
                started=started,
                seconds=None if ended is None else max(ended, 0.0),
                logs=log_links(logs_folder(store, opened.name), path),
            )
        if not is_stream(path):
            Console().print(Text(str(path)), soft_wrap=True)


@study.command()
def doctor(
    store: StoreArgument = "stoic.db",
    recover: Annotated[
        str | None, typer.Option(metavar="NEW", help="Write all that is readable to a new store.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a store, from the file's header to the optimiser, and report the issues found.

    The store is not changed. The exit code is 0 where nothing is damaged, else 1.
    """
    with plainly():
        from stoic.cli import study_views as views
        from stoic.study.repair.doctor import examine
        from stoic.study.repair.recovery import recover as recovered

        with Console(stderr=True).status("opening") as status:
            found = examine(store, lambda words: status.update(Text(words)))
            kept = () if recover is None else recovered(store, recover)
        views.diagnosis(found, kept, recover, as_json)
    raise typer.Exit(0 if found.healthy else 1)


def opened_study(store: str, name: str | None) -> AnyStudy:
    """The study that was named, or the only one."""
    from stoic.remote.anywhere import open_study

    return open_study(store, named_study(store, name))


def named_study(store: str, name: str | None) -> str:
    """The study that was named, or the only one."""
    from stoic.remote.anywhere import summaries

    if name is not None:
        return name
    found = [each.name for each in summaries(store)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownStudy(
            f"expected a study in {redacted_url(store)}, got none; make one with stoic tune or ask"
        )
    raise InvalidInput(f"expected the name of a study among {', '.join(map(repr, found))}")
