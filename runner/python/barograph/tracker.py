"""A conversation's context, message by message."""
from __future__ import annotations

import collections
import math
import threading
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Deque

from .errors import MAX_COUNT, CountError, as_count, guard, info, warn
from .events import EventHub, Subscription
from .messages import CompressionSuggestion, Entry, count_characters, describe_message, group_entries
from .pressure import UsageSnapshot, is_concerning, needs_reset, pressure_of, state_of, tokens_until

if TYPE_CHECKING:
    from .session import Session


class ContextTracker:
    """A context that threads can share: every method is one step.

    `max_tokens`: the context window, tokens; 0 or less: no limit. `counter`: returns the tokens of a message; default
    ceil(characters / 4), an estimate. `auto_compress`: percent of the window to compress to once an added message
    reaches `auto_compress_at` percent; None: off. `tool_pairs`: `together` (a tool call is removed with its results)
    or `apart`. `history_limit`: snapshots in `history`. `session`: clearing and compressing are reported to it.

    Events: state_changed {from, to, usage_percent}, approaching_redline {usage_percent} (90 %), redlined {tokens_used,
    max_tokens} (100 %), cleared {tokens_cleared}, compressed {tokens_before, tokens_after, removed}.
    Raises ValueError for an option out of range.
    """

    def __init__(
        self,
        max_tokens: int,
        counter: Callable[[Any], int] | None = None,
        *,
        auto_compress: float | None = None,
        auto_compress_at: float = 80,
        tool_pairs: str = "together",
        history_limit: int = 1000,
        session: Session | None = None,
        chain: str | None = None,
    ) -> None:
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int):
            raise ValueError('"max_tokens" must be a whole number of tokens')
        if tool_pairs not in ("together", "apart"):
            raise ValueError('"tool_pairs" must be together or apart')
        if auto_compress is not None:
            _check_percent(auto_compress)
        self.max_tokens = max_tokens
        self._counter = counter
        self._auto_target = auto_compress
        self._auto_at = Fraction(str(auto_compress_at))
        self._together = tool_pairs == "together"
        self._session = session
        self._chain = chain
        self._lock = threading.RLock()
        self._hub = EventHub(self._lock)
        self._entries: list[Entry] = []
        self._tokens = 0
        self._history: Deque[UsageSnapshot] = collections.deque(maxlen=history_limit)
        self._last_state = "nominal"
        self._past_redline = False

    def add_message(self, message: Any, tokens: int | None = None, *, estimated: bool = False) -> UsageSnapshot:
        """Append a message (a mapping or an object of any vendor's shape). Returns the usage after it.

        `tokens`: its size if known; `estimated`: whether that is a guess. Raises CountError for an invalid size.
        """
        counted = tokens
        if counted is None:
            # Outside of the lock: a counter may be slow.
            counted = self._counter(message) if self._counter else -(-count_characters(message) // 4)
            estimated = estimated or self._counter is None
        count = as_count(counted, "tokens")
        if count < 0:
            raise CountError("invalid_count", "tokens", "must not be negative")
        role, calls, answers = describe_message(message)
        with self._lock:
            if self._tokens + count > MAX_COUNT:
                raise CountError("sum_overflow", "tokens", "would make a sum above 2^53-1")
            self._entries.append(Entry(message, count, estimated, role, calls, answers))
            self._tokens += count
            usage = self._usage()
            self._history.append(usage)
            if is_concerning(usage.state):
                warn("Context usage is concerning: %.1f%% (%s)", usage.usage_percent, usage.state)
            self._emit_changes(usage)
            if self._auto_target is not None and self._reaches(self._auto_at):
                self._compress(self._auto_target)
            usage = self._usage()
        self._hub.deliver()
        return usage

    @property
    def messages(self) -> list[Any]:
        """A list of the messages, oldest first."""
        with self._lock:
            return [entry.message for entry in self._entries]

    @property
    def message_count(self) -> int:
        with self._lock:
            return len(self._entries)

    def current_usage(self) -> UsageSnapshot:
        with self._lock:
            return self._usage()

    @property
    def state(self) -> str:
        return self.current_usage().state

    @property
    def is_redlined(self) -> bool:
        """Whether the window is full: the conversation needs a reset."""
        return needs_reset(self.state)

    @property
    def history(self) -> list[UsageSnapshot]:
        """One snapshot per added message, oldest first, across clears."""
        with self._lock:
            return list(self._history)

    def clear(self) -> int:
        """Empty the context, which is a boundary. Returns the tokens cleared."""
        with self._lock:
            cleared = self._tokens
            info("Clearing context: %d tokens, %d messages", cleared, len(self._entries))
            self._entries = []
            self._tokens = 0
            self._last_state, self._past_redline = "nominal", False
            self._report(lambda session: session.clear(tokens_cleared=cleared, chain=self._chain))
            self._hub.emit("cleared", tokens_cleared=cleared)
        self._hub.deliver()
        return cleared

    def compress_to_threshold(self, percent: float) -> int:
        """Remove the oldest messages until at most floor(percent / 100 x max_tokens) tokens are left.

        System messages stay, and so does one message. Returns the number of removed messages. Raises ValueError.
        """
        _check_percent(percent)
        with self._lock:
            removed = self._compress(percent)
        self._hub.deliver()
        return removed

    def compression_suggestions(self) -> list[CompressionSuggestion]:
        """Possible removals, the least harmful first."""
        with self._lock:
            entries, limit = list(self._entries), self.max_tokens
        found = []
        old = [entry for entry in entries if entry.role == "user"][:-5]
        if len(old) > 5:
            text = f"Remove {len(old)} oldest user messages"
            saved = sum(entry.tokens for entry in old)
            found.append(CompressionSuggestion("remove_old_user_messages", text, len(old), saved, "low"))
        answers = [entry for entry in entries if entry.role == "assistant"]
        tokens = sum(entry.tokens for entry in answers)
        if limit > 0 and tokens * 3 > limit:
            text, saved = "Summarize assistant responses", tokens // 2
            found.append(CompressionSuggestion("summarize_assistant_messages", text, len(answers), saved, "medium"))
        return found

    def composition(self, target_percent: float = 50) -> dict[str, Any]:
        """Counts by role, suggestions, and what compressing to the target would remove, for `Session.turn`."""
        _check_percent(target_percent, 100)
        with self._lock:
            entries, plan = list(self._entries), self._plan(target_percent)
            suggestions = self.compression_suggestions()
        roles: dict[str, dict[str, Any]] = {}
        for entry in entries:
            name = entry.role if entry.role in roles or len(roles) < 15 else "other"
            count = roles.setdefault(name, {"role": name, "messages": 0, "tokens": 0})
            count["messages"] += 1
            count["tokens"] += entry.tokens
        gone = sum(entries[index].tokens for index in plan)
        left = sum(entry.tokens for entry in entries) - gone
        return {
            "roles": list(roles.values()),
            "suggestions": [
                {"kind": s.kind, "messages": s.messages, "tokensSaved": s.tokens_saved, "impact": s.impact}
                for s in suggestions
            ],
            "compression": {
                "targetPercent": target_percent, "messagesRemoved": len(plan), "tokensRemoved": gone, "tokensLeft": left,
            },
        }

    def report_turn(self, usage: Any = None, *, context_tokens: int | None = None, **turn: Any) -> None:
        """Report a main call to the session, with the context's size and composition.

        `usage`: as for `Session.turn`. `context_tokens`: the provider's size, tokens; default: the tracker's sum.
        """
        with self._lock:
            basis = None
            if context_tokens is None:
                context_tokens = self._tokens
                is_estimate = not self._entries or any(entry.estimated for entry in self._entries)
                basis = "estimate" if is_estimate else "total"
            limit = self.max_tokens if self.max_tokens > 0 else None
            fields = {"chain": self._chain, "limit": limit, "basis": basis, "composition": self.composition(), **turn}
            self._report(lambda session: session.turn(usage, context_tokens=context_tokens, **fields))

    def events(self, buffer_size: int = 100) -> Subscription:
        """The events from now on, in a buffer of the newest `buffer_size`."""
        return self._hub.open(buffer_size)

    def subscribe(self, listener: Callable[[dict[str, Any]], Any]) -> Callable[[], None]:
        """Call the listener with every event, in order, outside of the lock. Returns a function that unsubscribes."""
        return self._hub.listen(listener)

    def close(self) -> None:
        """End all subscriptions. The tracker still works."""
        self._hub.close()

    def _usage(self) -> UsageSnapshot:
        used, limit = self._tokens, self.max_tokens
        return UsageSnapshot(
            used, limit, state_of(pressure_of(used, limit)), used * 100 / limit if limit > 0 else 0.0,
            max(0, limit - used), tokens_until(0.75, limit, used), tokens_until(0.9, limit, used),
            time.time_ns() // 1_000_000,
        )

    def _reaches(self, percent: Fraction) -> bool:
        return 0 < self.max_tokens and self._tokens * 100 >= percent * self.max_tokens

    def _emit_changes(self, usage: UsageSnapshot) -> None:
        before, was_past = self._last_state, self._past_redline
        self._last_state, self._past_redline = usage.state, self._reaches(Fraction(90))
        percent = usage.usage_percent
        if usage.state != before:
            self._hub.emit("state_changed", **{"from": before, "to": usage.state, "usage_percent": percent})
        if self._past_redline and not was_past:
            self._hub.emit("approaching_redline", usage_percent=percent)
        if usage.state == "redlined" and before != "redlined":
            self._hub.emit("redlined", tokens_used=usage.tokens_used, max_tokens=usage.max_tokens)

    def _plan(self, percent: float) -> list[int]:
        """Indexes of the messages to remove."""
        if self.max_tokens <= 0:
            return []
        target = math.floor(Fraction(str(percent)) * self.max_tokens / 100)
        names = group_entries(self._entries) if self._together else list(range(len(self._entries)))
        groups: dict[int, list[int]] = {}
        for index, entry in enumerate(self._entries):
            if entry.role != "system":
                groups.setdefault(names[index], []).append(index)
        removed: list[int] = []
        left = self._tokens
        for group in groups.values():
            if left <= target:
                break
            if len(removed) + len(group) < len(self._entries):
                removed += group
                left -= sum(self._entries[index].tokens for index in group)
        return removed

    def _compress(self, percent: float) -> int:
        plan = set(self._plan(percent))
        if not plan:
            return 0
        before, removed = self._tokens, len(plan)
        self._entries = [entry for index, entry in enumerate(self._entries) if index not in plan]
        after = self._tokens = sum(entry.tokens for entry in self._entries)
        info("Compressed context: %d messages removed, %d tokens left", removed, after)
        self._report(lambda session: session.compress(before=before, after=after, removed=removed, chain=self._chain))
        self._hub.emit("compressed", tokens_before=before, tokens_after=after, removed=removed)
        self._emit_changes(self._usage())
        return removed

    def _report(self, send: Callable[[Any], Any]) -> None:
        if self._session is not None:
            guard(lambda: send(self._session), "The context could not be reported")


def _check_percent(percent: float, most: float = math.inf) -> None:
    is_number = isinstance(percent, (int, float)) and not isinstance(percent, bool)
    if not is_number or not 0 <= percent <= most or math.isinf(percent):
        upper = f" and at most {most:g}" if most < math.inf else ""
        raise ValueError(f"the target must be a percentage of at least 0{upper}, not {percent!r}")
