"""File operations of archives: private folders, copies, unique names, the append-only index."""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from datetime import datetime, timezone
from typing import Any, BinaryIO

from .names import extension_of, session_name

_CHUNK = 1 << 20


def make_private(base: str, *names: str) -> str:
    """Create folders below `base`, each 0700 whatever the umask. Existing parents keep their mode."""
    missing = []
    parent = base
    while not os.path.isdir(parent) and os.path.dirname(parent) != parent:
        missing.append(parent)
        parent = os.path.dirname(parent)
    for folder in reversed(missing):
        _make_folder(folder)
    for name in names:
        base = os.path.join(base, name)
        _make_folder(base)
        os.chmod(base, 0o700)
    return base


def _make_folder(folder: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        os.chmod(folder, 0o700)


def copy_file(reader: BinaryIO, path: str) -> tuple[int, int, str]:
    """Copy the file's current content into a new file and sync it. Returns bytes, lines and SHA-256."""
    digest, left, copied, lines, last = hashlib.sha256(), os.fstat(reader.fileno()).st_size, 0, 0, b"\n"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", buffering=0) as writer:
        os.chmod(path, 0o600)
        while left > 0:
            chunk = reader.read(min(left, _CHUNK))
            if not chunk:
                break
            view = memoryview(chunk)
            while view:
                view = view[writer.write(view) or 0 :]
            digest.update(chunk)
            lines += chunk.count(b"\n")
            last = chunk[-1:]
            copied += len(chunk)
            left -= len(chunk)
        os.fsync(writer.fileno())
    return copied, lines + (last != b"\n"), digest.hexdigest()


def hash_file(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            digest.update(chunk)
    return digest.hexdigest()


def place(partial: str, folder: str, session_id: str, at: int, source: str) -> str:
    """Give a complete copy a name that is not taken. `at`: milliseconds. Returns the path."""
    moment = datetime.fromtimestamp(at / 1000, timezone.utc).strftime("%Y%m%d_%H%M%S")
    stem, tail = f"{session_name(session_id)}_{moment}", f"_transcript{extension_of(source)}"
    number = 1
    while True:
        path = os.path.join(folder, f"{stem}{'' if number == 1 else f'-{number}'}{tail}")
        try:
            # A link never replaces a file.
            os.link(partial, path)
            return path
        except FileExistsError:
            number = max(number, _highest_number(folder, stem, tail)) + 1
        except (OSError, AttributeError, NotImplementedError):
            if _rename_unless_taken(partial, path):
                return path
            number += 1


def _rename_unless_taken(partial: str, path: str) -> bool:
    """For file systems without links: only the process that creates the claim renames."""
    try:
        os.close(os.open(f"{path}.claim", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    try:
        if os.path.exists(path):
            return False
        os.rename(partial, path)
        return True
    finally:
        with contextlib.suppress(OSError):
            os.unlink(f"{path}.claim")


def _highest_number(folder: str, stem: str, tail: str) -> int:
    names = (name for name in os.listdir(folder) if name.startswith(stem) and name.endswith(tail))
    found = (re.fullmatch(r"-(\d{1,9})", name[len(stem) : len(name) - len(tail)]) for name in names)
    return max((int(number.group(1)) for number in found if number), default=0)


def remove_stale(folder: str, before: float) -> None:
    """Remove files of killed processes. `before`: seconds since the epoch."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                if os.stat(path).st_mtime < before:
                    os.unlink(path)


def append_line(folder: str, name: str, content: dict[str, Any]) -> None:
    """Append one JSON line in one write. Raises OSError."""
    path = os.path.join(folder, name)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.chmod(path, 0o600)
        size = os.fstat(descriptor).st_size
        # An incomplete last line must not damage this one.
        is_torn = size > 0 and hasattr(os, "pread") and os.pread(descriptor, 1, size - 1) != b"\n"
        text = ("\n" if is_torn else "") + json.dumps(content) + "\n"
        if os.write(descriptor, text.encode()) != len(text):
            raise OSError("the line was written in part only")
    finally:
        os.close(descriptor)
