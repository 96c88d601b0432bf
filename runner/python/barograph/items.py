"""The items of PROTOCOL.md, and the session handle that reports them."""
from __future__ import annotations

import json
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Mapping

from .errors import guard
from .vendors import TurnUsage

if TYPE_CHECKING:
    from .client import Client

MAX_KEY, MAX_LABEL = 400, 1_000
# Fields with the agent's content, and the maximum length that the server accepts.
_CONTENT = {"title": MAX_LABEL, "checkpoint": 200_000, "prompt": 200_000}
_KEYS = ("session", "chain", "call", "clientSessionId", "boundary", "previous", "forkedFrom")


class Refused(Exception):
    """Why an item cannot be queued: code, field and reason. The field is a path, or empty."""


def camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def storable(text: str, most: int) -> str:
    """The text as the database can store it: no NUL, no lone surrogate, at most `most` code points."""
    valid = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return valid[:most].replace("\x00", "\ufffd")


def is_key(value: Any) -> bool:
    return isinstance(value, str) and value != "" and storable(value, MAX_KEY) == value


def prepare_item(given: Mapping[str, Any], content: bool) -> dict[str, Any]:
    """The item to queue, without absent fields and with long texts cut. Raises Refused for an invalid session."""
    if not is_key(given.get("session")):
        reason = f"must be a text of 1 to {MAX_KEY} characters without NUL or lone surrogates"
        raise Refused("invalid_field", "session", reason)
    item: dict[str, Any] = {"type": given.get("type")}
    for name, value in given.items():
        # Null has a meaning only in `usage`.
        if name != "seq" and (value is not None or name == "usage") and (content or name not in _CONTENT):
            is_text = isinstance(value, str) and name not in _KEYS
            item[name] = storable(value, _CONTENT.get(name, MAX_LABEL)) if is_text else value
    at = item.get("at", now_ms())
    item["at"] = int(at.timestamp() * 1000) if isinstance(at, datetime) else at
    return item


def _reporter(kind: str, doc: str, *names: str) -> Callable[..., int | None]:
    """A method that reports one kind of item. `names`: the fields that its positional arguments set."""

    def report(self: Session, *values: Any, **fields: Any) -> int | None:
        return self._report(kind, **dict(zip(names, values)), **fields)

    report.__doc__ = doc
    return report


class Session:
    """One session of a runner. Holds no state: any number of handles may exist.

    Each method returns the item's seq, or None if it was refused or dropped, and never raises. `fields` are those of
    PROTOCOL.md in snake case; counts are tokens; `at` is milliseconds since the epoch or a datetime, default now.
    """

    def __init__(self, client: Client, key: str) -> None:
        self.client, self.key = client, key

    def _report(self, kind: str, stated: Any = (), **fields: Any) -> int | None:
        given = {camel(name): value for name, value in fields.items() if value is not None}
        return self.client.send({**given, **dict(stated), "type": kind, "session": self.key})

    def turn(self, usage: Any, **fields: Any) -> int | None:
        """Report the deltas of one call or turn.

        `usage`: a TurnUsage, a mapping {input, output, cacheRead, cacheCreation}, or None if the provider returned none,
        which disables cumulative tracking. Other fields: context_tokens (default: from a TurnUsage), call (the
        provider's id of the response), model, limit, scope, chain, basis …
        """
        if isinstance(usage, TurnUsage):
            if fields.get("context_tokens") is None and fields.get("basis") is None:
                fields["context_tokens"] = usage.context_tokens
            usage = dict(zip(("input", "output", "cacheRead", "cacheCreation"), usage))
        return self._report("turn", {"usage": usage}, **fields)

    start = _reporter("session_start", "Describe the session: title, lens (cumulative or snapshot), model, limit …")
    end = _reporter("session_end", "The session ended: reason. A later item reopens it.")
    alias = _reporter("session_alias", "Another id of this session at a client.", "client", "client_session_id")
    reading = _reporter("reading", "The context's size as the provider or client states it.", "context_tokens")
    restart = _reporter("restart", "A fresh context replaced the old one: continuation, pressure, checkpoint, prompt …")
    compaction = _reporter(
        "compaction", "trigger: auto or manual; state: pending, confirmed, blocked or failed.", "trigger", "state"
    )
    clear = _reporter("clear", "The context was emptied: tokens_cleared, chain.")
    compress = _reporter("compress", "Messages were removed: tokens before and after, removed, chain.", "before", "after")
    archive = _reporter("archive", "The result of archiving a transcript: stored, skipped or failed.", "state")
    gap = _reporter("gap", "Items were lost before they reached the client: from_, to, reason, chain.", "count")


def report(session: Session | None, kind: str, *values: Any, **fields: Any) -> None:
    """Report one item, if there is a session. Errors are logged."""
    if session is not None:
        guard(lambda: getattr(session, kind)(*values, **fields), "An item could not be reported")
