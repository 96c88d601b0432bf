"""The durable spool of one stream: items that the server has not acknowledged yet.

Each stream has an SQLite file, which its process locks. `append` writes an item, and `sync` follows within a second. A
full spool drops new turns and records gaps. The delivery's lock guards every method except `sync`.

Each value has its CRC-32 before it and a line end after it, because SQLite does not notice a changed byte, and because a
scan for such lines finds the items of a file that SQLite cannot read.
"""
from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import sqlite3
import uuid
import zlib
from typing import Any, Iterable, Sequence

from .errors import log
from .items import dump, now_ms

_TABLES = """
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS stream (id TEXT, identity TEXT);
    CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, text BLOB);
"""


def _line(value: Any) -> bytes:
    text = dump(value)
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _json_of(line: bytes | str) -> bytes:
    """The JSON of a line. Raises sqlite3.DatabaseError if it is damaged. Earlier versions wrote JSON only."""
    line = line.encode("utf-8") if isinstance(line, str) else line
    if line[:1] == b"{":
        return line
    if b"%08x " % zlib.crc32(line[9:-1]) != line[:9]:
        raise sqlite3.DatabaseError("an item is damaged")
    return line[9:-1]


def _open(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.executescript(_TABLES)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class Spool:
    """`path` None: in memory. Raises sqlite3.Error, also if another process uses the file."""

    def __init__(self, path: str | None, max_bytes: int = 0) -> None:
        self.durable, self.dropped = path is not None, 0
        self._path, self._max_bytes = path, max_bytes
        self._db = _open(path or ":memory:")
        named = self._db.execute("SELECT id, identity FROM stream").fetchone()
        self.stream, identity = named or ("", "{}")
        about = json.loads(_json_of(identity))
        self.identity: dict[str, Any] = about.get("identity", about)
        counts = "SELECT coalesce(max(seq), 0) + 1, count(*), coalesce(sum(length(text)), 0) FROM items"
        self.next_seq, self.waiting, self._size = self._db.execute(counts).fetchone()
        #: Dropped turns that no gap counts yet, by session and chain.
        self._lost: dict[tuple[str, Any], int] = {}

    def rename(self, identity: dict[str, Any], stream: str | None = None) -> None:
        """Take a new stream id: for a new spool, and if the server knows the old id from another runner."""
        self.stream, self.identity = stream or str(uuid.uuid4()), identity
        about = _line({"stream": self.stream, "identity": identity})
        self._db.execute("DELETE FROM stream")
        self._db.execute("INSERT INTO stream VALUES (?, ?)", (self.stream, about))

    def check(self) -> None:
        """Raises sqlite3.DatabaseError if an item is damaged."""
        for (text,) in self._db.execute("SELECT text FROM items"):
            _json_of(text)

    def restore(self, items: dict[int, dict[str, Any]]) -> None:
        """Take the readable items of a damaged file, with a gap for each of its sessions and chains."""
        for self.next_seq, item in sorted(items.items()):
            self._write(item)
        lost = max(1, 1 + max(items) - min(items) - len(items)) if items else 0
        # Beyond the seqs of items that may have been sent and are lost.
        self.next_seq += 1 << 24
        for name in {(item["session"], item.get("chain")): None for item in items.values()}:
            self._write_gap(name, lost, reason="The runner’s queue was damaged.", bound="about")

    def append(self, item: dict[str, Any]) -> int | None:
        """Store an item. Returns its seq, or None if the spool is full and dropped it."""
        name = (item["session"], item.get("chain"))
        if self._size > self._max_bytes and item["type"] in ("turn", "reading"):
            self.dropped += 1
            if name not in self._lost:
                # Written at once, because from here the context's sums are a lower bound.
                self._write_gap(name, 1)
            self._lost[name] = self._lost.get(name, -1) + 1
            return None
        self.write_gaps(item["session"])
        return self._write(item)

    def write_gaps(self, session: str | None = None) -> None:
        """Write gaps for the dropped turns of a session, or of all sessions."""
        for name in [name for name in self._lost if session in (None, name[0])]:
            self._write_gap(name, self._lost.pop(name))

    def _write_gap(
        self, name: tuple[str, Any], count: int, reason: str = "The runner’s queue was full.", **fields: str
    ) -> None:
        session, chain = name
        gap = {"type": "gap", "session": session, "at": now_ms(), "count": count, "reason": reason, **fields}
        if count > 0:
            self._write(gap if chain is None else {**gap, "chain": chain})

    def _write(self, item: dict[str, Any]) -> int:
        row = self.next_seq, _line({**item, "seq": self.next_seq})
        try:
            self._db.execute("INSERT INTO items VALUES (?, ?)", row)
        except sqlite3.Error as error:
            self._leave_disk(error)
            self._db.execute("INSERT INTO items VALUES (?, ?)", row)
        self.next_seq += 1
        self.waiting += 1
        self._size += len(row[1])
        return row[0]

    def _leave_disk(self, error: Exception) -> None:
        """Continue in memory. The items on disk are sent twice, which is harmless."""
        log.warning("The queue cannot be written; items wait in memory: %s", error)
        disk, self._db = self._db, _open(":memory:")
        self._db.executemany("INSERT INTO items VALUES (?, ?)", disk.execute("SELECT seq, text FROM items"))
        disk.close()
        self._path, self.durable = None, False

    def pause(self) -> None:
        """Close the file before a fork."""
        if self._path is not None:
            self._db.close()

    def resume(self) -> None:
        try:
            self._db = self._db if self._path is None else _open(self._path)
        except sqlite3.Error:
            # Another process adopted the file and delivers its items.
            self._db, self._path, self.durable, self.waiting = _open(":memory:"), None, False, 0

    def next_batch(self, max_items: int, max_bytes: int) -> list[tuple[int, bytes]]:
        """The oldest items within the limits. The first item may exceed `max_bytes`."""
        sizes = "SELECT seq, length(text) AS size FROM items ORDER BY seq LIMIT ?"
        sums = f"SELECT seq, size, sum(size) OVER (ORDER BY seq) AS total FROM ({sizes})"
        fitting = f"SELECT seq FROM ({sums}) WHERE total <= ? OR total = size"
        batch = f"SELECT seq, text FROM items WHERE seq IN ({fitting}) ORDER BY seq"
        return [(seq, _json_of(text)) for seq, text in self._db.execute(batch, (max_items, max_bytes))]

    def settle(self, ranges: Iterable[Sequence[int]]) -> int:
        """Delete items that the server stored or refused. Returns their number."""
        before = self.waiting
        for first, last in ranges:
            size = "SELECT coalesce(sum(length(text)), 0) FROM items WHERE seq BETWEEN ? AND ?"
            self._size -= self._db.execute(size, (first, last)).fetchone()[0]
            self.waiting -= self._db.execute("DELETE FROM items WHERE seq BETWEEN ? AND ?", (first, last)).rowcount
        return before - self.waiting

    def first_waiting(self) -> int:
        return int(self._db.execute("SELECT coalesce(min(seq), ?) FROM items", (self.next_seq,)).fetchone()[0])

    def outstanding(self) -> list[list[int]]:
        # Consecutive seqs have the same difference to their row number.
        rows = "SELECT seq, seq - row_number() OVER (ORDER BY seq) AS start FROM items"
        found = self._db.execute(f"SELECT min(seq), max(seq) FROM ({rows}) GROUP BY start ORDER BY start")
        return [list(row) for row in found]

    def sync(self) -> None:
        """Sync the written items to the disk. Needs no lock."""
        with contextlib.suppress(OSError), open(f"{self._path}-wal", "rb") as file:
            os.fsync(file.fileno())

    def close(self) -> None:
        """Release the file; remove it if the spool is empty."""
        self._db.close()
        if self._path is not None and self.waiting == 0:
            with contextlib.suppress(OSError):
                os.unlink(self._path)


def open_spool(folder: str, identity: dict[str, Any], max_bytes: int) -> Spool:
    """A new stream in its own file, or in memory if the folder cannot be used."""
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)
        path = os.path.join(folder, f"{now_ms()}-{uuid.uuid4()}.sqlite")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        spool = Spool(path, max_bytes)
    except (OSError, sqlite3.Error) as error:
        log.warning("No queue folder can be used, items wait in memory: %s", error)
        spool = Spool(None, max_bytes)
    spool.rename(identity)
    return spool


