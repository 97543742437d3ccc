"""Both kinds of store keep what the public suite asks of any store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from helpers.servers import Server
from stoic.testing import StoreSuite


class TestSQLite(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> str:
        return str(tmp_path / "study.db")

    @contextmanager
    def busy(self, store: str) -> Iterator[None]:
        with closing(sqlite3.connect(store, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")


class TestPostgreSQL(StoreSuite):
    @pytest.fixture
    def store(self, postgres: Server) -> str:
        return postgres.fresh()

    @contextmanager
    def busy(self, store: str) -> Iterator[None]:
        with psycopg.connect(store) as other:
            other.execute("SELECT * FROM stoic_studies FOR UPDATE")
            yield
            other.rollback()
