"""Checks and encodes the items of the wire. PROTOCOL.md documents them."""
from __future__ import annotations

import json
import math
import re
import time
from datetime import datetime
from typing import Any, Mapping

from .errors import CountError, as_count
from .vendors import TurnUsage

MAX_KEY, MAX_LABEL, MAX_TEXT = 400, 1_000, 200_000
_LAST_INSTANT = 253_402_300_799_999
_COUNT_FIELDS = {
    "contextTokens", "limit", "compactsAt", "preTokens", "postTokens", "tokensCleared", "before", "after", "count",
}
_CONTENT_FIELDS = ("title", "checkpoint", "prompt")

_KEY, _LABEL, _TEXT, _SIZE, _COUNT, _SEQ, _BOOL = "key", "label", "text", "size", "count", "seq", "bool"
_TRIGGER = ("auto", "manual")
_READING = {
    "chain": _KEY, "call": _KEY, "model": _LABEL, "limit": _SIZE, "contextTokens": _SIZE,
    "basis": ("total", "input", "estimate"),
}
# type: (fields with their kind, where a tuple lists the allowed values; required fields)
_ITEMS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "session_start": (
        {
            "reason": ("startup", "resumed", "clear", "fork"), "lens": ("cumulative", "snapshot"), "title": _LABEL,
            "client": _LABEL, "clientVersion": _LABEL, "clientSessionId": _KEY, "model": _LABEL, "limit": _SIZE,
            "restartLine": "line", "compactsAt": _SIZE, "host": _LABEL, "folder": _LABEL, "branch": _LABEL,
            "previous": _KEY, "forkedFrom": _KEY, "backfill": _BOOL,
        },
        (),
    ),
    "session_alias": ({"client": _LABEL, "clientSessionId": _KEY}, ("client", "clientSessionId")),
    "session_end": ({"reason": _LABEL}, ()),
    "turn": (
        {**_READING, "scope": ("main", "side"), "usage": "usage", "composition": "object", "inherited": _BOOL}, (),
    ),
    "reading": (_READING, ("contextTokens",)),
    "restart": (
        {
            "continuation": _SIZE, "reason": _LABEL, "pressure": "share", "checkpoint": _TEXT, "prompt": _TEXT,
            "client": _LABEL, "clientSessionId": _KEY,
        },
        (),
    ),
    "compaction": (
        {
            "chain": _KEY, "trigger": _TRIGGER, "state": ("pending", "confirmed", "blocked", "failed"),
            "reason": _LABEL, "preTokens": _SIZE, "postTokens": _SIZE, "durationMs": _SIZE, "boundary": _KEY,
        },
        ("trigger", "state"),
    ),
    "clear": ({"chain": _KEY, "tokensCleared": _SIZE}, ()),
    "compress": ({"chain": _KEY, "before": _SIZE, "after": _SIZE, "removed": _SIZE}, ("before", "after")),
    "archive": (
        {
            "state": ("stored", "skipped", "failed"), "trigger": _TRIGGER, "archive": "uuid",
            "version": ("hook", "completed"), "reason": _LABEL, "path": _LABEL,
            "bytes": _SIZE, "lines": _SIZE, "sha256": "sha256",
        },
        ("state",),
    ),
    "gap": ({"chain": _KEY, "from": _SEQ, "to": _SEQ, "count": _SEQ, "reason": _LABEL}, ("count",)),
}
LIFECYCLE = {"session_start", "session_alias", "session_end", "restart", "compaction", "clear"}
_PATTERNS = {
    "sha256": (r"[0-9a-f]{64}", "must be 64 hexadecimal digits"),
    "uuid": (r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", "must be a uuid"),
}


class ItemFault(Exception):
    def __init__(self, code: str, name: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.name, self.reason = code, name, reason


def dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def storable(text: str, most: int) -> str:
    """The text as the database can hold it: no NUL, no lone surrogate, at most `most` UTF-16 units."""
    cut = text.encode("utf-16-le", "surrogatepass")[: most * 2].decode("utf-16-le", "replace")
    return cut.replace("\x00", "\ufffd")


def is_key(value: Any) -> bool:
    return isinstance(value, str) and value != "" and storable(value, MAX_KEY) == value


def prepare_item(given: Mapping[str, Any], seq: int, content: bool) -> dict[str, Any]:
    """The item to queue: checked, without unknown and absent fields. Raises ItemFault."""
    kind = given.get("type")
    if not isinstance(kind, str) or kind not in _ITEMS:
        raise ItemFault("invalid_message", "type", f"no item type is called {kind!r}")
    fields, required = _ITEMS[kind]
    at = given.get("at")
    at = now_ms() if at is None else int(at.timestamp() * 1000) if isinstance(at, datetime) else at
    if isinstance(at, bool) or not isinstance(at, (int, float)) or not 0 <= at <= _LAST_INSTANT:
        raise ItemFault("invalid_field", "at", "must be milliseconds since the epoch, up to the year 9999")
    session = _check(_KEY, "session", given.get("session"))
    item: dict[str, Any] = {"type": kind, "seq": seq, "session": session, "at": at}
    for name, field_kind in fields.items():
        value = given.get(name)
        if name == "usage" and value is None and "usage" in given:
            item["usage"] = None
        elif value is None or (name in _CONTENT_FIELDS and not content):
            if name in required:
                raise ItemFault("invalid_field", name, "is missing")
        else:
            item[name] = _check(field_kind, name, value)
    return item


def _check(kind: Any, name: str, value: Any) -> Any:
    """The value in its wire form. Raises ItemFault."""

    def require(is_valid: bool, reason: str) -> None:
        if not is_valid:
            raise ItemFault("invalid_field", name, reason)

    if isinstance(kind, tuple):
        require(value in kind, f"must be one of {', '.join(kind)}")
    elif kind == _KEY:
        require(is_key(value), f"must be a text of 1 to {MAX_KEY} characters without NUL or lone surrogates")
    elif kind in (_LABEL, _TEXT):
        require(isinstance(value, str), "must be a text")
        # Too long texts are cut: the turn is worth more than its title.
        return storable(value, MAX_LABEL if kind == _LABEL else MAX_TEXT)
    elif kind in (_SIZE, _COUNT, _SEQ):
        return _check_count(kind, name, value)
    elif kind in ("share", "line"):
        is_number = not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
        is_valid = is_number and (value >= 0 if kind == "share" else 0 < value <= 1000)
        require(is_valid, "must be a share of the limit, as in 0.9")
    elif kind == _BOOL:
        require(isinstance(value, bool), "must be true or false")
    elif kind in _PATTERNS:
        pattern, reason = _PATTERNS[kind]
        require(isinstance(value, str) and re.fullmatch(pattern, value) is not None, reason)
    elif kind == "usage":
        if isinstance(value, TurnUsage):
            value = dict(zip(("input", "output", "cacheRead", "cacheCreation"), value))
        require(isinstance(value, Mapping), "must be an object or null")
        names = [part for part in ("input", "output", "cacheRead", "cacheCreation") if value.get(part) is not None]
        return {part: _check_count(_COUNT, f"usage.{part}", value[part]) for part in names}
    else:
        require(isinstance(value, Mapping), "must be an object")
        return dict(value)
    return value


def _check_count(kind: str, name: str, value: Any) -> int:
    code = "invalid_count" if name in _COUNT_FIELDS or name.startswith("usage.") else "invalid_field"
    try:
        count = as_count(value, name)
    except CountError:
        raise ItemFault(code, name, "must be a whole number of at most 2^53-1 in size") from None
    if (kind == _SIZE and count < 0) or (kind == _SEQ and count < 1):
        raise ItemFault(code, name, "must not be negative" if kind == _SIZE else "must be a whole number from 1")
    return count
