"""Stores that somebody made to harm: refused at once, before SQLite runs anything of them."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import stoic
from stoic.errors import StoicError, StoreDamaged
from stoic.study import summaries
from stoic.study.repair.doctor import examine
from stoic.study.repair.recovery import readable, recover
from stoic.study.store.rows import StudyRow, digest
from stoic.study.store.schema import FORMAT, STUDY_COLUMNS, TABLES
from stoic.study.store.wal import check_wal, read_wal

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from study.spoiling import Files, made, put

SPACE = {"x": (0.0, 1.0)}
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
VIEW = f"CREATE VIEW stoic_{{0}} AS {ENDLESS} SELECT {{1}} FROM n WHERE i < 0"
STUDIES = "1 id, 'u' uid, 'n' name, 1.0 made, '' problem_seal, 1 next_number, 1 finished, "
STUDIES += "1 entries, '' head, '' seal, '' problem"
FORGED = [
    f"DROP TABLE stoic_studies; {VIEW.format('studies', STUDIES)}",
    f"DROP TABLE stoic_meta; {VIEW.format('meta', '1 id, 1 format, i seal')}",
    f"DROP TABLE stoic_log; {VIEW.format('log', '1 study, i seq')}",
    f"CREATE VIEW beside AS {ENDLESS} SELECT i FROM n",
    "CREATE TRIGGER t AFTER INSERT ON stoic_log BEGIN DELETE FROM stoic_trials; END",
    "CREATE TEMP TRIGGER x AFTER INSERT ON stoic_log BEGIN SELECT 1; END; CREATE TABLE more (x)",
    "ALTER TABLE stoic_log ADD COLUMN big AS (length(hex(zeroblob(4000000))))",
    "ALTER TABLE stoic_log ADD COLUMN big CHECK (length(hex(zeroblob(4000000))) > 0)",
    "CREATE INDEX slow ON stoic_log (length(hex(zeroblob(100))))",
    "CREATE VIRTUAL TABLE v USING fts5(x)",
    "DROP INDEX stoic_open",
    "DROP INDEX stoic_open; CREATE INDEX stoic_open ON stoic_trials (study)",
    "CREATE TABLE stoic_more (x)",
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "s.db"
    with stoic.Study(path, space=SPACE, direction="maximize") as study:
        for i in range(12):
            study.tell(study.ask(), float(i))
    return path


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return made(tmp_path_factory.mktemp("killed"), 12, killed=True)


def sealed_anew(path: Path) -> None:
    """Forge the digest over the definitions, as whoever may write the file can."""
    raw = sqlite3.connect(path)
    rows = raw.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name LIKE 'stoic\\_%' "
        "ESCAPE '\\' OR type IN ('trigger', 'view') ORDER BY type, name"
    ).fetchall()
    made = digest("meta", FORMAT, *[ascii(tuple(row)) for row in rows])
    try:
        raw.execute("UPDATE stoic_meta SET seal = ?", (made,))
        raw.commit()
    except sqlite3.Error:
        pass  # the table is a view
    raw.close()


@pytest.mark.parametrize("sql", FORGED)
def test_other_objects_are_refused_before_they_run(whole: Path, tmp_path: Path, sql: str) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    raw = sqlite3.connect(path)
    raw.executescript(sql)
    raw.close()
    sealed_anew(path)
    ways: list[Callable[[], object]] = [
        lambda: stoic.Study(path),
        lambda: stoic.Study(path, space=SPACE, direction="maximize"),
        lambda: summaries(path),
    ]
    for way in ways:
        with pytest.raises(StoreDamaged, match="and nothing else"):
            way()
    assert not examine(path).healthy
    kept = recover(path, tmp_path / "new.db")  # reads pages, not tables
    assert [each.trials for each in kept] == [12] or sql.startswith("DROP TABLE")


def test_objects_that_come_while_a_study_is_open(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    with stoic.Study(path) as study:
        trial = study.ask()
        raw = sqlite3.connect(path)
        raw.executescript(FORGED[2])
        raw.close()
        with pytest.raises(StoreDamaged, match="and nothing else"):
            study.tell(trial, 1.0)
        with pytest.raises(StoreDamaged, match="and nothing else"):
            study.recommend()


def test_what_analyze_and_vacuum_leave_is_fine(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    raw = sqlite3.connect(path)
    raw.executescript("ANALYZE; VACUUM")
    raw.close()
    with stoic.Study(path) as study:
        assert study.finished == 12
    assert examine(path).healthy


def test_the_tables_are_those_of_every_store_of_this_format(whole: Path) -> None:
    """Stores that were made before must be readable still."""
    raw = sqlite3.connect(whole)
    found = dict(raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    raw.close()
    assert set(found) == set(TABLES)
    assert "".join(found["stoic_meta"].split()) == (
        "CREATETABLEstoic_meta(idINTEGERNOTNULL,formatINTEGERNOTNULL,sealTEXTNOTNULL,"
        "PRIMARYKEY(id))"
    )
    assert "".join(found["stoic_log"].split()) == (
        "CREATETABLEstoic_log(studyINTEGERNOTNULL,seqINTEGERNOTNULL,trialINTEGERNOTNULL,"
        "measurementINTEGERNOTNULL,valueTEXT,reasonTEXT,toldDOUBLENOTNULL,sealTEXTNOTNULL,"
        "PRIMARYKEY(study,seq),UNIQUE(study,trial,measurement),"
        "FOREIGNKEY(study)REFERENCESstoic_studies(id))WITHOUTROWID"
    )


def test_counts_that_no_memory_holds(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "s.db"))
    raw = sqlite3.connect(path)
    names = ", ".join(STUDY_COLUMNS[:-1])
    row = StudyRow(*raw.execute(f"SELECT {names} FROM stoic_studies").fetchone())
    row = row._replace(next_number=2**50)
    raw.execute("UPDATE stoic_studies SET next_number = ?, seal = ?", (2**50, row.digest()))
    raw.commit()
    raw.close()
    with pytest.raises(StoreDamaged):
        stoic.Study(path)
    assert not examine(path).healthy
    assert all(each.trials <= 12 for each in recover(path, tmp_path / "new.db"))


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-lock"])
def test_pipes_are_not_waited_for(whole: Path, tmp_path: Path, end: str) -> None:
    path = tmp_path / "s.db"
    if end:
        shutil.copy(whole, path)
    os.mkfifo(f"{path}{end}")
    ways: list[Callable[[], object]] = [
        lambda: stoic.Study(path, space=SPACE, direction="maximize"),
        lambda: summaries(path),
        lambda: examine(path),
        lambda: readable(path),
    ]
    for way in ways:
        with pytest.raises(StoreDamaged, match="regular file"):
            way()


# -- the write-ahead log -------------------------------------------------------------------------


def checksum(data: bytes, order: str = "<") -> bytes:
    """As https://www.sqlite.org/fileformat2.html#checksum_algorithm has it."""
    first = second = 0
    for a, b in struct.iter_unpack(f"{order}II", data):
        first = (first + a + second) & 0xFFFFFFFF
        second = (second + b + first) & 0xFFFFFFFF
    return struct.pack(">II", first, second)


