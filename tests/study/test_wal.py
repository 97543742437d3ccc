"""The write-ahead log: what SQLite would drop in silence is found before it may."""

from __future__ import annotations

import random
import sqlite3
import sys
from pathlib import Path

import pytest

import stoic
from stoic.errors import StoreDamaged
from stoic.study.store.wal import read_wal

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from study.spoiling import Files, content, made, put


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return made(tmp_path_factory.mktemp("killed"), 25, killed=True)


def rows(path: Path) -> list[list[object]]:
    """What SQLite makes of it."""
    raw = sqlite3.connect(path)
    try:
        return [raw.execute(f"SELECT * FROM stoic_{t}").fetchall() for t in ("studies", "log")]
    except sqlite3.Error as error:
        return [[repr(error)]]
    finally:
        raw.close()


def test_a_whole_log(killed: Files, tmp_path: Path) -> None:
    wal = read_wal(put(killed, tmp_path / "s.db"))
    assert wal.header
    assert wal.damage is None
    assert wal.promised == wal.committed == len(wal.frames) == (len(killed["-wal"]) - 32) // 4120


def test_whatever_sqlite_drops_is_found_and_nothing_else(killed: Files, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    expected = rows(put(killed, path))
    chance = random.Random(2)
    dropped = 0
    for i in range(60):
        log = bytearray(killed["-wal"])
        if i % 3:
            log[chance.randrange(len(log))] ^= 1 << chance.randrange(8)
        else:
            del log[chance.randrange(len(log)) :]
        damage = read_wal(put({**killed, "-wal": bytes(log)}, path)).damage
        assert (damage is not None) == (rows(path) != expected)
        dropped += damage is not None
    assert dropped > 40


def test_without_the_shared_index_a_flip_is_found_if_others_committed_later(
    killed: Files, tmp_path: Path
) -> None:
    log = bytearray(killed["-wal"])
    log[5000] ^= 1
    alone = {"": killed[""], "-wal": bytes(log)}
    assert "SQLite would drop" in str(read_wal(put(alone, tmp_path / "s.db")).damage)


@pytest.mark.parametrize("cut", [0, 16, 32, 33, 56, 4152])
def test_an_interrupted_write_is_none(killed: Files, tmp_path: Path, cut: int) -> None:
    """A log that ends in the middle of a frame, with no index to tell of more, is a crash."""
    alone = {"": killed[""], "-wal": killed["-wal"][:cut]}
    assert read_wal(put(alone, tmp_path / "s.db")).damage is None


def test_frames_of_an_older_round_are_none(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("CREATE TABLE t (x)")
    for i in range(20):
        raw.execute("INSERT INTO t VALUES (?)", (i,))
        raw.commit()
    raw.execute("PRAGMA wal_checkpoint(RESTART)")
    raw.execute("INSERT INTO t VALUES (99)")
    raw.commit()
    wal = read_wal(path)
    assert len(wal.frames) < (wal.size - 32) // 4120
    assert wal.damage is None
    raw.close()
    assert read_wal(path).size == 0


def test_a_damaged_log_is_refused_and_left_alone(killed: Files, tmp_path: Path) -> None:
    log = bytearray(killed["-wal"])
    log[-100] ^= 1  # the last commit
    path = put({**killed, "-wal": bytes(log)}, tmp_path / "s.db")
    with pytest.raises(StoreDamaged, match="log of"):
        stoic.Study(path)
    assert Path(f"{path}-wal").read_bytes() == bytes(log)
    emptied = put({**killed, "": b""}, tmp_path / "s.db")
    with pytest.raises(StoreDamaged, match="empty"):
        stoic.Study(emptied, space={"x": (0.0, 1.0)}, direction="maximize")
    assert content(put(killed, path))[-1]
