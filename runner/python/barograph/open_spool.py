"""Opens a spool of its own for a client, and adopts those of dead processes."""
from __future__ import annotations

import contextlib
import os
import uuid
from typing import Any

from . import lock
from .errors import warn
from .segments import write_queue_file
from .spool import Spool


def open_spool(parent: str, identity: dict[str, Any], max_bytes: int) -> Spool:
    """A new stream in its own folder, or in memory if the disk does not allow that. Never raises OSError."""
    stream = str(uuid.uuid4())
    try:
        os.makedirs(parent, 0o700, exist_ok=True)
        os.chmod(parent, 0o700)
        # Renamed once it is locked, so that no process finds it unlocked.
        hidden, folder = os.path.join(parent, f".{stream}"), os.path.join(parent, stream)
        os.mkdir(hidden, 0o700)
        write_queue_file(hidden, identity, stream)
        lock.claim(hidden)
        os.rename(hidden, folder)
    except OSError as error:
        warn("No queue folder can be used, items wait in memory: %s", error)
        return Spool(None, identity, stream, max_bytes)
    return Spool(folder, identity, stream, max_bytes)


def adopt_orphans(parent: str, url: str, max_bytes: int) -> list[Spool]:
    """Take the spools for this server that no living process owns, oldest first."""
    found: list[tuple[float, Spool]] = []
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):
            folder = os.path.join(parent, name)
            content = lock.read_json(os.path.join(folder, "queue.json"))
            is_ours = isinstance(content, dict) and content.get("format") == 1 and content.get("url") == url
            if name.startswith(".") or not is_ours:
                continue
            try:
                if not lock.claim(folder):
                    continue
                identity = {key: content[key] for key in ("url", "project", "runner", "source")}
                spool = Spool(folder, identity, content["stream"], max_bytes)
                spool.recover()
            except (OSError, KeyError, ValueError) as error:
                warn("A queue of another process cannot be read: %s (%s)", folder, error)
                continue
            if spool.pending:
                found.append((content.get("createdAt", 0), spool))
            else:
                spool.close()
    return [spool for _, spool in sorted(found, key=lambda pair: pair[0])]
