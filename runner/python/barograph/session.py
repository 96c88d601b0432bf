"""A handle that reports one session."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from .vendors import TurnUsage

if TYPE_CHECKING:
    from .client import Client


class Session:
    """One session of a runner. Holds no state: any number of handles may exist.

    Each method returns the item's seq, or None if it was refused, and never raises. Fields are those of PROTOCOL.md in
    snake case; counts are tokens; `at` is milliseconds since the epoch or a datetime, default now.
    """

    def __init__(self, client: Client, key: str) -> None:
        self.client = client
        self.key = key

    def _report(self, kind: str, fields: Mapping[str, Any]) -> int | None:
        given = {_camel(name): value for name, value in fields.items() if value is not None}
        return self.client.send({**given, "type": kind, "session": self.key})

    def start(self, **fields: Any) -> int | None:
        """Describe the session: reason, lens (`cumulative` or `snapshot`), title, client, client_version,
        client_session_id, model, limit, restart_line, compacts_at, host, folder, branch, previous, forked_from,
        backfill, at."""
        return self._report("session_start", fields)

    def turn(self, usage: Any, *, context_tokens: int | None = None, basis: str | None = None, **fields: Any) -> int | None:
        """Report the deltas of one call or turn.

        `usage`: a TurnUsage, a mapping {input, output, cacheRead, cacheCreation}, or None if the provider returned none,
        which disables cumulative tracking. `context_tokens` defaults to that of a TurnUsage. Also: call (the provider's
        id of the response), model, limit, scope, chain, composition, inherited, at.
        """
        if context_tokens is None and basis is None and isinstance(usage, TurnUsage):
            context_tokens = usage.context_tokens
        given = {**fields, "context_tokens": context_tokens, "basis": basis}
        item = {_camel(name): value for name, value in given.items() if value is not None}
        return self.client.send({**item, "usage": usage, "type": "turn", "session": self.key})

    def reading(self, context_tokens: int, **fields: Any) -> int | None:
        """The context's size as the provider or client states it. Also: chain, call, model, limit, basis, at."""
        return self._report("reading", {**fields, "context_tokens": context_tokens})

    def restart(self, **fields: Any) -> int | None:
        """A fresh context replaced the old one: continuation, reason, pressure, checkpoint, prompt, client,
        client_session_id, at."""
        return self._report("restart", fields)

    def compaction(self, trigger: str, state: str, **fields: Any) -> int | None:
        """The client compacts its context. trigger: auto or manual; state: pending, confirmed, blocked or failed. Also:
        pre_tokens, post_tokens, duration_ms, boundary, chain, at."""
        return self._report("compaction", {**fields, "trigger": trigger, "state": state})

    def clear(self, **fields: Any) -> int | None:
        """The context was emptied: tokens_cleared, chain, at."""
        return self._report("clear", fields)

    def compress(self, before: int, after: int, **fields: Any) -> int | None:
        """Messages were removed from the context: tokens before and after. Also: removed (messages), chain, at."""
        return self._report("compress", {**fields, "before": before, "after": after})

    def alias(self, client: str, client_session_id: str, **fields: Any) -> int | None:
        """Another id of this session at a client."""
        return self._report("session_alias", {**fields, "client": client, "client_session_id": client_session_id})

    def archive(self, state: str, **fields: Any) -> int | None:
        """The result of archiving a transcript: stored, skipped or failed. Also: trigger, archive (its id), version,
        reason, path, bytes, lines, sha256, at."""
        return self._report("archive", {**fields, "state": state})

    def gap(self, count: int, **fields: Any) -> int | None:
        """Items were lost before they reached the client. Also: from_, to, reason, chain, at."""
        return self._report("gap", {**fields, "count": count})

    def end(self, **fields: Any) -> int | None:
        """The session ended: reason, at. A later item reopens it."""
        return self._report("session_end", fields)


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)
