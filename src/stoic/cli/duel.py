"""``stoic duel``: is one program really better than another?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stoic.cli.refusals import plainly

__all__ = ["duel"]

_WHAT = "What is compared"
_WHEN = "When it stops"


def duel(
    commands: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="The baseline, then its challengers, each quoted."),
    ],
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="wall|cpu|rss",
            rich_help_panel=_WHAT,
            help="The program's own time or memory, whatever it prints; low is good.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            rich_help_panel=_WHAT,
            help="The value is the first group of the last match; by default the last number.",
        ),
    ] = None,
    json_key: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="KEY",
            rich_help_panel=_WHAT,
            help="The value is at KEY (a.b.c) of JSON output.",
        ),
    ] = None,
    minimize: Annotated[
        bool, typer.Option("--minimize", rich_help_panel=_WHAT, help="Low values are good.")
    ] = False,
    maximize: Annotated[
        bool, typer.Option("--maximize", rich_help_panel=_WHAT, help="High values are good.")
    ] = False,
    margin: Annotated[
        str,
        typer.Option(
            metavar="SHARE",
            rich_help_panel=_WHAT,
            help="What does not matter: 2%, or 0.5 in units of the value.",
        ),
    ] = "2%",
    name: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=_WHAT, help="Of a contender; once for each, in order."),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1, rich_help_panel=_WHEN, help="Blocks at most; 100, or no limit with --time."
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="TIME", rich_help_panel=_WHEN, help="At most: 90s, 10m, 2h."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(rich_help_panel=_WHEN, help="Of all looks and challengers together.")
    ] = 0.95,
    warmup: Annotated[
        int, typer.Option(min=0, rich_help_panel=_WHEN, help="First blocks that do not count.")
    ] = 0,
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", rich_help_panel=_WHEN, help="Of a run: 30, 90s, 5m; then it has failed."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the orders within blocks.")] = 0,
    plain: Annotated[bool, typer.Option("--plain", help="A line for each block.")] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .svg or .pdf.")
    ] = None,
    json_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The result as JSON; - is standard output.")
    ] = None,
) -> None:
    """Is B really better than A? Runs both in blocks until that is known.

    stoic duel './old input.txt' './new input.txt' --measure wall --margin 2%

    Exit code: 0 better or equal within the margin, 1 worse, 2 refused, 3 undecided.
    """
    with plainly():
        from stoic.checks import number
        from stoic.comparison import Margin
        from stoic.duels.engine import Rules
        from stoic.duels.main import MAX_BLOCKS, Request, run
        from stoic.errors import InvalidInput
        from stoic.tune.metric import metric_of
        from stoic.tune.settings import direction_of, seconds

        direction = direction_of(minimize, maximize) or ("minimize" if measure else None)
        if direction is None:
            raise InvalidInput(
                "expected --minimize, --maximize or --measure, got none; add one: "
                "--measure wall compares times"
            )
        limit = None if time is None else seconds(time, "--time")
        blocks = (100 if limit is None else MAX_BLOCKS) if budget is None else budget
        rules = Rules(
            direction=direction,
            margin=Margin.of(margin),
            budget=min(blocks, MAX_BLOCKS),
            seconds=limit,
            confidence=number(confidence, "--confidence", at_least=0.5, at_most=0.999999),
            seed=seed,
            warmup=warmup,
        )
        code = run(
            Request(
                commands=tuple(commands),
                names=tuple(name or ()),
                metric=metric_of(metric, json_key, measure),
                rules=rules,
                timeout=None if timeout is None else seconds(timeout, "--timeout"),
                plain=plain,
                figure=figure,
                json_out=json_out,
            )
        )
    raise typer.Exit(code)