def test_the_checksum_is_sqlites(killed: Files) -> None:
    assert checksum(killed["-wal"][:24]) == killed["-wal"][24:32]


@pytest.mark.parametrize("size", [0, 1, 3, 7, 256, 511, 513, 4095, 2**17, 2**26, 2**31, 2**32 - 1])
def test_page_sizes_that_are_none(killed: Files, tmp_path: Path, size: int) -> None:
    log = killed["-wal"]
    header = log[:8] + struct.pack(">I", size) + log[12:24]
    forged = header + checksum(header) + log[32:]
    path = put({**killed, "-wal": forged}, tmp_path / "s.db")
    with pytest.raises(StoreDamaged):
        check_wal(str(path))
    with pytest.raises(StoreDamaged):
        stoic.Study(path)
    Path(f"{path}-shm").unlink()
    assert not read_wal(path).header
    with pytest.raises(StoreDamaged):
        stoic.Study(path)
    assert not examine(path).healthy
    assert readable(path)


def test_a_long_log_of_nothing(killed: Files, tmp_path: Path) -> None:
    path = put(killed, tmp_path / "s.db")
    before = read_wal(path)
    os.truncate(f"{path}-wal", 2**40)  # takes no room on the disk
    assert read_wal(path).frames == before.frames


def test_the_reader_of_logs_has_typed_errors_alone(killed: Files, tmp_path: Path) -> None:
    chance, path = random.Random(5), tmp_path / "s.db"
    for i in range(50):
        files = dict(killed)
        for end in files:
            data = bytearray(files[end])
            for _ in range(chance.choice([0, 1, 20])):
                data[chance.randrange(min(len(data), chance.choice([32, 136, 10**9])))] ^= (
                    chance.randrange(1, 256)
                )
            if chance.random() < 0.3:
                del data[chance.randrange(len(data)) :]
            files[end] = bytes(data)
        if i % 2:  # a whole header of nonsense
            words = [chance.choice([0, 1, 2**16, 2**32 - 1, chance.randrange(2**32)])]
            header = struct.pack(">3I", 0x377F0682 | i // 2 % 2, 3007000, *words) + bytes(12)
            order = ">" if i // 2 % 2 else "<"
            files["-wal"] = header + checksum(header, order) + files["-wal"][32:]
        put(files, path)
        read_wal(path)
        for way in (check_wal, readable):
            with suppress(StoicError):
                way(str(path))
