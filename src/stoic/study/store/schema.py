"""Tables of a store, and conversion from one format to the next."""

from __future__ import annotations

from collections.abc import Callable

from stoic.errors import StoreDamaged, StoreUnavailable
from stoic.study.store.connection import SQLITE, Connection, Dialect
from stoic.study.store.rows import KEYED, digest

__all__ = [
    "ENTRY_COLUMNS",
    "FORMAT",
    "IS_KEYED",
    "STEPS",
    "STUDY_COLUMNS",
    "TABLES",
    "TRIAL_COLUMNS",
    "create",
    "create_first",
    "create_second",
    "definitions",
    "prepare",
]

TABLES = ("stoic_meta", "stoic_studies", "stoic_log", "stoic_trials")

# Columns in the order of the fields of `stoic.study.store.rows`; ``seal`` is the row's digest.
STUDY_COLUMNS = (
    "id", "uid", "name", "made", "problem_seal", "next_number", "finished", "entries", "head",
    "seal",
)  # fmt: skip
TRIAL_COLUMNS = (
    "number", "params", "state", "asked", "lease_until", "worker", "attempt", "token", "clock",
    "lease", "lost", "expires", "seal",
)  # fmt: skip
ENTRY_COLUMNS = ("seq", "trial", "measurement", "value", "reason", "told", "seal")

_META = ("id {key} NOT NULL", "format INTEGER NOT NULL", "seal TEXT NOT NULL", "PRIMARY KEY (id)")
_STUDIES = (
    "id {key} NOT NULL",
    "uid TEXT NOT NULL",
    "name TEXT NOT NULL",
    "made {real} NOT NULL",
    "problem_seal TEXT NOT NULL",
    "next_number {whole} NOT NULL",  # trials are 0 … next_number − 1
    "finished {whole} NOT NULL",  # trials with an outcome
    "entries {whole} NOT NULL",  # of the log: 1 … entries
    "head TEXT NOT NULL",  # digest of the last entry
    "seal TEXT NOT NULL",  # digest of the row
    "problem TEXT NOT NULL",  # the definition of the study
    "PRIMARY KEY (id)",
    "UNIQUE (name)",
)
_LOG = (
    "study INTEGER NOT NULL",
    "seq {whole} NOT NULL",
    "trial {whole} NOT NULL",
    "measurement {whole} NOT NULL",
    "value TEXT",  # None for a failure
    "reason TEXT",  # None for a value
    "told {real} NOT NULL",
    "seal TEXT NOT NULL",
    "PRIMARY KEY (study, seq)",
    "UNIQUE (study, trial, measurement)",
    "FOREIGN KEY(study) REFERENCES stoic_studies (id)",
)
_FIRST_TRIALS = (
    "study INTEGER NOT NULL",
    "number {whole} NOT NULL",
    "params TEXT NOT NULL",
    "state TEXT NOT NULL",
    "asked {real} NOT NULL",
    "lease_until {real} NOT NULL",
    "worker TEXT NOT NULL",
    "attempt INTEGER NOT NULL",
    "seal TEXT NOT NULL",
)
_SINCE_FORMAT_2 = (
    "token TEXT DEFAULT '' NOT NULL",
    "clock TEXT DEFAULT '' NOT NULL",
    "lease {real} DEFAULT '0.0' NOT NULL",
    "lost INTEGER DEFAULT '0' NOT NULL",
    "expires {real} DEFAULT '-1.0' NOT NULL",
)
_TRIAL_KEYS = ("PRIMARY KEY (study, number)", "FOREIGN KEY(study) REFERENCES stoic_studies (id)")
_OPEN_INDEX = "CREATE INDEX stoic_open ON stoic_trials (study, {}, number) WHERE state = 'open'"
IS_KEYED = f"token >= '{KEYED}'"
_TOKEN_INDEX = f"CREATE INDEX stoic_token ON stoic_trials (token) WHERE {IS_KEYED}"


def create(connection: Connection) -> None:
    """Make the tables of the present format."""
    create_second(connection)
    _find_tokens(connection)


