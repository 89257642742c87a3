"""A cloud in one SQLite file, which several processes share."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from mockprovider.cloud import Effect, Event
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.tape.bags import dump, load
from mockprovider.values import Bag

BUSY_SECONDS = 30.0
"""Seconds that one process waits for another's transaction; each takes about a millisecond."""

APPLICATION = 0x6D6F636B
"""SQLite's application id of our files, so that nobody's database is written into by mistake."""

VERSION = 1
TABLES = (
    "CREATE TABLE objects (n INTEGER PRIMARY KEY, type TEXT, id TEXT, properties TEXT, UNIQUE (type, id))",
    "CREATE TABLE events (n INTEGER PRIMARY KEY, number INTEGER, effect TEXT, type TEXT, id TEXT, before TEXT, after TEXT)",
    "CREATE TABLE points (point TEXT PRIMARY KEY, count INTEGER)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


class SqliteStore:
    """A cloud's store in the file ``path``, made if it is not there: ``Cloud(SqliteStore(path))``.

    Processes that name the same file share objects, events and the counters that ids are made from. Each effect is one
    transaction: another process sees all of it or nothing. The file holds secrets in plain text; only its owner may read it.

    Raises ``MalformedError`` if the file is there and is no such cloud, ``MockProviderError`` if it cannot be opened, or if
    another process holds it for longer than ``busy_seconds``.
    """

    def __init__(self, path: Path | str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._depth = 0
        self._connection = self._open(busy_seconds)
        try:
            with self._explained():
                # Waiting for the disk at each effect is slow, and a fake can afford to lose effects when the machine crashes.
                self._connection.execute("PRAGMA synchronous = OFF")
            with self.transaction():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _open(self, busy_seconds: float) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            # We begin transactions ourselves, and our own lock lets in one thread at a time.
            connection = sqlite3.connect(self.path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
        except (OSError, ValueError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or error
            raise MockProviderError(
                f"Cannot open the cloud {self.path}: {reason}. Name a file in a folder of yours."
            ) from error
        return connection

    def _prepare(self) -> None:
        application, version = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        if application != APPLICATION:
            if self._one("SELECT count(*) FROM sqlite_master"):
                raise MalformedError(f"{self.path} is an SQLite database, but no cloud of mockprovider. Name another file.")
            for statement in TABLES:
                self._connection.execute(statement)
        elif version > VERSION:
            raise MalformedError(
                f"{self.path} is a cloud of format {version}, and known is {VERSION}. Update mockprovider, or name another."
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is done inside is done as a whole, or not at all if it raises; by one thread of one process at a time."""
        with self._lock:
            if self._depth:
                yield
                return
            self._depth += 1
            try:
                with self._explained():
                    self._connection.execute("BEGIN IMMEDIATE")
                    try:
                        yield
                        self._connection.execute("COMMIT")
                    except BaseException:
                        if self._connection.in_transaction:
                            self._connection.execute("ROLLBACK")
                        raise
            finally:
                self._depth -= 1

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError as error:
            raise MockProviderError(f"The cloud {self.path} is closed. Make another SqliteStore of it.") from error
        except sqlite3.OperationalError as error:
            raise MockProviderError(f"Cannot use the cloud {self.path}: {error}. Does another process hold it?") from error
        except sqlite3.DatabaseError as error:
            raise MalformedError(f"{self.path} is no cloud: {error}. Name another file, or delete it to begin anew.") from error

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self.transaction():
            return self._connection.execute(statement, values).fetchall()

    def _one(self, statement: str, *values: Any) -> Any:
        return self._rows(statement, *values)[0][0]

    # The store -------------------------------------------------------------------------------------------------------

    def get(self, type_: str, id_: str) -> Bag | None:
        """The properties of an object, or ``None``."""
        rows = self._rows("SELECT properties FROM objects WHERE type = ? AND id = ?", type_, id_)
        return load(rows[0][0]) if rows else None

    def put(self, type_: str, id_: str, properties: Bag | None) -> None:
        """Keep an object's properties; ``None`` removes it."""
        if properties is None:
            self._rows("DELETE FROM objects WHERE type = ? AND id = ?", type_, id_)
            return
        self._rows(
            "INSERT INTO objects (type, id, properties) VALUES (?, ?, ?) "
            "ON CONFLICT (type, id) DO UPDATE SET properties = excluded.properties",
            *(type_, id_, dump(properties)),
        )

    def objects(self) -> list[tuple[str, str, Bag]]:
        """All objects as (type, id, properties), oldest first."""
        rows = self._rows("SELECT type, id, properties FROM objects ORDER BY n")
        return [(type_, id_, load(properties)) for type_, id_, properties in rows]

    def log(self, event: Event) -> None:
        """Append an event."""
        before, after = (None if bag is None else dump(bag) for bag in (event.before, event.after))
        self._rows(
            "INSERT INTO events (number, effect, type, id, before, after) VALUES (?, ?, ?, ?, ?, ?)",
            *(event.n, event.effect.value, event.type, event.id, before, after),
        )

    def events(self) -> list[Event]:
        """All events, in order."""
        rows = self._rows("SELECT number, effect, type, id, before, after FROM events ORDER BY n")
        return [
            Event(n, Effect(effect), type_, id_, _bag(before), _bag(after)) for n, effect, type_, id_, before, after in rows
        ]

    def count(self, point: str) -> int:
        """How often this was asked for ``point`` before."""
        counted: int = self._one(
            "INSERT INTO points VALUES (?, 1) ON CONFLICT (point) DO UPDATE SET count = count + 1 RETURNING count", point
        )
        return counted - 1

    def close(self) -> None:
        """Close the file. Safe to call again."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bag(text: str | None) -> Bag | None:
    return None if text is None else load(text)
