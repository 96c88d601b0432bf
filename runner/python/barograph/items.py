"""Items of the wire, which PROTOCOL.md documents. The server checks their fields."""
from __future__ import annotations

import json
import time
from datetime import datetime
from typing import Any, Mapping

MAX_KEY, MAX_LABEL = 400, 1_000
# Texts that are the agent's content, and the longest that the server takes of each.
_CONTENT = {"title": MAX_LABEL, "checkpoint": 200_000, "prompt": 200_000}
_KEYS = ("session", "chain", "call", "clientSessionId", "boundary", "previous", "forkedFrom")


class Refused(Exception):
    """Why an item cannot be queued; `field`: its path, or empty."""

    def __init__(self, code: str, field: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.field, self.reason = code, field, reason


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


def prepare_item(given: Mapping[str, Any], content: bool) -> dict[str, Any]:
    """The item to queue: without absent fields, its texts as long as the server takes them. Raises Refused."""
    if not is_key(given.get("session")):
        reason = f"must be a text of 1 to {MAX_KEY} characters without NUL or lone surrogates"
        raise Refused("invalid_field", "session", reason)
    item: dict[str, Any] = {"type": given.get("type")}
    for name, value in given.items():
        # Null is a statement in `usage` alone.
        if name != "seq" and (value is not None or name == "usage") and (content or name not in _CONTENT):
            is_text = isinstance(value, str) and name not in _KEYS
            item[name] = storable(value, _CONTENT.get(name, MAX_LABEL)) if is_text else value
    at = item.get("at", now_ms())
    item["at"] = int(at.timestamp() * 1000) if isinstance(at, datetime) else at
    try:
        dump(item)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("invalid_message", "", str(error)) from None
    return item
