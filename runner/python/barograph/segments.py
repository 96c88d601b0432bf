"""Segment files of a spool: lines of `<CRC-32> <JSON>`, and what remains of them when the spool is full."""
from __future__ import annotations

import contextlib
import json
import os
import zlib
from dataclasses import dataclass, field
from typing import Any, Iterable, List, Sequence, Tuple

from .items import LIFECYCLE, dump, now_ms

Range = List[int]
Line = Tuple[int, bytes]


@dataclass
class Segment:
    """A part of the spool in one append-only file."""

    id: int
    #: None: it could not be written and is in memory only.
    path: str | None
    first: int
    last: int
    size: int = 0
    pending: int = 0
    #: Items that are not settled; None while only the file has them.
    lines: list[Line] | None = None
    settled: list[Range] = field(default_factory=list)
    thinned: bool = False

    def load(self) -> list[Line]:
        if self.lines is None:
            lines: list[Line] = []
            if self.path is not None:
                with contextlib.suppress(OSError):
                    lines = read_segment(self.path)[1]
            self.lines = [line for line in lines if not in_ranges(self.settled, line[0])]
            self.pending = len(self.lines)
        return self.lines


def encode_line(text: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text), text)


def read_segment(path: str) -> tuple[dict[str, Any], list[Line]]:
    """Header and items in order of seq; damaged lines are skipped. Raises OSError."""
    header: dict[str, Any] = {}
    lines: dict[int, bytes] = {}
    with open(path, "rb") as file:
        data = file.read()
    for line in data.split(b"\n")[:-1]:
        text = line[9:]
        with contextlib.suppress(ValueError):
            if line[8:9] != b" " or int(line[:8], 16) != zlib.crc32(text):
                continue
            value = json.loads(text)
            if value.get("segment") == 1:
                header = value
            elif isinstance(value.get("seq"), int):
                lines[value["seq"]] = text
    return header, sorted(lines.items())


def write_file(path: str, data: bytes) -> None:
    """Replace a file in one step. Raises OSError."""
    descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
    os.replace(f"{path}.new", path)


def write_queue_file(folder: str, identity: dict[str, Any], stream: str) -> None:
    content = {"format": 1, **identity, "stream": stream, "createdAt": now_ms()}
    write_file(os.path.join(folder, "queue.json"), json.dumps(content, indent=2).encode() + b"\n")


def in_ranges(ranges: Sequence[Range], seq: int) -> bool:
    return any(first <= seq <= last for first, last in ranges)


def merge_ranges(ranges: Iterable[Sequence[int]]) -> list[Range]:
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and merged[-1][1] >= first - 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def thin_lines(lines: Sequence[Line], keep_lifecycle: bool) -> tuple[list[Line], int]:
    """Replace turns by one gap per chain; restarts and other boundaries stay, without their texts.

    Returns the remaining lines and the number of dropped items. `keep_lifecycle` False: drop boundaries too.
    """
    gaps: dict[tuple[str, str], dict[str, Any]] = {}
    kept: list[Line] = []
    dropped = 0

    def close(name: tuple[str, str]) -> None:
        gap = gaps.pop(name)
        kept.append((gap["seq"], dump(gap)))

    for seq, text in lines:
        item = json.loads(text)
        if keep_lifecycle and item["type"] in LIFECYCLE:
            for name in [name for name in gaps if name[0] == item["session"]]:
                close(name)
            if item["type"] == "restart":
                item = {name: value for name, value in item.items() if name not in ("checkpoint", "prompt")}
            kept.append((seq, dump(item)))
            continue
        was_gap = item["type"] == "gap"
        dropped += 0 if was_gap else 1
        name = (item["session"], item.get("chain", "main"))
        first = item.get("from", seq) if was_gap else seq
        gap = gaps.setdefault(name, {"type": "gap", "session": name[0], "from": first})
        if "chain" in item:
            gap["chain"] = item["chain"]
        gap.update(seq=seq, at=item["at"], to=seq, reason="The runner’s queue was full.")
        gap["count"] = gap.get("count", 0) + (item["count"] if was_gap else 1)
    for name in list(gaps):
        close(name)
    return sorted(kept), dropped
