"""``stoic diagnose``: outliers, tails and variance of the columns of a CSV file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stoic.cli.refusals import plainly
from stoic.streams import read_bytes, source_name
from stoic.terminal import Console, Text, print_json

if TYPE_CHECKING:
    from stoic.diagnostics import Diagnosis, Tail
    from stoic.diagnostics.reading import Column

__all__ = ["diagnose"]


def diagnose(
    file: Annotated[str, typer.Argument(help="A CSV file, or - for standard input.")],
    column: Annotated[
        str | None, typer.Option(help="Name or number (from 1) of a column; by default all.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Skip and count cells that are not numbers.")
    ] = False,
) -> None:
    """Report on repeated measurements: tail index, outliers, variance, and which policy suits.

    One column gives a report in words, several give a line each.
    """
    with plainly():
        from stoic.diagnostics import diagnose as diagnose_values
        from stoic.diagnostics.reading import read_text_table

        source = source_name(file)
        columns = read_text_table(read_bytes(file), source).columns(column, skip_bad=skip_bad)
        found = [(each, diagnose_values(each.values)) for each in columns]
        if as_json:
            print_json(_data(source, found))
        elif len(found) == 1:
            _report(*found[0])
        else:
            _table(source, found)


def _data(source: str, found: Sequence[tuple[Column, Diagnosis]]) -> dict[str, object]:
    rows = [
        {"column": column.name, "skipped": column.skipped, **diagnosis.to_dict()}
        for column, diagnosis in found
    ]
    return {"source": source, "columns": rows}


def _report(column: Column, found: Diagnosis) -> None:
    console = Console()
    console.print(Text(column.name, style="bold"), soft_wrap=True)
    for line in str(found).splitlines():
        name, colon, rest = line.partition(": ")
        words = Text(line) if line.startswith(" ") else Text.assemble((name + colon, "cyan"), rest)
        console.print(words, soft_wrap=True)
    if column.skipped:
        console.print(Text(f"skipped: {column.skipped} cells that are not numbers", style="yellow"))


def _table(source: str, found: Sequence[tuple[Column, Diagnosis]]) -> None:
    console = Console()
    table = Table(title=Text(source), title_justify="left", box=None, pad_edge=False)
    for heading in ("column", "n", "median", "scale", "tail index", "outliers", "variance"):
        table.add_column(heading, justify="left" if heading == "column" else "right")
    table.add_column("policy", no_wrap=True)
    for column, each in found:
        outliers = "?" if each.outlier_share is None else f"{100 * each.outlier_share:.2g} %"
        table.add_row(
            Text(column.name),
            str(each.n),
            f"{each.median:.4g}",
            f"{each.scale:.3g}",
            _index(each.tail),
            outliers,
            {"yes": "finite", "no": "infinite"}.get(each.finite_variance, "unclear"),
            each.advice.policy,
        )
    console.print(table)
    skipped = sum(column.skipped for column, _ in found)
    if skipped:
        console.print(Text(f"skipped: {skipped} cells that are not numbers", style="yellow"))
    console.print("--column NAME gives a column's whole report.")


def _index(tail: Tail | None) -> str:
    if tail is None:
        return "?"
    low, high = tail.interval
    return f"{low:.2g} to {high:.2g}" if tail.power else f"over {low:.2g}"
