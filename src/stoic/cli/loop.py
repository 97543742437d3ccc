"""``stoic ask``, ``stoic tell`` and ``stoic best``: a loop held by a script, a CI job or an agent.

One command line in, one line of JSON out, on standard output; errors are one line of JSON on
standard error, with exit code 2.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from stoic.cli.options import Maximize, Minimize, Params, Store, Valid
from stoic.errors import REFERENCE, InvalidInput, StoicError
from stoic.printable import visible
from stoic.redaction import redacted
from stoic.terminal import print_line

if TYPE_CHECKING:
    from stoic.remote.anywhere import AnyStudy
    from stoic.study.records import StudyTrial

__all__ = ["LoopCommand", "ask", "best", "tell"]

_UsageError: Any = typer.BadParameter.__base__  # click's class, which typer may bundle
_ANSWER = ("objective", "direction", "best", "luckiest", "suspects", "failures")
_NOTHING_LEFT = 1  # exit code of ask where the budget is spent

Name = Annotated[str | None, typer.Option(help="Of the study; not needed where there is one.")]
Worker = Annotated[str | None, typer.Option(help="Who evaluates; by default this machine's name.")]
Lease = Annotated[
    str, typer.Option(metavar="TIME", help="After which the trial is asked again: 90s, 10m, 2h.")
]


class LoopCommand(typer.core.TyperCommand):
    """A command whose usage errors are JSON as well."""

    def make_context(self, *words: Any, **extra: Any) -> Any:
        """The context of a call."""
        try:
            return super().make_context(*words, **extra)
        except _UsageError as error:
            _refuse("usage", error.format_message())
            raise typer.Exit(2) from None


@contextmanager
def _in_json() -> Iterator[None]:
    try:
        yield
    except StoicError as error:
        _refuse(error.code, str(error))
        raise typer.Exit(2) from None
    except BrokenPipeError:
        raise  # the reader closed the pipe
    except OSError as error:
        _refuse("system", str(error))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        _refuse("interrupted", "stopped by Ctrl-C")
        raise typer.Exit(130) from None


def _refuse(code: str, message: str) -> None:
    about = {"error": code, "message": visible(redacted(message)), "help": f"{REFERENCE}#{code}"}
    print_line(about, stderr=True)


def ask(
    store: Store = "stoic.db",
    name: Name = None,
    param: Params = None,
    space: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of a new study: parameters as TOML, as of stoic tune."),
    ] = None,
    valid: Valid = None,
    minimize: Minimize = False,
    maximize: Maximize = False,
    objective: Annotated[str | None, typer.Option(help="Of a new study: what is measured.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a new study.")] = None,
    budget: Annotated[
        int | None, typer.Option(help="Trials in all; exit code 1 where all are given.")
    ] = None,
    lease: Lease = "10m",
    worker: Worker = None,
) -> None:
    """Ask for a configuration to evaluate; it is leased until its value is told.

    stoic ask -p threads=1:64 -p gc=g1,zgc --minimize --budget 40
    """
    with _in_json():
        from stoic.tune.settings import Settings, direction_of, parameters, seconds

        given = Settings(
            params=parameters(param or []),
            valid=tuple(valid or ()),
            direction=direction_of(minimize, maximize),
            objective=objective,
            seed=seed,
        ).checked()
        given = given.over(Settings.of_file(space)) if space is not None else given
        for_seconds = seconds(lease, "--lease")
        with _study(store, name, given, worker) as study:
            trial = study.ask(lease=for_seconds) if budget is None else (
                study.ask_within(budget, lease=for_seconds)
            )  # fmt: skip
            about = {"study": study.name, "finished": study.finished}
        print_line(_asked(trial, for_seconds) | about)
    if trial is None:
        raise typer.Exit(_NOTHING_LEFT)


def _asked(trial: StudyTrial | None, seconds: float) -> dict[str, Any]:
    if trial is None:
        return {"trial": None}
    lease = {"token": trial.token, "seconds": seconds, "until": trial.lease_until}
    return {
        "trial": trial.number,
        "params": trial.params,
        "attempt": trial.attempt,
        "lease": lease,
        "uid": trial.study,
    }


def tell(
    trial: Annotated[
        str, typer.Argument(metavar="TRIAL", help="Its number, or the line that ask printed.")
    ],
    value: Annotated[
        str | None, typer.Argument(metavar="VALUE", help="What was measured; also a negative one.")
    ] = None,
    fail: Annotated[
        str | None, typer.Option(metavar="REASON", help="There is no value, and why.")
    ] = None,
    renew: Annotated[
        str | None, typer.Option(metavar="TIME", help="Keep the lease: until TIME from now.")
    ] = None,
    release: Annotated[
        bool, typer.Option("--release", help="Give the trial back, to be asked again.")
    ] = False,
    measurement: Annotated[
        int, typer.Option(min=0, help="The number of a repeated measurement, from 1.")
    ] = 0,
    store: Store = "stoic.db",
    name: Name = None,
) -> None:
    """Tell the value of a trial, or that it failed; or renew or release its lease.

    The same outcome again changes nothing; another one is an error. --renew and --release need the
    line that ask printed, which has the lease.
    """
    with _in_json():
        from stoic.tune.settings import seconds

        wanted = [value is not None, fail is not None, renew is not None, release]
        if sum(wanted) != 1:
            raise InvalidInput(
                "expected one of VALUE, --fail REASON, --renew TIME and --release, got "
                f"{sum(wanted) or 'none'} of them"
            )
        asked, of_study = _trial(trial)
        with _study(store, name or of_study) as study:
            done: dict[str, Any] = {"study": study.name}
            if value is not None:
                study.tell(asked, _number(value), measurement=measurement)
            elif fail is not None:
                study.fail(asked, fail)
            elif release:
                done["released"] = study.release(asked)
            elif renew is not None:
                done["renewed"] = study.renew(asked, seconds(renew, "--renew"))
            number = asked if isinstance(asked, int) else asked.number
            record = study.trials[number]
            done |= {"trial": number, "state": record.state, "values": list(record.values)}
            done["finished"] = study.finished
        print_line(done)


def best(store: Store = "stoic.db", name: Name = None) -> None:
    """Print the best estimated configuration, its interval, the luckiest trial and the suspects."""
    with _in_json(), _study(store, name) as study:
        result = study.result().to_dict()
        told = {key: result[key] for key in _ANSWER}
        print_line({"study": study.name, "finished": study.finished} | told)


def _study(store: str, name: str | None, given: Any = None, worker: str | None = None) -> AnyStudy:
    """The study; made where parameters are given.

    Its worker is no process: the one that asks ends at once, and its trial must stay leased.
    """
    from stoic.cli.study import named_study
    from stoic.remote.anywhere import open_study
    from stoic.spaces import Space

    worker = worker or f"stoic ask on {socket.gethostname()}"
    if given is None or not (given.params or given.direction):
        return open_study(store, named_study(store, name), worker=worker)
    if not given.params:
        raise InvalidInput("expected -p or --space beside a direction, got neither; add parameters")
    space = Space({each.name: each.parameter for each in given.params}, valid=given.valid)
    return open_study(
        store,
        name or given.name or "study",
        space=space,
        direction=given.direction,
        seed=given.seed,
        objective=given.objective,
        worker=worker,
    )


def _trial(text: str) -> tuple[int | StudyTrial, str | None]:
    """A trial, and the name of its study if that is known."""
    from stoic.study.records import StudyTrial

    try:
        data = json.loads(text)
        if type(data) is int:
            return data, None
        lease = data["lease"]
        trial = StudyTrial(
            int(data["trial"]), dict(data["params"]), int(data["attempt"]), float(lease["until"]),
            str(data["uid"]), str(lease["token"]),
        )  # fmt: skip
        return trial, str(data["study"])
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        raise InvalidInput(
            f"expected a trial's number, or the line that stoic ask printed, got {text[:60]!r}"
        ) from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(
            f"expected a number, got {text[:60]!r}; tell a failure with --fail REASON"
        ) from None