def create_second(connection: Connection) -> None:
    """Make the tables of formats 2 and 3, as they are in stores that were made then."""
    _create(connection, (*_FIRST_TRIALS, *_SINCE_FORMAT_2), "expires")


def create_first(connection: Connection) -> None:
    """Make the tables of format 1, as they are in stores that were made then."""
    _create(connection, _FIRST_TRIALS, "lease_until")


def _create(connection: Connection, trials: tuple[str, ...], end_of_lease: str) -> None:
    end = connection.dialect.end_of_table
    tables = {
        "stoic_meta": (_META, ""),
        "stoic_studies": (_STUDIES, ""),
        "stoic_log": (_LOG, end),
        "stoic_trials": ((*trials, *_TRIAL_KEYS), end),
    }
    for name, (lines, end) in tables.items():
        # as SQLAlchemy formats it, which made the first stores
        columns = ", \n\t".join(_typed(line, connection.dialect) for line in lines)
        connection.execute(f"CREATE TABLE {name} (\n\t{columns}\n){end}")
    connection.execute(_OPEN_INDEX.format(end_of_lease))


def _typed(line: str, dialect: Dialect) -> str:
    return line.format(key=dialect.key, whole=dialect.whole, real=dialect.real)


def _add_leases(connection: Connection) -> None:
    """Add tokens and clocks of leases; rows of format 1 stay as they are, with their digests."""
    for line in _SINCE_FORMAT_2:
        column = _typed(line, connection.dialect)
        connection.execute(f"ALTER TABLE stoic_trials ADD COLUMN {column}")
    connection.execute("DROP INDEX stoic_open")
    connection.execute(_OPEN_INDEX.format("expires"))


def _allow_notes(connection: Connection) -> None:
    """Let the log hold notes and wider spaces, which a reader of format 2 would call damage."""


def _find_tokens(connection: Connection) -> None:
    """Let trials be found by a token that was derived from a key; and allow exclusions."""
    connection.execute(_TOKEN_INDEX)


# The n-th leads from format n to n + 1.
STEPS: list[Callable[[Connection], None]] = [_add_leases, _allow_notes, _find_tokens]
FORMAT = 1 + len(STEPS)


def prepare(connection: Connection, *, convert: bool = True) -> None:
    """Convert a store to the present format, within an exclusive transaction.

    Without ``convert``, one of another format is an error.
    """
    there = connection.value(connection.dialect.has_table, ("stoic_meta",))
    found = 0 if there is None else _format(connection)
    if found > FORMAT:
        raise StoreUnavailable(
            f"expected a store of format {FORMAT} at most, got {found}, made by a newer Stoic; "
            "upgrade with pip install -U stoic"
        )
    if found < FORMAT and not convert:
        raise StoreUnavailable(
            f"expected a store of format {FORMAT}, which needs no change, got "
            f"{f'format {found}' if found else 'an empty one'}; open it once for writing"
        )
    for step in STEPS[found - 1 :] if found else [create]:
        step(connection)
    if found < FORMAT:
        made = digest("meta", FORMAT, *definitions(connection))
        connection.execute("DELETE FROM stoic_meta")
        connection.execute("INSERT INTO stoic_meta (id, format, seal) VALUES (1, ?, ?)",
                           (FORMAT, made))  # fmt: skip


def _format(connection: Connection) -> int:
    rows = connection.execute("SELECT format, seal FROM stoic_meta").fetchall()
    if len(rows) != 1 or digest("meta", rows[0][0], *definitions(connection)) != rows[0][1]:
        raise StoreDamaged(
            "expected the tables as they were made, got others", "restore the store from a copy"
        )
    return int(rows[0][0])


def definitions(connection: Connection) -> list[str]:
    """SQLite's definitions of the tables, triggers and views; an empty list for a server."""
    if connection.dialect is not SQLITE:
        return []
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name LIKE 'stoic\\_%' "
        "ESCAPE '\\' OR type IN ('trigger', 'view') ORDER BY type, name"
    )
    return [ascii(tuple(row)) for row in rows]