def _open_left(path: str, url: str) -> Spool | None:
    """The spool of a process that ended. Raises sqlite3.OperationalError if a process uses the file."""
    spool = None
    try:
        spool = Spool(path)
        spool.check()
        return spool
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, ValueError, TypeError):
        if spool:
            spool.close()
        return _replace_damaged(path, url)


def _replace_damaged(path: str, url: str) -> Spool | None:
    """A new spool with the readable items of a damaged file, which is kept in `damaged`. None: the items are not for this server."""
    data = b""
    for name in filter(os.path.exists, (path, f"{path}-wal")):
        with open(name, "rb") as file:
            data += file.read()
    lines = [match[0] for match in re.finditer(rb"[0-9a-f]{8} \{[^\n]*\n", data)]
    # Long items are spread over pages, so that only SQLite finds them.
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path, timeout=0)) as database:
        lines += (text for (text,) in database.execute("SELECT text FROM items ORDER BY seq"))
    about, items = None, {}
    for line in lines:
        with contextlib.suppress(sqlite3.DatabaseError, ValueError):
            value = json.loads(_json_of(line))
            if "stream" in value:
                about = value
            else:
                items[int(value["seq"])] = value
    if about and about["identity"].get("url") != url:
        return None
    folder = os.path.join(os.path.dirname(path), "damaged")
    os.makedirs(folder, 0o700, exist_ok=True)
    kept = os.path.join(folder, os.path.basename(path))
    os.replace(path, kept)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(OSError):
            os.replace(path + suffix, kept + suffix)
    log.warning("A queue was damaged. %d items were readable; the file is kept: %s", len(items), kept)
    if not about:
        return None
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    spool = Spool(path)
    spool.rename(about["identity"], about["stream"])
    spool.restore(items)
    return spool


def adopt_orphans(folder: str, url: str) -> list[Spool]:
    """Open the spools for this server that no living process uses, oldest first."""
    adopted = []
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.sqlite"))):
        with contextlib.suppress(OSError, ValueError, sqlite3.Error):
            # Skip an empty file: another process has just created it.
            spool = _open_left(path, url) if os.path.getsize(path) > 0 else None
            if spool and spool.waiting and spool.identity.get("url") == url:
                adopted.append(spool)
            elif spool:
                spool.close()
    return adopted
