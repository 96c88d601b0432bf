"""Names of archives, the same in every Barograph client."""
from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

from .settings import absolute_path

_MAX_SESSION_LENGTH = 120
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def session_name(session_id: Any) -> str:
    """A session id as part of a file name: kept if it is safe, else cleaned and with a short hash."""
    if isinstance(session_id, (int, float)) and not isinstance(session_id, bool):
        session_id = str(session_id)
    if not isinstance(session_id, str) or not session_id.strip():
        return "unknown"
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", session_id)
    if plain and len(session_id) <= _MAX_SESSION_LENGTH and ".." not in session_id and not _RESERVED.match(session_id):
        return session_id
    kept = re.sub(r"[^A-Za-z0-9_]+", "-", session_id[:_MAX_SESSION_LENGTH]).strip("-")
    return f"{kept or 'session'}-{_short_hash(session_id)}"


def extension_of(path: str | Path) -> str:
    """The last suffix of a file's name, made safe; `.txt` without one."""
    _, extension = os.path.splitext(os.path.basename(str(path)))
    extension = re.sub(r"[^A-Za-z0-9._~+-]", "_", extension)[:32]
    return extension if len(extension) > 1 else ".txt"


def repo_key(path: str | Path) -> str:
    """A repository's folder name: its absolute path with `-` as separator, and 8 digits of its SHA-256."""
    absolute = absolute_path(path)
    readable = re.sub(r'[\x00-\x1f\x7f-\x9f<>"|?*\ud800-\udfff]', "_", re.sub(r"[/\\:]", "-", absolute))
    while len(readable.encode("utf-8")) > 180:
        readable = readable[1:]
    return f"{readable}-{_short_hash(absolute)}"


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
