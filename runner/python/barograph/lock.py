"""One process owns a spool folder. All Barograph clients use the same lock file.

The lock names its owner by pid, start time and boot, because pids are reused. On another host, or if the system reports
neither, the age of the last heartbeat decides.
"""
from __future__ import annotations

import contextlib
import json
import math
import os
import socket
import time
from typing import Any

HEARTBEAT = 30.0
"""Seconds between two touches of a lock."""
_STALE_AFTER = 10 * HEARTBEAT
_TAKEOVER_AFTER = 10.0


def claim(folder: str) -> bool:
    """Take the folder's lock unless a living process has it. Raises OSError."""
    path = os.path.join(folder, "lock")
    own = json.dumps(_this_process(), separators=(",", ":")).encode()
    if _create(path, own):
        return True
    owner = read_json(path)
    if _is_alive(path, owner):
        return False
    # Only one of the processes that see a stale lock creates this folder.
    takeover = os.path.join(folder, "lock.takeover")
    with contextlib.suppress(OSError):
        if time.time() - os.stat(takeover).st_mtime > _TAKEOVER_AFTER:
            os.rmdir(takeover)
    try:
        os.mkdir(takeover, 0o700)
    except FileExistsError:
        return False
    try:
        if read_json(path) != owner:
            return False
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return _create(path, own)
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(takeover)


def touch(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.utime(os.path.join(folder, "lock"))


def release(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(folder, "lock"))


def read_json(path: str) -> Any:
    """None if the file is missing or is not JSON."""
    try:
        with open(path, "rb") as file:
            return json.loads(file.read())
    except (OSError, ValueError):
        return None


def _create(path: str, data: bytes) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with open(descriptor, "wb") as file:
        file.write(data)
    return True


def _is_alive(path: str, owner: Any) -> bool:
    try:
        age = time.time() - os.stat(path).st_mtime
    except OSError:
        age = math.inf
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        return age < _TAKEOVER_AFTER
    own = _this_process()
    if owner.get("host") != own["host"]:
        return age < _STALE_AFTER
    if owner.get("boot") != own["boot"]:
        return False
    if os.name != "nt":
        try:
            os.kill(owner["pid"], 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass
    started = _start_of(owner["pid"])
    if owner.get("started") and started:
        return bool(owner["started"] == started)
    return owner["pid"] == own["pid"] or age < _STALE_AFTER


def _this_process() -> dict[str, Any]:
    boot = ""
    with contextlib.suppress(OSError):
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    pid = os.getpid()
    return {"pid": pid, "host": socket.gethostname(), "started": _start_of(pid), "boot": boot}


def _start_of(pid: int) -> str:
    """Start time of a process; empty if unknown, `gone` for a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return "gone" if fields[0] == "Z" else fields[19]
    except (OSError, IndexError):
        return ""
