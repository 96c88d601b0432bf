"""A handle that reports one session."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .vendors import TurnUsage

if TYPE_CHECKING:
    from .client import Client


class Session:
    """One session of a runner. Holds no state: any number of handles may exist.

    Each method returns the item's seq, or None if it was refused or dropped, and never raises. `fields` are those of
    PROTOCOL.md in snake case; counts are tokens; `at` is milliseconds since the epoch or a datetime, default now.
    """

    def __init__(self, client: Client, key: str) -> None:
        self.client = client
        self.key = key

    def _report(self, kind: str, **fields: Any) -> int | None:
        given = {_camel(name): value for name, value in fields.items() if value is not None}
        return self.client.send({**given, "type": kind, "session": self.key})

    def start(self, **fields: Any) -> int | None:
        """Describe the session: title, lens (`cumulative` or `snapshot`), model, limit, restart_line …"""
        return self._report("session_start", **fields)

    def turn(self, usage: Any, **fields: Any) -> int | None:
        """Report the deltas of one call or turn.

        `usage`: a TurnUsage, a mapping {input, output, cacheRead, cacheCreation}, or None if the provider returned none,
        which disables cumulative tracking. `context_tokens` defaults to that of a TurnUsage. Also: call (the provider's
        id of the response), model, limit, scope, chain, basis …
        """
        if isinstance(usage, TurnUsage):
            if fields.get("context_tokens") is None and fields.get("basis") is None:
                fields["context_tokens"] = usage.context_tokens
            usage = dict(zip(("input", "output", "cacheRead", "cacheCreation"), usage))
        given = {_camel(name): value for name, value in fields.items() if value is not None}
        return self.client.send({**given, "usage": usage, "type": "turn", "session": self.key})

    def reading(self, context_tokens: int, **fields: Any) -> int | None:
        """The context's size as the provider or client states it."""
        return self._report("reading", context_tokens=context_tokens, **fields)

    def restart(self, **fields: Any) -> int | None:
        """A fresh context replaced the old one: continuation, reason, pressure, checkpoint, prompt …"""
        return self._report("restart", **fields)

    def compaction(self, trigger: str, state: str, **fields: Any) -> int | None:
        """The client compacts its context. trigger: auto or manual; state: pending, confirmed, blocked or failed."""
        return self._report("compaction", trigger=trigger, state=state, **fields)

    def clear(self, **fields: Any) -> int | None:
        """The context was emptied: tokens_cleared, chain."""
        return self._report("clear", **fields)

    def compress(self, before: int, after: int, **fields: Any) -> int | None:
        """Messages were removed from the context: tokens before and after. Also: removed (messages), chain."""
        return self._report("compress", before=before, after=after, **fields)

    def alias(self, client: str, client_session_id: str, **fields: Any) -> int | None:
        """Another id of this session at a client."""
        return self._report("session_alias", client=client, client_session_id=client_session_id, **fields)

    def archive(self, state: str, **fields: Any) -> int | None:
        """The result of archiving a transcript: stored, skipped or failed."""
        return self._report("archive", state=state, **fields)

    def gap(self, count: int, **fields: Any) -> int | None:
        """Items were lost before they reached the client. Also: from_, to, reason, chain."""
        return self._report("gap", count=count, **fields)

    def end(self, **fields: Any) -> int | None:
        """The session ended: reason. A later item reopens it."""
        return self._report("session_end", **fields)


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)
