"""A conversation's context, message by message."""
from __future__ import annotations

import collections
import math
import threading
from fractions import Fraction
from functools import partial
from typing import Any, Callable, Deque, Dict, NamedTuple

from .errors import MAX_COUNT, CountError, as_count, guard, log
from .estimate import estimate_message
from .items import Session, now_ms, report
from .vendors import Entry, describe_message, group_entries
from .usage import UsageSnapshot, is_concerning, needs_reset, pressure_of, state_of, tokens_until

_HISTORY = 1000
Event = Dict[str, Any]
Listener = Callable[[Event], Any]


class CompressionSuggestion(NamedTuple):
    """A way to save tokens. `kind`: remove_old_user_messages, summarize_assistant_messages; `impact`: low, medium."""

    kind: str
    description: str
    messages: int
    tokens_saved: int
    impact: str


class ContextTracker:
    """A context that threads can share: every method is atomic.

    `max_tokens`: the context window, from 1. `counter`: tokens of a message; default: `estimate_tokens` of
    its texts.
    `auto_compress`: target of automatic compression, percent of the window; None: off. It starts at `auto_compress_at`
    percent (default 80), and keeps the newest message. `session`: receives clears and compressions. `chain`: key of the
    sub-agent that has this context; default: the main chain. Raises ValueError for an option out of range.

    Events: state_changed {from, to, usage_percent}, approaching_redline {usage_percent} (90 %), redlined {tokens_used,
    max_tokens} (100 %), cleared {tokens_cleared}, compressed {tokens_before, tokens_after, removed}.
    """

    def __init__(
        self, max_tokens: int, counter: Callable[[Any], int] | None = None, *, auto_compress: float | None = None,
        auto_compress_at: float = 80, session: Session | None = None, chain: str | None = None,
    ) -> None:
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
            raise ValueError(f'"max_tokens" must be a whole number of tokens from 1, not {max_tokens!r}')
        if auto_compress is not None:
            _check_percent(auto_compress)
        self.max_tokens = max_tokens
        self._counter = counter or estimate_message
        self._auto_target, self._auto_at = auto_compress, Fraction(str(auto_compress_at))
        self._session, self._chain = session, chain
        self._lock = threading.RLock()
        self._entries: list[Entry] = []
        self._tokens = 0
        self._history: Deque[UsageSnapshot] = collections.deque(maxlen=_HISTORY)
        self._last_state, self._past_redline = "nominal", False
        self._listeners: dict[object, Listener] = {}
        self._undelivered: Deque[tuple[Event, list[Listener]]] = collections.deque()
        self._delivering = False

    def add_message(self, message: Any, tokens: int | None = None) -> UsageSnapshot:
        """Append a message of any vendor. `tokens`: its size if known. Returns the usage. Raises CountError."""
        # Outside the lock, because a counter may be slow.
        count = as_count(self._counter(message) if tokens is None else tokens, "tokens")
        if count < 0:
            raise CountError("invalid_count", "tokens", "must not be negative")
        described = describe_message(message)
        with self._lock:
            if self._tokens + count > MAX_COUNT:
                raise CountError("sum_overflow", "tokens", "would make a sum above 2^53-1")
            self._entries.append(Entry(message, count, *described))
            self._tokens += count
            usage = self.current_usage()
            self._history.append(usage)
            if is_concerning(usage.state):
                log.warning("Context usage is concerning: %.1f%% (%s)", usage.usage_percent, usage.state)
            self._emit_changes(usage)
            if self._auto_target is not None and self._reaches(self._auto_at):
                self._compress(self._auto_target, keeps_newest=True)
            usage = self.current_usage()
        self._deliver()
        return usage

    @property
    def messages(self) -> list[Any]:
        """The messages, oldest first."""
        return [entry.message for entry in list(self._entries)]

    @property
    def message_count(self) -> int:
        return len(self._entries)

    def current_usage(self) -> UsageSnapshot:
        """How full the context is now."""
        used, limit = self._tokens, self.max_tokens
        return UsageSnapshot(
            used, limit, state_of(pressure_of(used, limit)), used * 100 / limit,
            max(0, limit - used), tokens_until(0.75, limit, used), tokens_until(0.9, limit, used), now_ms(),
        )

    @property
    def state(self) -> str:
        return self.current_usage().state

    @property
    def is_redlined(self) -> bool:
        return needs_reset(self.state)

    @property
    def history(self) -> list[UsageSnapshot]:
        """The newest 1000 snapshots, one per added message, oldest first. Clearing keeps them."""
        return list(self._history)

    def clear(self) -> int:
        """Empty the context. Returns the cleared tokens."""
        with self._lock:
            cleared = self._tokens
            log.info("Clearing context: %d tokens, %d messages", cleared, len(self._entries))
            self._entries, self._tokens = [], 0
            self._last_state, self._past_redline = "nominal", False
            report(self._session, "clear", tokens_cleared=cleared, chain=self._chain)
            self._emit("cleared", tokens_cleared=cleared)
        self._deliver()
        return cleared

    def compress_to_threshold(self, percent: float) -> int:
        """Remove the oldest messages until at most floor(percent / 100 x max_tokens) tokens are left.

        System messages and at least one message stay. A tool call and its results are removed together. Returns the
        number of removed messages. Raises ValueError.
        """
        _check_percent(percent)
        with self._lock:
            removed = self._compress(percent)
        self._deliver()
        return removed

    def compression_suggestions(self) -> list[CompressionSuggestion]:
        """Ways to save tokens, the lowest impact first."""
        entries, found = list(self._entries), []
        old = [entry.tokens for entry in entries if entry.role == "user"][:-5]
        if len(old) > 5:
            text = f"Remove {len(old)} oldest user messages"
            found.append(CompressionSuggestion("remove_old_user_messages", text, len(old), sum(old), "low"))
        said = [entry.tokens for entry in entries if entry.role == "assistant"]
        if sum(said) * 3 > self.max_tokens:
            facts = "summarize_assistant_messages", "Summarize assistant responses", len(said), sum(said) // 2
            found.append(CompressionSuggestion(*facts, "medium"))
        return found

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with every event, in order and outside the lock. Returns a function that unsubscribes."""
        key = object()
        with self._lock:
            self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    def _emit(self, kind: str, **fields: Any) -> None:
        if self._listeners:
            self._undelivered.append(({"type": kind, **fields}, list(self._listeners.values())))

    def _deliver(self) -> None:
        """Call the listeners, one thread at a time, so that they receive the events in order."""
        while True:
            with self._lock:
                if self._delivering or not self._undelivered:
                    return
                self._delivering = True
                event, listeners = self._undelivered.popleft()
            try:
                for listener in listeners:
                    guard(partial(listener, dict(event)), "A subscriber of the context tracker failed")
            finally:
                self._delivering = False

    def _reaches(self, percent: Fraction) -> bool:
        return self._tokens * 100 >= percent * self.max_tokens

    def _emit_changes(self, usage: UsageSnapshot) -> None:
        before, was_past = self._last_state, self._past_redline
        self._last_state, self._past_redline = usage.state, self._reaches(Fraction(90))
        percent = usage.usage_percent
        if usage.state != before:
            self._emit("state_changed", **{"from": before, "to": usage.state, "usage_percent": percent})
        if self._past_redline and not was_past:
            self._emit("approaching_redline", usage_percent=percent)
        if usage.state == "redlined" and before != "redlined":
            self._emit("redlined", tokens_used=usage.tokens_used, max_tokens=usage.max_tokens)

    def _compress(self, percent: float, keeps_newest: bool = False) -> int:
        target = math.floor(Fraction(str(percent)) * self.max_tokens / 100)
        groups: dict[int, list[int]] = {}
        for index, name in enumerate(group_entries(self._entries)):
            if self._entries[index].role != "system":
                groups.setdefault(name, []).append(index)
        gone: set[int] = set()
        before = left = self._tokens
        for group in groups.values():
            if keeps_newest and len(self._entries) - 1 in group:
                continue
            if left > target and len(gone) + len(group) < len(self._entries):
                gone.update(group)
                left -= sum(self._entries[index].tokens for index in group)
        if not gone:
            return 0
        self._entries = [entry for index, entry in enumerate(self._entries) if index not in gone]
        self._tokens, removed = left, len(gone)
        log.info("Compressed context: %d messages removed, %d tokens left", removed, left)
        report(self._session, "compress", before=before, after=left, removed=removed, chain=self._chain)
        self._emit("compressed", tokens_before=before, tokens_after=left, removed=removed)
        self._emit_changes(self.current_usage())
        return removed


def _check_percent(percent: float) -> None:
    if isinstance(percent, bool) or not isinstance(percent, (int, float)) or not 0 <= percent < math.inf:
        raise ValueError(f"the target must be a percentage of at least 0, not {percent!r}")
