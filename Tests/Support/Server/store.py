"""The server's storage: one SQLite file with rows, the answers given under each op_id, and counts."""

from __future__ import annotations

from dataclasses import dataclass, field
import json
import sqlite3

LAYOUT = """
CREATE TABLE IF NOT EXISTS rows (
  entity TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  deleted_at INTEGER, fields TEXT NOT NULL, local_id TEXT, writer TEXT, hidden INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (entity, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rows_in_order ON rows (updated_at, id, entity);
CREATE UNIQUE INDEX IF NOT EXISTS rows_by_local_id ON rows (entity, local_id) WHERE local_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS hidden_rows ON rows (hidden) WHERE hidden <> 0;
CREATE TABLE IF NOT EXISTS answers (op_id TEXT PRIMARY KEY, body TEXT NOT NULL, verdict TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tally (
  op_id TEXT PRIMARY KEY, received INTEGER NOT NULL DEFAULT 0, applied INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""

COLUMNS = "entity, id, version, updated_at, deleted_at, fields, local_id, writer, hidden"

UNTIL_REVEALED = -1
"""A row with this in `hidden` is seen by no pull until a test reveals it."""


@dataclass
class Row:
    """One record as the server has it."""

    entity: str
    id: str
    version: int
    updated_at: int
    deleted_at: int | None = None
    fields: dict = field(default_factory=dict)
    local_id: str | None = None
    """The id that the client made, where the server gave another."""
    writer: str | None = None
    """Who wrote last."""
    hidden: int = 0
    """How many pulls do not see the row yet."""

    @property
    def position(self):
        """Where the row stands in the order of pulls."""
        return (self.updated_at, self.id, self.entity)

    def plain(self):
        """The row as a dictionary, for keeping in an answer; nobody changes what it shares with the row."""
        return dict(vars(self))


class Store:
    """The file; one connection, used by one thread at a time (the application's lock sees to it)."""

    def __init__(self, path):
        self.path = path
        self.copies = {}
        self.connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        # A killed process loses nothing that it handed to the operating system, and no test cuts the power.
        self.connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;")
        self.connection.executescript(LAYOUT)

    def transaction(self):
        """All or nothing of what happens inside of `with`."""
        return Transaction(self.connection)

    # Names and values.

    def meta(self, name, default=None):
        found = self.connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return default if found is None else found[0]

    def set_meta(self, name, value):
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, str(value)))

    # Rows.

    def row(self, entity, name):
        """The row with this id; failing that, the one whose client made this id."""
        for column in ("id", "local_id"):
            query = f"SELECT {COLUMNS} FROM rows WHERE entity = ? AND {column} = ?"
            found = self.connection.execute(query, (entity, name)).fetchone()
            if found is not None:
                return decoded(found)
        return None

    def highest_number(self):
        """The largest id that is a number; 0 without one."""
        query = "SELECT MAX(CAST(id AS INTEGER)) FROM rows WHERE id NOT GLOB '*[^0-9]*'"
        return self.connection.execute(query).fetchone()[0] or 0

    def put(self, *rows):
        """Writes rows in place of what was there."""
        self.connection.executemany(
            f"INSERT OR REPLACE INTO rows ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (row.entity, row.id, row.version, row.updated_at, row.deleted_at,
                 json.dumps(row.fields, ensure_ascii=False), row.local_id, row.writer, row.hidden)
                for row in rows
            ))

    def purge(self, entity, name):
        """Forgets a row, without a tombstone."""
        self.connection.execute("DELETE FROM rows WHERE entity = ? AND id = ?", (entity, name))

    def page(self, after, limit, without_writer=None, entity=None):
        """The first rows behind a position that pulls may see, of all collections or of one."""
        query = (
            f"SELECT {COLUMNS} FROM rows WHERE (updated_at, id, entity) > (?, ?, ?) AND hidden = 0"
            " AND (?4 IS NULL OR writer IS NOT ?4) AND (?6 IS NULL OR entity = ?6)"
            " ORDER BY updated_at, id, entity LIMIT ?5")
        parts = (*after, without_writer, limit, entity)
        return [decoded(found) for found in self.connection.execute(query, parts)]

    def rows(self, entity=None):
        """Every row, or those of one collection."""
        query = f"SELECT {COLUMNS} FROM rows WHERE ?1 IS NULL OR entity = ?1 ORDER BY entity, id"
        return [decoded(found) for found in self.connection.execute(query, (entity,))]

    def pull_passed(self):
        """Rows that become visible late come one pull nearer."""
        self.connection.execute("UPDATE rows SET hidden = hidden - 1 WHERE hidden > 0")

    def reveal(self):
        """All rows are visible from now on."""
        self.connection.execute("UPDATE rows SET hidden = 0 WHERE hidden <> 0")

    # Answers, and how often each op_id came and was applied.

    def answer(self, op_id):
        """The body that came first under a key and the verdict on it; None for a new key."""
        query = "SELECT body, verdict FROM answers WHERE op_id = ?"
        return self.connection.execute(query, (op_id,)).fetchone()

    def remember(self, op_id, body, verdict):
        self.connection.execute("INSERT INTO answers VALUES (?, ?, ?)", (op_id, body, verdict))

    def count(self, op_id, received=0, applied=0):
        self.connection.execute(
            "INSERT INTO tally VALUES (?1, ?2, ?3) ON CONFLICT (op_id) DO UPDATE"
            " SET received = received + ?2, applied = applied + ?3", (op_id, received, applied))

    def tally(self):
        query = "SELECT op_id, received, applied FROM tally ORDER BY op_id"
        return {name: {"received": r, "applied": a} for name, r, a in self.connection.execute(query)}

    # Backups.

    def snapshot(self, name):
        """Keeps a copy of everything under a name."""
        self.with_copy(name, lambda copy: self.connection.backup(copy))

    def rewind(self, name):
        """Brings the copy back, as a server does that is restored from a backup; what was counted stays."""
        counted = self.tally()
        kept = {key: self.meta(key) for key in ("epoch", "settings", "last_stamp") if self.meta(key) is not None}
        self.with_copy(name, lambda copy: copy.backup(self.connection))
        with self.transaction():
            self.connection.execute("DELETE FROM tally")
            for op_id, counts in counted.items():
                self.count(op_id, **counts)
            for key, value in kept.items():
                self.set_meta(key, value)


    def with_copy(self, name, body):
        """Gives `body` the copy of a name: a file beside the store's, or where that is in memory, another one there."""
        if self.path == ":memory:":
            return body(self.copies.setdefault(name, sqlite3.connect(":memory:")))
        copy = sqlite3.connect(f"{self.path}.{name}.snapshot")
        try:
            body(copy)
        finally:
            copy.close()


class Transaction:
    """A context that commits, or rolls back when something was thrown."""

    def __init__(self, connection):
        self.connection = connection

    def __enter__(self):
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind, error, trace):
        self.connection.execute("COMMIT" if kind is None else "ROLLBACK")


def decoded(found):
    entity, name, version, updated_at, deleted_at, fields, local_id, writer, hidden = found
    return Row(entity, name, version, updated_at, deleted_at, json.loads(fields), local_id, writer, hidden)
