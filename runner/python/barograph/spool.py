"""The durable spool of one stream: items that the server has not acknowledged yet.

One folder per stream, in the format of all Barograph clients: `queue.json` (owner and server), `lock`, `progress.json`
(settled items) and segments `00000001.seg`. An item is in the operating system's hands before `append` returns, so a
killed process loses nothing; it is on the disk a second later. The client's lock guards every method.
"""
from __future__ import annotations

import contextlib
import math
import os
import re
import shutil
import uuid
from typing import Any, Sequence

from . import lock
from .errors import warn
from .items import dump
from .segments import (
    Line, Range, Segment, encode_line, in_ranges, merge_ranges, read_segment, thin_lines, write_file, write_queue_file,
)

_RESERVE_AHEAD = 2_000


class Spool:
    def __init__(self, folder: str | None, identity: dict[str, Any], stream: str, max_bytes: int) -> None:
        self.folder = folder
        self.identity = identity
        self.stream = stream
        self.max_bytes = max_bytes
        self.segment_bytes = max(16 * 1024, min(1024 * 1024, max_bytes // 16))
        self.segments: list[Segment] = []
        self.next_seq = 1
        self.reserved_through = 0
        self.durable = folder is not None
        self.dropped = 0
        self.blocked_until = 0.0
        self.progress_dirty = False
        self._fd: int | None = None
        self._unsynced = False
        self._next_id = 1

    def recover(self) -> None:
        """Read what a dead owner left. Raises OSError."""
        assert self.folder is not None
        progress = lock.read_json(os.path.join(self.folder, "progress.json"))
        settled = [list(pair) for pair in progress.get("settled", [])] if isinstance(progress, dict) else []
        for name in sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"\d{8,}\.seg", name)):
            path = os.path.join(self.folder, name)
            header, lines = read_segment(path)
            first = lines[0][0] if lines else header.get("first", self.next_seq)
            last = lines[-1][0] if lines else first - 1
            self.next_seq = max(self.next_seq, last + 1, header.get("first", 1))
            self._next_id = max(self._next_id, int(name[:-4]) + 1)
            waiting = sum(not in_ranges(settled, seq) for seq, _ in lines)
            segment = Segment(int(name[:-4]), path, first, last, os.path.getsize(path), waiting, None, settled)
            segment.thinned = header.get("thinned") is True
            self.segments.append(segment)
        # Everything found may have been sent.
        self.reserved_through = self.next_seq - 1

    @property
    def pending(self) -> int:
        return sum(segment.pending for segment in self.segments)

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self.segments)

    @property
    def is_dirty(self) -> bool:
        return self._unsynced or self.progress_dirty

    def append(self, text: bytes) -> int:
        """Take an item that carries `next_seq`; costs one write. Returns its seq."""
        line = encode_line(text)
        active = self.segments[-1] if self.segments else None
        if active is None or active.lines is None or active.size + len(line) > self.segment_bytes:
            active = self._begin_segment(line)
        else:
            self._write(active, line)
        assert active.lines is not None
        active.lines.append((self.next_seq, text))
        active.last = self.next_seq
        active.pending += 1
        self.next_seq += 1
        return self.next_seq - 1

    def _begin_segment(self, line: bytes) -> Segment:
        previous = self.segments[-1] if self.segments else None
        self._close_file()
        path = None if self.folder is None else os.path.join(self.folder, f"{self._next_id:08d}.seg")
        segment = Segment(self._next_id, path, self.next_seq, self.next_seq - 1, lines=[])
        self._next_id += 1
        self.segments.append(segment)
        if path is not None:
            try:
                self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o600)
            except OSError as error:
                self._lose_file(segment, error)
        header = dump({"segment": 1, "first": self.next_seq, "thinned": False})
        self._write(segment, encode_line(header) + line)
        # The first segments are being sent; later ones are read again when it is their turn.
        if previous is not None and previous.path is not None and len(self.segments) > 3:
            previous.lines = None
        self._make_room()
        return segment

    def _write(self, segment: Segment, data: bytes) -> None:
        segment.size += len(data)
        if self._fd is None or segment.path is None:
            return
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
            self._unsynced = True
        except OSError as error:
            self._lose_file(segment, error)

    def _lose_file(self, segment: Segment, error: OSError) -> None:
        """Continue the segment in memory; the next one tries the disk again."""
        if segment is self.segments[-1]:
            self._close_file()
        segment.path = None
        self.durable = False
        warn("The queue cannot be written; items wait in memory: %s", error)

    def _close_file(self) -> None:
        if self._fd is None:
            return
        with contextlib.suppress(OSError):
            if self._unsynced:
                os.fsync(self._fd)
        with contextlib.suppress(OSError):
            os.close(self._fd)
        self._fd, self._unsynced = None, False

    def unsynced_file(self) -> int | None:
        """A new descriptor for the caller to sync and close; None if everything is synced."""
        if not self._unsynced or self._fd is None:
            return None
        self._unsynced = False
        with contextlib.suppress(OSError):
            return os.dup(self._fd)
        return None

    def next_batch(self, max_items: int, max_bytes: int) -> list[Line]:
        """The oldest items, reserved: a gap must never reuse the seq of an item that may have been sent."""
        batch: list[Line] = []
        size = 0
        for segment in self.segments:
            for line in segment.load() if segment.pending else ():
                if batch and (len(batch) >= max_items or size + len(line[1]) > max_bytes):
                    return self._reserve(batch)
                batch.append(line)
                size += len(line[1])
        return self._reserve(batch)

    def _reserve(self, batch: list[Line]) -> list[Line]:
        if batch and batch[-1][0] > self.reserved_through:
            self.reserved_through = batch[-1][0] + _RESERVE_AHEAD
            self.save_progress()
        return batch

    def settle(self, ranges: Sequence[Range]) -> int:
        """Forget items that are stored or refused for good. Returns how many."""
        count = 0
        for segment in self.segments:
            touched = [r for r in ranges if r[0] <= segment.last and r[1] >= segment.first]
            if not touched or segment.pending == 0:
                continue
            lines = segment.load()
            left = [line for line in lines if not in_ranges(touched, line[0])]
            count += len(lines) - len(left)
            segment.settled = merge_ranges([*segment.settled, *touched])
            segment.lines, segment.pending = left, len(left)
        if count:
            self.progress_dirty = True
        for segment in self.segments[:-1]:
            if segment.pending == 0:
                self._remove(segment)
        return count

    def _remove(self, segment: Segment) -> None:
        self.segments.remove(segment)
        if segment.path is not None:
            with contextlib.suppress(OSError):
                os.unlink(segment.path)

    def outstanding(self) -> list[Range]:
        return merge_ranges([seq, seq] for segment in self.segments if segment.pending for seq, _ in segment.load())

    def first_outstanding(self) -> float:
        waiting = (segment.load() for segment in self.segments if segment.pending)
        return next((lines[0][0] for lines in waiting if lines), math.inf)

    def save_progress(self) -> None:
        self.progress_dirty = False
        if self.folder is None:
            return
        done: list[Range] = []
        for segment in self.segments:
            done += [[max(a, segment.first), min(b, segment.last)] for a, b in segment.settled if a <= segment.last]
        if self.segments and self.segments[0].first > 1:
            done.append([1, self.segments[0].first - 1])
        settled = merge_ranges(r for r in done if r[0] <= r[1])
        content = dump({"settled": settled, "reservedThrough": self.reserved_through})
        with contextlib.suppress(OSError):
            write_file(os.path.join(self.folder, "progress.json"), content)

    def _make_room(self) -> None:
        """Thin the oldest segments that were never sent until the spool fits; drop boundaries only if needed."""
        for keep_lifecycle in (True, False):
            index = 0
            while self.size > self.max_bytes and index < len(self.segments) - 1:
                segment = self.segments[index]
                before = self.segments[index - 1] if index else None
                index += 1
                if segment.first <= self.reserved_through or (segment.thinned and keep_lifecycle):
                    continue
                # Joined with the thinned one before it, so that gaps do not accumulate.
                joined = before if before and before.thinned and before.first > self.reserved_through else None
                self._thin(segment, joined, keep_lifecycle)
                index -= 1 if joined else 0

    def _thin(self, segment: Segment, joined: Segment | None, keep_lifecycle: bool) -> None:
        kept, dropped = thin_lines((joined.load() if joined else []) + segment.load(), keep_lifecycle)
        self.dropped += dropped
        segment.first = min(joined.first, segment.first) if joined else segment.first
        header = dump({"segment": 1, "first": segment.first, "thinned": True})
        data = encode_line(header) + b"".join(encode_line(text) for _, text in kept)
        segment.lines, segment.pending, segment.size, segment.thinned = kept, len(kept), len(data), True
        segment.settled = []
        if segment.path is not None:
            path = segment.path
            try:
                write_file(path, data)
            except OSError as error:
                self._lose_file(segment, error)
                with contextlib.suppress(OSError):
                    os.unlink(path)
        if joined:
            self._remove(joined)

    def renew_stream(self) -> None:
        """Take a new stream id: the server knows this one as another runner's."""
        self.stream = str(uuid.uuid4())
        if self.folder is not None:
            with contextlib.suppress(OSError):
                write_queue_file(self.folder, self.identity, self.stream)

    def close(self) -> None:
        """Release the folder; remove it if the spool is empty."""
        self._close_file()
        if self.folder is None:
            return
        if self.pending == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        self.save_progress()
        lock.release(self.folder)
