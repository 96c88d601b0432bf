"""Barograph for Python: how full is the context of an agent, and who is told of it.

One file without packages, for Python 3.9 and newer: copy it, or put its folder on the path. Every part works
without a server; with one, pass a `Session` and it reports.

    usage      ContextUsage, UsageProcessor, ContextPressureError, read_usage
    snapshots  ContextSnapshot
    messages   ContextTracker
    restarts   extract_checkpoint
    archives   make_precompact_hook, precompact_hook, archive_transcript, archive_sub_agents, and `python3 barograph.py hook`
    reporting  connect, Client, Session

Tokens are whole numbers of at most 2^53-1, so that every program that reads them later agrees. Percentages are
called percent; shares of the limit (0.5 is one half) ratio, pressure or threshold. Times are milliseconds since
1970-01-01T00:00Z, waiting times seconds. What every function must answer is written down for all languages in the
test vectors that come with the package; the wire in its PROTOCOL.md.
"""
from __future__ import annotations

import atexit
import collections
import contextlib
import hashlib
import json
import logging
import math
import operator
import os
import random
import re
import shutil
import socket
import stat
import sys
import threading
import time
import uuid
import weakref
import zlib
from dataclasses import dataclass, field
from datetime import datetime, timezone
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    MutableMapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

__version__ = "0.1.0"
__all__ = [
    "ArchiveEntry", "Client", "CompressionSuggestion", "ContextPressureError", "ContextSnapshot", "ContextTracker",
    "ContextUsage", "CountError", "FlushResult", "RefusedItem", "Session", "SettingError", "Subscription",
    "TRACKING_DISABLED", "TurnUsage", "UnknownSettingError", "UsageProcessor", "UsageSnapshot", "archive_sub_agents",
    "archive_transcript",
    "connect", "extension_of", "extract_checkpoint", "is_concerning", "make_precompact_hook", "needs_reset",
    "precompact_hook", "pressure_of", "read_settings", "read_usage", "refuse_unknown_settings", "repo_key",
    "session_name", "state_of", "tokens_at", "tokens_until",
]

MAX_COUNT = 2**53 - 1
"""The largest count and the largest sum that every program reads alike."""
DEFAULT_LIMIT = 200_000
"""Context window where nobody states one, tokens."""
DEFAULT_THRESHOLD = 0.90
"""Share of the limit at which a context is given up: 180 000 of 200 000 tokens."""
TRACKING_DISABLED = "disabled"
TRACKING_ENABLED = "enabled"

_log = logging.getLogger("barograph")
_log.addHandler(logging.NullHandler())


# --- Errors and counts --------------------------------------------------------------------------------------------


class CountError(ValueError):
    """A token count that cannot be counted; nothing was added to any sum.

    `code`: `invalid_count` (no whole number of at most 2^53-1 in size) or `sum_overflow` (a sum would pass 2^53-1).
    `field`: input, output, cacheRead or cacheCreation, as on the wire.
    """

    def __init__(self, code: str, field: str, reason: str) -> None:
        super().__init__(f'"{field}" {reason}')
        self.code = code
        self.field = field


class ContextPressureError(Exception):
    """A context reached its restart threshold. Carries the sums of the context, not those of the last turn.

    `session_id`: text, empty where there is none. `input_tokens`, `output_tokens`, `cache_read_tokens`: tokens of this
    context. `pressure_ratio`: share of the limit, above 1.0 where it was overshot.
    """

    def __init__(
        self, session_id: str, input_tokens: int, output_tokens: int, cache_read_tokens: int, pressure_ratio: float
    ) -> None:
        of = f" of session {session_id}" if session_id else ""
        sums = f"input={input_tokens} output={output_tokens} cache_read={cache_read_tokens}"
        super().__init__(f"Context pressure{of}: {pressure_ratio:.1%} ({sums})")
        self.session_id = session_id
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cache_read_tokens = cache_read_tokens
        self.pressure_ratio = pressure_ratio

    def __reduce__(self) -> Tuple[Any, ...]:
        sums = (self.input_tokens, self.output_tokens, self.cache_read_tokens)
        return (type(self), (self.session_id, *sums, self.pressure_ratio))


class SettingError(ValueError):
    """A setting that cannot be used; the message is a sentence that names it. `setting`: its name."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(message)
        self.setting = setting


class UnknownSettingError(SettingError):
    """A setting that does not exist, or no longer does. `nearest`: the known one that is most like it, or None."""

    def __init__(self, setting: str, nearest: Optional[str]) -> None:
        remedy = "" if nearest is None else f' Did you mean "{nearest}"?'
        super().__init__(setting, f'Unknown setting "{setting}".{remedy}')
        self.nearest = nearest


def _as_count(value: Any, name: str) -> int:
    """A reported count, tokens. Absent (None) is 0; a negative one passes as it is. Raises CountError."""
    if value is None:
        return 0
    count: Optional[int] = None
    if not isinstance(value, (bool, str, bytes)):
        try:
            # JSON knows one kind of number: 3.0 is 3.
            count = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
        except (TypeError, ValueError, OverflowError):
            count = None
    if count is None or abs(count) > MAX_COUNT:
        shown = repr(value) if isinstance(value, (int, float)) else f"a {type(value).__name__}"
        raise CountError("invalid_count", name, f"must be a whole number of at most 2^53-1 in size, and is {shown}")
    return count


# --- Usage: exact sums of one context -----------------------------------------------------------------------------


@dataclass
class ContextUsage:
    """What one context has spent, and how full that makes it. Tokens.

    It adds up the deltas of turns; cache reads are telemetry and in no pressure. One object serves one line of
    conversation and one thread at a time.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    tracking_state: str = TRACKING_ENABLED
    session_id: Optional[str] = None
    # A boundary came since tracking went off, and no turn without usage after it.
    _may_enable: bool = field(default=False, repr=False, compare=False)

    def add_turn(self, *, input_tokens: Any = 0, output_tokens: Any = 0, cache_read_tokens: Any = 0) -> None:
        """Adds the deltas of one turn, tokens; None and negative ones add 0.

        Does nothing while tracking is disabled, and never enables it.
        Raises CountError where a count is no exact whole number or a sum (input and output together is one) would
        pass 2^53-1; then no sum has changed.
        """
        if not self.is_tracking_enabled():
            return
        deltas = [
            max(0, _as_count(value, name))
            for name, value in (("input", input_tokens), ("output", output_tokens), ("cacheRead", cache_read_tokens))
        ]
        sums = [self.input_tokens + deltas[0], self.output_tokens + deltas[1], self.cache_read_tokens + deltas[2]]
        used = self.input_tokens + self.output_tokens
        checks = [("input", used + deltas[0]), ("output", sums[0] + sums[1])]
        checks[:0] = zip(("input", "output", "cacheRead"), sums)
        for name, total in checks:
            if total > MAX_COUNT:
                raise CountError("sum_overflow", name, "would make a sum above 2^53-1, which is not exact everywhere")
        self.input_tokens, self.output_tokens, self.cache_read_tokens = sums

    def reset(self, continuation: Optional[int] = None) -> None:
        """A new context begins: sums start at 0. Tracking that was off stays off until `enable_tracking`.

        `continuation`: number of the continuation that begins, from 1: for the log.
        """
        of = "" if self.session_id is None else f"Session {self.session_id}: "
        cause = "a new context" if continuation is None else f"restart (continuation #{continuation})"
        _debug("%sresetting context usage for %s", of, cause)
        self.input_tokens = self.output_tokens = self.cache_read_tokens = 0
        self._may_enable = True

    def disable_tracking(self) -> None:
        """A main turn came without usage: pressure reads 0.0 and turns are not added until a later context."""
        self.tracking_state = TRACKING_DISABLED
        self._may_enable = False

    def enable_tracking(self) -> bool:
        """A main turn with usage came: enables tracking again where a `reset` came since it went off, and no turn
        without usage after that. Returns whether this call enabled it."""
        if self.is_tracking_enabled() or not self._may_enable:
            return False
        self.tracking_state = TRACKING_ENABLED
        return True

    def is_tracking_enabled(self) -> bool:
        return self.tracking_state != TRACKING_DISABLED

    def pressure_ratio(self, limit: Any) -> float:
        """(input + output) / limit, 0.0 to infinity and never clamped. `limit`: the context window, tokens.

        0.0 while tracking is disabled and where the limit is 0 or less; a screen had better say "not tracked" then.
        """
        if not self.is_tracking_enabled() or not limit > 0:
            return 0.0
        return float((max(0, self.input_tokens) + max(0, self.output_tokens)) / limit)


class TurnUsage(NamedTuple):
    """What one call spent, in one meaning for all vendors. Tokens.

    `input`: without what was read from or written to the prompt cache. `output`: with reasoning. `context_tokens`: the
    context's size after the call where these are the counts of a single call; None where nothing states it.
    """

    input: int
    output: int
    cache_read: int
    cache_creation: int
    context_tokens: Optional[int]


_MISSING: Any = object()


def _field(value: Any, path: str) -> Any:
    """A field of a mapping or an object, a dot enters a field; `_MISSING` where there is none."""
    for name in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(name, _MISSING)
        else:
            try:
                value = getattr(value, name, _MISSING)
            except Exception:  # A property of somebody else's.
                value = _MISSING
        if value is None or value is _MISSING:
            return value
    return value


def _first(value: Any, *paths: str) -> Any:
    for path in paths:
        found = _field(value, path)
        if found is not _MISSING and found is not None:
            return found
    return None


# vendor: (fields of input, output, cache read, cache creation, total; whether input includes the cached part)
_SHAPES: Dict[str, Tuple[Tuple[Tuple[str, ...], ...], bool]] = {
    "anthropic": (
        (
            ("input_tokens",), ("output_tokens",), ("cache_read_input_tokens",), ("cache_creation_input_tokens",), (),
        ),
        False,
    ),
    "openai-chat": (
        (
            ("prompt_tokens",), ("completion_tokens",),
            ("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"),
            ("prompt_tokens_details.cache_write_tokens",), ("total_tokens",),
        ),
        True,
    ),
    "openai-responses": (
        (
            ("input_tokens",), ("output_tokens",), ("input_tokens_details.cached_tokens",),
            ("input_tokens_details.cache_write_tokens",), ("total_tokens",),
        ),
        True,
    ),
    "openai-agents": (
        (
            ("inputTokens", "input_tokens"), ("outputTokens", "output_tokens"),
            ("inputTokensDetails.cached_tokens", "input_tokens_details.cached_tokens"),
            ("inputTokensDetails.cache_write_tokens", "input_tokens_details.cache_write_tokens"),
            ("totalTokens", "total_tokens"),
        ),
        True,
    ),
    "gemini": (
        (
            ("promptTokenCount", "prompt_token_count"), ("candidatesTokenCount", "candidates_token_count"),
            ("cachedContentTokenCount", "cached_content_token_count"), (), ("totalTokenCount", "total_token_count"),
        ),
        True,
    ),
    "codex": (
        (
            ("input_tokens",), ("output_tokens",), ("cached_input_tokens",), ("cache_write_input_tokens",),
            ("total_tokens",),
        ),
        True,
    ),
    "opencode": ((("input",), ("output",), ("cache.read",), ("cache.write",), ("total",)), False),
}
VENDORS: Tuple[str, ...] = tuple(_SHAPES)

# Which fields only that vendor's shape has; the first match wins.
_MARKS: Sequence[Tuple[str, Tuple[str, ...]]] = (
    ("openai-chat", ("prompt_tokens", "completion_tokens")),
    ("codex", ("cached_input_tokens", "cache_write_input_tokens", "reasoning_output_tokens")),
    ("anthropic", ("cache_read_input_tokens", "cache_creation_input_tokens")),
    ("openai-responses", ("input_tokens_details", "total_tokens")),
    ("openai-agents", ("inputTokens", "outputTokens", "inputTokensDetails")),
    ("gemini", ("promptTokenCount", "totalTokenCount", "prompt_token_count", "total_token_count")),
    ("opencode", ("cache.read", "cache.write", "reasoning")),
    ("anthropic", ("input_tokens", "output_tokens")),
)
_USAGE_PLACES = ("usage", "usageMetadata", "usage_metadata", "tokens", "response.usage", "message.usage")


def read_usage(usage: Any, vendor: Optional[str] = None) -> Optional[TurnUsage]:
    """Reads a vendor's usage of one call: a mapping or an object, absent and null fields are 0.

    `vendor`: one of VENDORS, whose own type definitions name the fields; without it the fields tell. OpenAI's, Codex's
    and Gemini's input includes the cached part, which is taken out; Anthropic's does not.
    Returns None for no usage (None, or nothing that any vendor writes).
    Raises CountError for a count that is no exact whole number, ValueError for an unknown vendor.
    """
    if usage is None:
        return None
    if vendor is None:
        vendor = _detect_vendor(usage)
        if vendor is None:
            return None
    if vendor not in _SHAPES:
        raise ValueError(f'Unknown vendor "{vendor}": one of {", ".join(VENDORS)}')
    paths, includes_cache = _SHAPES[vendor]
    names = ("input", "output", "cacheRead", "cacheCreation", "output")
    given, output, read, created, total = (_as_count(_first(usage, *p), n) for p, n in zip(paths, names))
    if vendor == "gemini":
        tool = _as_count(_first(usage, "toolUsePromptTokenCount", "tool_use_prompt_token_count"), "input")
        thoughts = _as_count(_first(usage, "thoughtsTokenCount", "thoughts_token_count"), "output")
        given, output = given + tool, output + thoughts
    if vendor == "openai-chat":
        # xAI counts reasoning beside the completion: the total tells.
        reasoning = _as_count(_first(usage, "completion_tokens_details.reasoning_tokens"), "output")
        if total == given + output + reasoning:
            output += reasoning
    if vendor == "opencode":
        # Older versions count reasoning within output, newer ones beside it: the total tells.
        reasoning = _as_count(_first(usage, "reasoning"), "output")
        if total == given + output + reasoning + read + created:
            output += reasoning
    if includes_cache and given > 0:
        given = max(0, given - max(0, read) - max(0, created))
    counted = sum(max(0, part) for part in (given, output, read, created))
    size = total if total > 0 else counted
    return TurnUsage(given, output, read, created, size if 0 < size <= MAX_COUNT else None)


def _detect_vendor(usage: Any) -> Optional[str]:
    for vendor, marks in _MARKS:
        if any(_field(usage, mark) is not _MISSING for mark in marks):
            return vendor
    # Nothing in it: a turn whose counts are all absent, which is 0 each.
    return "anthropic" if isinstance(usage, Mapping) and not usage else None


def _find_usage(message: Any) -> Any:
    """The usage of a result message as it stands; the message itself where it is one."""
    for place in _USAGE_PLACES:
        found = _field(message, place)
        if found is not _MISSING:
            return found
    # A message with nothing in it states no usage; a usage with nothing in it would be a turn of 0.
    return None if isinstance(message, Mapping) and not message else message


class UsageProcessor:
    """Takes what an agent reports about its turns, keeps the sums of the context, and raises at the threshold.

    `limit`: the context window, tokens. `threshold`: share of the limit at which it raises; above 1, as in 1.1: never.
    `vendor`: whose usage it is, see `read_usage`. `session`: told of every turn; what it does never disturbs the agent.
    Serves one line of conversation and one thread at a time. Raises ValueError for a limit that is no whole
    number and a threshold that is not above 0.
    """

    def __init__(
        self,
        usage: Optional[ContextUsage] = None,
        *,
        limit: int = DEFAULT_LIMIT,
        threshold: float = DEFAULT_THRESHOLD,
        session_id: Optional[str] = None,
        vendor: Optional[str] = None,
        session: Optional[Session] = None,
    ) -> None:
        if not threshold > 0:
            raise ValueError('"threshold" must be a share of the limit above 0, as in 0.9')
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise ValueError('"limit" must be a whole number of tokens')
        if threshold > 2:
            _warn('"threshold" is a share of the limit: %s is never reached', threshold)
        self.usage = ContextUsage(session_id=session_id) if usage is None else usage
        self.limit = limit
        self.threshold = threshold
        self.session_id = session_id
        self.vendor = vendor
        self.session = session

    @property
    def pressure_ratio(self) -> float:
        return self.usage.pressure_ratio(self.limit)

    def process(
        self,
        message: Any,
        *,
        call: Optional[str] = None,
        model: Optional[str] = None,
        context_tokens: Optional[int] = None,
        scope: str = "main",
    ) -> Optional[TurnUsage]:
        """Counts one turn and returns what it spent, or None where it stated no usage.

        `message`: a result message with a usage, or the usage itself. A main turn without one disables tracking for
        the rest of the context. `call`: the provider's id of the response. `context_tokens`: the context's size after
        it, where it is known. `scope`: `side` for a call without the chain's history: reported, in no sum.
        Raises ContextPressureError where the sums reach the threshold, CountError for a turn that cannot be counted.
        """
        try:
            turn = read_usage(_find_usage(message), self.vendor)
            if scope == "main":
                self._count(turn)
        except CountError as error:
            reason = f"{error.code}: {error.field}"
            self._tell(lambda session: session.gap(count=1, reason=reason))
            raise
        self._tell(
            lambda session: session.turn(
                turn, call=call, model=model, limit=self.limit if self.limit > 0 else None,
                context_tokens=context_tokens, scope=None if scope == "main" else scope,
            )
        )
        if scope == "main":
            self._raise_at_threshold()
        return turn

    def reset(self, continuation: Optional[int] = None) -> None:
        """A new context begins: sums start at 0, and the first turn with usage brings tracking back."""
        self.usage.reset(continuation)

    def _count(self, turn: Optional[TurnUsage]) -> None:
        if turn is None:
            if self.usage.is_tracking_enabled():
                _warn("A result message has no usage: context tracking disabled (session %s)", self.session_id)
            self.usage.disable_tracking()
            return
        self.usage.enable_tracking()
        self.usage.add_turn(input_tokens=turn.input, output_tokens=turn.output, cache_read_tokens=turn.cache_read)
        sums = (self.usage.input_tokens, self.usage.output_tokens, self.usage.cache_read_tokens)
        _debug(
            "Context usage: turn=(input=%d output=%d cache_read=%d) cumulative=(input=%d output=%d cache_read=%d) "
            "limit=%d pressure=%.1f%%",
            turn.input, turn.output, turn.cache_read, *sums, self.limit, self.pressure_ratio * 100,
        )

    def _raise_at_threshold(self) -> None:
        ratio = self.pressure_ratio
        if self.threshold > 1 or not self.usage.is_tracking_enabled() or ratio < self.threshold:
            return
        usage = self.usage
        raise ContextPressureError(
            self.session_id or "", usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, ratio
        )

    def _tell(self, report: Callable[[Any], Any]) -> None:
        if self.session is not None:
            _guard(lambda: report(self.session), "A turn could not be reported")


def _guard(act: Callable[[], Any], failure: str) -> None:
    """Runs what belongs to somebody else: what it raises goes to the log and no further."""
    try:
        act()
    except Exception:
        with contextlib.suppress(Exception):
            _log.warning(failure, exc_info=True)


def _debug(message: str, *args: Any) -> None:
    with contextlib.suppress(Exception):
        _log.debug(message, *args)


def _info(message: str, *args: Any) -> None:
    with contextlib.suppress(Exception):
        _log.info(message, *args)


def _warn(message: str, *args: Any) -> None:
    with contextlib.suppress(Exception):
        _log.warning(message, *args)


# --- States and lines ---------------------------------------------------------------------------------------------

_STATES = (("redlined", 1.0), ("critical", 0.85), ("warning", 0.75), ("elevated", 0.5))


def pressure_of(used: Optional[int], limit: Optional[int]) -> Optional[float]:
    """Share of the limit in use, never clamped; None where either is unknown, 0.0 where the limit is 0 or less."""
    if used is None or limit is None:
        return None
    return used / limit if limit > 0 else 0.0


def state_of(pressure: Optional[float]) -> str:
    """nominal, elevated (from 50 %), warning (75), critical (85), redlined (100); `unknown` for None."""
    if pressure is None:
        return "unknown"
    return next((name for name, bound in _STATES if pressure >= bound), "nominal")


def is_concerning(state: str) -> bool:
    """From warning on."""
    return state in ("warning", "critical", "redlined")


def needs_reset(state: str) -> bool:
    return state == "redlined"


def tokens_at(line: float, limit: int) -> int:
    """floor(line x limit), tokens. The line is read as the decimal it is written as: 0.29 of 100 is 29."""
    return math.floor(Fraction(str(line)) * limit) if limit > 0 else 0


def tokens_until(line: float, limit: int, used: int) -> int:
    """max(0, floor(line x limit) - used), tokens."""
    return max(0, tokens_at(line, limit) - used)


class ContextSnapshot:
    """The size of a context as its single calls state it (OpenAI's `total_tokens`): the last statement stands, nothing
    is summed. `limit`: the context window, tokens."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.context_tokens: Optional[int] = None
        self.basis: Optional[str] = None
        self._after_compaction = False

    @property
    def pressure(self) -> Optional[float]:
        """None: unknown, which is not 0 %."""
        return pressure_of(self.context_tokens, self.limit)

    def record_call(
        self, total_tokens: Optional[int], *, characters: Optional[int] = None, scope: str = "main"
    ) -> Optional[int]:
        """Takes the total of one call, tokens, and returns the size that stands now.

        `total_tokens` None: the provider returned none; then ceil(characters / 4) of all its text, in and out, is an
        estimate, used only where no call of this context stated a size. A `side` call moves nothing.
        """
        if scope != "main":
            return self.context_tokens
        after_compaction, self._after_compaction = self._after_compaction, False
        if total_tokens is not None:
            # Some clients state more than the window right after a compaction.
            if not (after_compaction and 0 < self.limit < total_tokens):
                self.context_tokens, self.basis = _as_count(total_tokens, "contextTokens"), "total"
        elif characters is not None and self.basis != "total":
            self.context_tokens, self.basis = -(-characters // 4), "estimate"
        return self.context_tokens

    def boundary(self, kind: str) -> None:
        """A restart, clear or compaction ended the context: its size is unknown until the next main call."""
        self.context_tokens = self.basis = None
        self._after_compaction = kind == "compaction"


# --- The tracker of messages --------------------------------------------------------------------------------------


class UsageSnapshot(NamedTuple):
    """What a context held at one moment. Tokens; `usage_percent` above 100 where the window is overshot, 0 without a
    limit; `timestamp` in milliseconds since the epoch."""

    tokens_used: int
    max_tokens: int
    state: str
    usage_percent: float
    tokens_remaining: int
    tokens_until_warning: int
    tokens_until_redline: int
    timestamp: int

    def has_room_for(self, tokens: int) -> bool:
        return self.tokens_remaining >= tokens


class CompressionSuggestion(NamedTuple):
    """What could be taken out. `kind`: remove_old_user_messages or summarize_assistant_messages; `messages`: how many
    are concerned; `tokens_saved`: tokens; `impact`: low, medium or high."""

    kind: str
    description: str
    messages: int
    tokens_saved: int
    impact: str


class _Entry(NamedTuple):
    message: Any
    tokens: int
    estimated: bool
    role: str
    calls: Tuple[str, ...]
    answers: Tuple[str, ...]


Event = Dict[str, Any]


class Subscription:
    """One subscriber's events, oldest first, in a buffer of its own.

    One that is too slow loses the oldest, and reads `{"type": "lagged", "lost": n}` in their place. Iterate over it, or
    call `get`. Safe to use from any thread.
    """

    def __init__(self, capacity: int, on_close: Callable[[Subscription], None]) -> None:
        if capacity < 1:
            raise ValueError('"buffer_size" must be a whole number from 1')
        self._events: Deque[Event] = collections.deque(maxlen=capacity)
        self._ready = threading.Condition()
        self._lost = 0
        self._closed = False
        self._on_close = on_close

    def _push(self, event: Event) -> None:
        with self._ready:
            if self._closed:
                return
            if len(self._events) == self._events.maxlen:
                self._lost += 1
            self._events.append(event)
            self._ready.notify()

    def get(self, timeout: Optional[float] = None) -> Optional[Event]:
        """The next event; None after `timeout` seconds (default: no end), or once it is closed and read."""
        with self._ready:
            self._ready.wait_for(lambda: self._events or self._lost or self._closed, timeout)
            if self._lost:
                lost, self._lost = self._lost, 0
                return {"type": "lagged", "lost": lost}
            return self._events.popleft() if self._events else None

    def close(self) -> None:
        """No more will come; what is in the buffer can still be read."""
        self._end()
        self._on_close(self)

    def _end(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify_all()

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self.get()
            if event is None:
                return
            yield event


class ContextTracker:
    """A conversation's context, message by message. Safe to share between threads: every method is one step.

    `max_tokens`: the context window, tokens; 0 or less: no limit, and usage reads 0 %. `counter`: takes a message and
    returns its tokens; default ceil(characters / 4), an estimate. `auto_compress`: percent of the window down to which
    it compresses by itself once an added message reaches `auto_compress_at` percent (default 80); None: off.
    `tool_pairs`: `together` (a tool call leaves with its results, as vendors ask) or `apart`. `history_limit`:
    snapshots that `history` keeps. `session`: told of clearing and compressing. Raises ValueError for an option that
    is out of range.

    Events: state_changed {from, to, usage_percent}, approaching_redline {usage_percent} (90 %), redlined {tokens_used,
    max_tokens} (100 %), cleared {tokens_cleared}, compressed {tokens_before, tokens_after, removed}.
    """

    def __init__(
        self,
        max_tokens: int,
        counter: Optional[Callable[[Any], int]] = None,
        *,
        auto_compress: Optional[float] = None,
        auto_compress_at: float = 80,
        tool_pairs: str = "together",
        history_limit: int = 1000,
        session: Optional[Session] = None,
        chain: Optional[str] = None,
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
        self._entries: List[_Entry] = []
        self._tokens = 0
        self._history: Deque[UsageSnapshot] = collections.deque(maxlen=history_limit)
        self._last_state = "nominal"
        self._past_redline = False
        self._subscriptions: Set[Subscription] = set()
        self._listeners: Dict[int, Callable[[Event], Any]] = {}
        self._listener_ids = 0
        self._undelivered: Deque[Tuple[Event, List[Callable[[Event], Any]]]] = collections.deque()
        self._delivering = False

    def add_message(self, message: Any, tokens: Optional[int] = None, *, estimated: bool = False) -> UsageSnapshot:
        """Adds a message (a mapping or an object of any vendor's shape) at the end and returns the usage after it.

        `tokens`: what it costs, where that is known; `estimated`: whether that is a guess.
        Raises ValueError where the tokens are no whole number from 0 or the sum would pass 2^53-1: nothing is added.
        """
        counted = tokens
        if counted is None:
            # A counter may be slow: others need not wait for it.
            counted = self._counter(message) if self._counter else -(-_count_characters(message) // 4)
            estimated = estimated or self._counter is None
        count = _as_count(counted, "tokens")
        if count < 0:
            raise CountError("invalid_count", "tokens", "must not be negative")
        role, calls, answers = _describe_message(message)
        with self._lock:
            if self._tokens + count > MAX_COUNT:
                raise CountError("sum_overflow", "tokens", "would make a sum above 2^53-1")
            self._entries.append(_Entry(message, count, estimated, role, calls, answers))
            self._tokens += count
            usage = self._usage()
            self._history.append(usage)
            if is_concerning(usage.state):
                _warn("Context usage is concerning: %.1f%% (%s)", usage.usage_percent, usage.state)
            self._note_change(usage)
            if self._auto_target is not None and self._reaches(self._auto_at):
                self._compress(self._auto_target)
            usage = self._usage()
        self._deliver()
        return usage

    @property
    def messages(self) -> List[Any]:
        """The messages in the context, oldest first, in a list of its own."""
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
        """Whether the window is full or overshot: the conversation needs a reset."""
        return needs_reset(self.state)

    @property
    def history(self) -> List[UsageSnapshot]:
        """One snapshot after each added message, oldest first, across clears."""
        with self._lock:
            return list(self._history)

    def clear(self) -> int:
        """Empties the context, a boundary: the next message is compared with nominal. Returns the tokens cleared."""
        with self._lock:
            cleared = self._tokens
            _info("Clearing context: %d tokens, %d messages", cleared, len(self._entries))
            self._entries = []
            self._tokens = 0
            self._last_state, self._past_redline = "nominal", False
            self._report(lambda session: session.clear(tokens_cleared=cleared, chain=self._chain))
            self._emit({"type": "cleared", "tokens_cleared": cleared})
        self._deliver()
        return cleared

    def compress_to_threshold(self, percent: float) -> int:
        """Removes the oldest messages until at most floor(percent / 100 x max_tokens) tokens are left. System messages
        stay wherever they are, and so does one message. Returns how many went. Raises ValueError."""
        _check_percent(percent)
        with self._lock:
            removed = self._compress(percent)
        self._deliver()
        return removed

    def compression_suggestions(self) -> List[CompressionSuggestion]:
        """What could be taken out, the least harmful first."""
        with self._lock:
            entries, limit = list(self._entries), self.max_tokens
        found = []
        user = [entry for entry in entries if entry.role == "user"]
        if len(user) > 10:
            old = user[:-5]
            saved = sum(entry.tokens for entry in old)
            text = f"Remove {len(old)} oldest user messages"
            found.append(CompressionSuggestion("remove_old_user_messages", text, len(old), saved, "low"))
        answers = [entry for entry in entries if entry.role == "assistant"]
        tokens = sum(entry.tokens for entry in answers)
        if limit > 0 and tokens * 3 > limit:
            text = "Summarize assistant responses"
            found.append(
                CompressionSuggestion("summarize_assistant_messages", text, len(answers), tokens // 2, "medium")
            )
        return found

    def composition(self, target_percent: float = 50) -> Dict[str, Any]:
        """What the context is made of, as it travels with a turn (`Session.turn(composition=...)`): counts by role,
        suggestions, and what compressing to the target would remove. Changes nothing. Raises ValueError."""
        _check_percent(target_percent, 100)
        with self._lock:
            entries, plan = list(self._entries), self._plan(target_percent)
            suggestions = self.compression_suggestions()
        roles: Dict[str, Dict[str, Any]] = {}
        for entry in entries:
            name = entry.role if entry.role in roles or len(roles) < 15 else "other"
            count = roles.setdefault(name, {"role": name, "messages": 0, "tokens": 0})
            count["messages"] += 1
            count["tokens"] += entry.tokens
        gone = sum(entries[index].tokens for index in plan)
        return {
            "roles": list(roles.values()),
            "suggestions": [
                {"kind": s.kind, "messages": s.messages, "tokensSaved": s.tokens_saved, "impact": s.impact}
                for s in suggestions
            ],
            "compression": {
                "targetPercent": target_percent, "messagesRemoved": len(plan), "tokensRemoved": gone,
                "tokensLeft": sum(entry.tokens for entry in entries) - gone,
            },
        }

    def report_turn(self, usage: Any = None, *, context_tokens: Optional[int] = None, **turn: Any) -> None:
        """Reports a main call to the session, with the context's size and make-up; nothing without a session.

        `usage`: as `Session.turn` takes it. `context_tokens`: the size by the provider, tokens; default its own sum.
        """
        with self._lock:
            size, basis = context_tokens, None
            if size is None:
                size = self._tokens
                basis = "estimate" if any(entry.estimated for entry in self._entries) or not self._entries else "total"
            made_of = self.composition()
            limit = self.max_tokens if self.max_tokens > 0 else None
            given = {"chain": self._chain, "limit": limit, "basis": basis, **turn}
            self._report(lambda session: session.turn(usage, context_tokens=size, composition=made_of, **given))

    def events(self, buffer_size: int = 100) -> Subscription:
        """The events from now on, in a buffer that holds the newest `buffer_size`."""
        subscription = Subscription(buffer_size, self._forget)
        with self._lock:
            self._subscriptions.add(subscription)
        return subscription

    def subscribe(self, listener: Callable[[Event], Any]) -> Callable[[], None]:
        """Calls the listener with every event, in order, outside of the tracker's lock; what it raises is logged.
        Returns what unsubscribes it."""
        with self._lock:
            self._listener_ids += 1
            key = self._listener_ids
            self._listeners[key] = listener

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return unsubscribe

    def close(self) -> None:
        """Lets the subscribers go: they end once they have read what is buffered. The tracker still works."""
        with self._lock:
            subscriptions, self._subscriptions = self._subscriptions, set()
            self._listeners = {}
        for subscription in subscriptions:
            subscription._end()

    def _forget(self, subscription: Subscription) -> None:
        with self._lock:
            self._subscriptions.discard(subscription)

    def _usage(self) -> UsageSnapshot:
        used, limit = self._tokens, self.max_tokens
        return UsageSnapshot(
            used, limit, state_of(pressure_of(used, limit)), used * 100 / limit if limit > 0 else 0.0,
            max(0, limit - used), tokens_until(0.75, limit, used), tokens_until(0.9, limit, used), _now_ms(),
        )

    def _reaches(self, percent: Fraction) -> bool:
        return 0 < self.max_tokens and self._tokens * 100 >= percent * self.max_tokens

    def _note_change(self, usage: UsageSnapshot) -> None:
        before, was_past = self._last_state, self._past_redline
        now, past = usage.state, self._reaches(Fraction(90))
        self._last_state, self._past_redline = now, past
        percent = usage.usage_percent
        if now != before:
            self._emit({"type": "state_changed", "from": before, "to": now, "usage_percent": percent})
        if past and not was_past:
            self._emit({"type": "approaching_redline", "usage_percent": percent})
        if now == "redlined" and before != "redlined":
            self._emit({"type": "redlined", "tokens_used": usage.tokens_used, "max_tokens": usage.max_tokens})

    def _plan(self, percent: float) -> List[int]:
        """Indexes of the messages that leave."""
        if self.max_tokens <= 0:
            return []
        target = math.floor(Fraction(str(percent)) * self.max_tokens / 100)
        names = _group_entries(self._entries) if self._together else list(range(len(self._entries)))
        groups: Dict[int, List[int]] = {}
        for index, entry in enumerate(self._entries):
            if entry.role != "system":
                groups.setdefault(names[index], []).append(index)
        removed: List[int] = []
        left = self._tokens
        for group in groups.values():
            if left <= target:
                break
            if len(removed) + len(group) < len(self._entries):
                removed += group
                left -= sum(self._entries[index].tokens for index in group)
        return removed

    def _compress(self, percent: float) -> int:
        removed = set(self._plan(percent))
        if not removed:
            return 0
        before = self._tokens
        self._entries = [entry for index, entry in enumerate(self._entries) if index not in removed]
        self._tokens = sum(entry.tokens for entry in self._entries)
        after = self._tokens
        _info("Compressed context: %d messages removed, %d tokens left", len(removed), after)
        self._report(
            lambda session: session.compress(before=before, after=after, removed=len(removed), chain=self._chain)
        )
        self._emit({"type": "compressed", "tokens_before": before, "tokens_after": after, "removed": len(removed)})
        self._note_change(self._usage())
        return len(removed)

    def _report(self, report: Callable[[Any], Any]) -> None:
        if self._session is not None:
            _guard(lambda: report(self._session), "The context could not be reported")

    def _emit(self, event: Event) -> None:
        """Under the lock, so that everybody sees one order."""
        for subscription in self._subscriptions:
            subscription._push(dict(event))
        if self._listeners:
            self._undelivered.append((event, list(self._listeners.values())))

    def _deliver(self) -> None:
        """Outside of the lock: one thread at a time calls the listeners, so that they hear the events in order."""
        while True:
            with self._lock:
                if self._delivering or not self._undelivered:
                    return
                self._delivering = True
                event, listeners = self._undelivered.popleft()
            try:
                for listener in listeners:
                    _guard(partial(listener, dict(event)), "A subscriber of the context tracker failed")
            finally:
                with self._lock:
                    self._delivering = False


def _check_percent(percent: float, most: float = math.inf) -> None:
    is_number = isinstance(percent, (int, float)) and not isinstance(percent, bool)
    if not is_number or not 0 <= percent <= most or math.isinf(percent):
        upper = f" and at most {most:g}" if most < math.inf else ""
        raise ValueError(f"the target must be a percentage of at least 0{upper}, not {percent!r}")


_ROLES = {"developer": "system", "model": "assistant", "function": "tool"}


def _message_fields(message: Any) -> Any:
    inner = _first(message, "message")
    return inner if inner is not None and _first(message, "role") is None and not isinstance(inner, str) else message


def _parts(message: Any) -> List[Any]:
    found: List[Any] = []
    for name in ("content", "parts"):
        value = _first(message, name)
        if isinstance(value, (list, tuple)):
            found += [part for part in value if not isinstance(part, str)]
    return found


def _describe_message(message: Any) -> Tuple[str, Tuple[str, ...], Tuple[str, ...]]:
    """Role, ids of the tool calls it makes, ids of those it answers."""
    fields = _message_fields(message)
    role, kind = _first(fields, "role"), str(_first(fields, "type") or "")
    role = getattr(role, "value", role)
    made = _first(fields, "tool_calls")
    calls = [_first(call, "id") for call in made] if isinstance(made, (list, tuple)) else []
    answers = [_first(fields, "tool_call_id")]
    (answers if kind.endswith("_output") else calls).append(_first(fields, "call_id"))
    results = 0
    parts = _parts(fields)
    for part in parts:
        part_kind = str(_first(part, "type") or "")
        response = _first(part, "functionResponse", "function_response")
        if part_kind.endswith("tool_result") or part_kind == "tool-result" or response is not None:
            results += 1
            answers.append(_first(part, "tool_use_id", "toolCallId") or _first(response, "id"))
        elif part_kind.endswith("tool_use") or part_kind == "tool-call":
            calls.append(_first(part, "id", "toolCallId"))
        else:
            calls.append(_first(part, "functionCall.id", "function_call.id"))
    if isinstance(role, str) and role:
        role = _ROLES.get(role, role)
        # Anthropic hands tool results over as a user's message.
        if role == "user" and results and results == len(parts):
            role = "tool"
    elif kind.endswith("_output"):
        role = "tool"
    else:
        role = "assistant" if kind.endswith("_call") or kind == "reasoning" else "unknown"
    texts = [tuple(str(each) for each in ids if isinstance(each, str) and each) for ids in (calls, answers)]
    return role, texts[0], texts[1]


def _group_entries(entries: Sequence[_Entry]) -> List[int]:
    """For each message the index of the oldest one that it can only leave together with."""
    parents = list(range(len(entries)))

    def root(index: int) -> int:
        while parents[index] != index:
            index = parents[index]
        return index

    callers: Dict[str, int] = {}
    for index, entry in enumerate(entries):
        for answered in entry.answers:
            if answered in callers:
                first, second = sorted((root(callers[answered]), root(index)))
                parents[second] = first
        for made in entry.calls:
            callers[made] = index
    return [root(index) for index in range(len(entries))]


_TEXT_FIELDS = (
    "content", "parts", "text", "thinking", "reasoning", "reasoning_content", "refusal", "summary", "arguments",
    "input", "output", "function", "tool_calls", "functionCall", "functionResponse", "args", "response", "result",
)
_VALUE_FIELDS = ("input", "args", "arguments", "response", "result")


def _count_characters(message: Any) -> int:
    """Characters of what a model reads as text: pictures, sound, ids and types are none."""
    # Each entry: a value, and whether a name in it is a tool's and not a speaker's.
    waiting: List[Tuple[Any, bool]] = [(_message_fields(message), False)]
    count = 0
    # Held, so that no id is given out twice.
    seen: Dict[int, Any] = {}
    objects = 0
    while waiting:
        value, is_part = waiting.pop()
        if isinstance(value, str):
            count += len(value)
            continue
        if value is None or isinstance(value, (bool, int, float, bytes)) or id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, (list, tuple)):
            waiting += [(part, True) for part in value]
        elif not isinstance(value, Mapping) and objects > 100:
            # An object that answers to every name has no end.
            continue
        elif not re.match(r"(input_)?(image|audio|video|file)", str(_first(value, "type") or "")):
            objects += 0 if isinstance(value, Mapping) else 1
            for name in (*_TEXT_FIELDS, "name") if is_part else _TEXT_FIELDS:
                found = _first(value, name)
                if isinstance(found, Mapping) and name in _VALUE_FIELDS:
                    with contextlib.suppress(TypeError, ValueError, RecursionError):
                        found = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
                if found is not None:
                    waiting.append((found, True))
    return count


# --- Restarts -----------------------------------------------------------------------------------------------------

_OPENING = re.compile(r"<checkpoint(?:\s[^<>]*)?>", re.IGNORECASE)
_OPENING_OF_LINE = re.compile(r"^[ \t]*(<checkpoint(?:\s[^<>]*)?>)", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(r"</checkpoint\s*>", re.IGNORECASE)


def extract_checkpoint(text: Optional[str]) -> str:
    """The checkpoint in an agent's answer, trimmed; empty where it says nothing: then continue with a minimal prompt.

    The content of the first `<checkpoint>` that begins a line, else of the first one (any case of letters), to the end
    where it is not closed; without a tag the whole answer. A code fence that wraps the whole answer or the whole content
    goes.
    """
    answer = _strip_fence((text or "").strip())
    opening = _OPENING_OF_LINE.search(answer) or _OPENING.search(answer)
    if opening:
        closing = _CLOSING.search(answer, opening.end())
        answer = answer[opening.end() : closing.start() if closing else len(answer)]
    return _strip_fence(answer.strip()).strip()


def _strip_fence(text: str) -> str:
    """Without the fence around it; as it is where its first fence closes before its last line."""
    lines = text.split("\n")
    if len(lines) < 2 or not re.match(r"```[^`]*$", lines[0].strip()):
        return text
    depth = 0
    for index, line in enumerate(lines):
        mark = line.strip()
        if mark == "```" and index > 0:
            depth -= 1
        elif re.match(r"```[^`]*$", mark):
            depth += 1
        if depth == 0:
            return "\n".join(lines[1:-1]).strip() if index == len(lines) - 1 else text
    return text


# --- Archives -----------------------------------------------------------------------------------------------------

_MAX_SESSION_LENGTH = 120
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def session_name(session_id: Any) -> str:
    """A session id as part of a file name: as it is where it is safe, else what can stand and a short hash of it;
    `unknown` for none."""
    if isinstance(session_id, (int, float)) and not isinstance(session_id, bool):
        session_id = str(session_id)
    if not isinstance(session_id, str) or not session_id.strip():
        return "unknown"
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", session_id)
    if plain and len(session_id) <= _MAX_SESSION_LENGTH and ".." not in session_id and not _RESERVED.match(session_id):
        return session_id
    kept = re.sub(r"[^A-Za-z0-9_]+", "-", session_id[:_MAX_SESSION_LENGTH]).strip("-")
    return f"{kept or 'session'}-{_short_hash(session_id)}"


def extension_of(path: Union[str, Path]) -> str:
    """The last suffix of a file's name with its dot, made safe; `.txt` for one without."""
    _, extension = os.path.splitext(os.path.basename(str(path)))
    extension = re.sub(r"[^A-Za-z0-9._~+-]", "_", extension)[:32]
    return extension if len(extension) > 1 else ".txt"


def _absolute(path: Union[str, Path]) -> str:
    try:
        absolute = os.path.abspath(str(path))
    except OSError:  # The working folder is gone.
        absolute = os.path.normpath(os.path.join("/", str(path)))
    # POSIX leaves two slashes at the beginning alone.
    return re.sub(r"^//+", "/", absolute)


def repo_key(path: Union[str, Path]) -> str:
    """A repository's folder name: its absolute path with separators as `-`, and 8 hexadecimal digits of its SHA-256,
    without which `/a-b` and `/a/b` would be one."""
    absolute = _absolute(path)
    readable = re.sub(r'[\x00-\x1f\x7f-\x9f<>"|?*\ud800-\udfff]', "_", re.sub(r"[/\\:]", "-", absolute))
    while len(readable.encode("utf-8")) > 180:
        readable = readable[1:]
    return f"{readable}-{_short_hash(absolute)}"


@dataclass
class ArchiveEntry:
    """One try to archive a transcript.

    `state`: stored, skipped (there was nothing to copy) or failed; `reason` says why. `session`: the key under which it
    is reported. `archive`: absolute path of the copy; `bytes`, `lines` and `sha256` are the copy's. `at`: milliseconds.
    """

    session: Optional[str]
    client_session_id: str
    trigger: str
    cwd: Optional[str]
    repo: str
    source: Optional[str]
    at: int
    state: str = "skipped"
    reason: Optional[str] = None
    archive: Optional[str] = None
    bytes: Optional[int] = None
    lines: Optional[int] = None
    sha256: Optional[str] = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    agent: Optional[str] = None
    """Of the file of a sub-agent: its id, as the client names it."""


class HookInput(NamedTuple):
    """What a client gives its hook, whatever it gave. `trigger`: auto, manual or unknown."""

    session_id: str
    transcript_path: Optional[str]
    trigger: str
    cwd: Optional[str]
    agent_id: Optional[str]


def _read_hook_input(value: Any) -> HookInput:
    def text(name: str) -> Optional[str]:
        found = _field(value, name) if value is not None else None
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            found = str(found)
        return found if isinstance(found, str) and found.strip() else None

    agent = text("agent_id")
    return HookInput(
        (text("session_id") or "unknown")[:400], text("transcript_path"), (text("trigger") or "unknown")[:40],
        text("cwd"), agent and agent[:400],
    )


def _hook_session_key(given: HookInput) -> Optional[str]:
    """The key under which the transcript is followed and imported; None where neither path nor id was given."""
    path = given.transcript_path
    if path and path.endswith(".jsonl"):
        name = os.path.basename(path)[: -len(".jsonl")]
        if name.startswith("rollout-"):
            return _storable(f"codex:{name}", 400)
        parts = os.path.dirname(path).split(os.sep)
        if "subagents" in parts[1:]:
            at = len(parts) - 1 - parts[::-1].index("subagents")
            return _storable(f"claude-code:{parts[at - 2] if at > 1 else ''}/{parts[at - 1]}", 400)
        if not name.startswith("agent-"):
            return _storable(f"claude-code:{parts[-1]}/{name}", 400)
    return None if given.session_id == "unknown" else _storable(f"hook:{given.session_id}", 400)


def _make_private(base: str, *names: str) -> str:
    """Folders below `base`, each 0700 whatever the umask. Of `base` and its parents only what is new is touched."""
    missing = []
    parent = base
    while not os.path.isdir(parent):
        missing.append(parent)
        if os.path.dirname(parent) == parent:
            break
        parent = os.path.dirname(parent)
    for folder in reversed(missing):
        _make_folder(folder)
    for name in names:
        base = os.path.join(base, name)
        _make_folder(base)
        os.chmod(base, 0o700)
    return base


def _make_folder(folder: str) -> None:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    os.chmod(folder, 0o700)


def archive_transcript(
    hook_input: Any,
    *,
    repo_path: Union[str, Path, None] = None,
    config_folder: Union[str, Path, None] = None,
    session: Optional[Session] = None,
) -> ArchiveEntry:
    """Copies the transcript that a PreCompact hook names, and says how it went. Never raises.

    `hook_input`: what the client gave its hook (`session_id`, `transcript_path`, `trigger`, `cwd`), whatever it is. The
    copy lies in `<config folder>/runs/<repo key>/archives/<session>_<UTC time>_transcript<ext>` (folders 0700, file
    0600), never over another file, with a line in `<config folder>/runs/index.jsonl`. `repo_path` defaults to the
    client's `cwd`, `config_folder` to $BAROGRAPH_CONFIG_DIR, $XDG_CONFIG_HOME/barograph or ~/.config/barograph.
    `session`: told that a compaction is pending, and of the archive.
    """
    given = _read_hook_input(hook_input)
    repo = _absolute(repo_path or given.cwd or ".")
    key = getattr(session, "key", None) or _hook_session_key(given)
    entry = ArchiveEntry(key, given.session_id, given.trigger, given.cwd, repo, given.transcript_path, _now_ms())
    known = given.trigger if given.trigger in ("auto", "manual") else None
    if session is not None and known:
        chain = given.agent_id
        _guard(
            lambda: session.compaction(known, "pending", at=entry.at, chain=chain), "A compaction could not be reported"
        )
    try:
        folder = str(config_folder) if config_folder else _config_folder(os.environ)
        _copy_transcript(entry, folder)
        _append_index(folder, entry)
    except Exception as error:
        if entry.state != "stored":
            entry.state, entry.reason = "failed", str(error) or type(error).__name__
        else:
            _warn("PreCompact: the index of archives could not be written: %s", error)
    _log_archive(entry)
    if session is not None:
        facts: Dict[str, Any] = {
            "at": _now_ms(), "trigger": known, "reason": entry.reason, "path": entry.archive,
            "bytes": entry.bytes, "lines": entry.lines, "sha256": entry.sha256,
        }
        _guard(lambda: session.archive(entry.state, **facts), "An archive could not be reported")
    return entry


def archive_sub_agents(
    hook_input: Any,
    *,
    repo_path: Union[str, Path, None] = None,
    config_folder: Union[str, Path, None] = None,
    session: Optional[Session] = None,
) -> List[ArchiveEntry]:
    """Copies the files of the session's sub-agents beside its transcript: each is an archive of its own that says whose
    it is (`agent`). One that did not change since it was last archived is left out. Never raises. The parameters are
    those of `archive_transcript`; the session is not told: these are no compactions of its own.
    """
    made: List[ArchiveEntry] = []
    try:
        given = _read_hook_input(hook_input)
        key = getattr(session, "key", None) or _hook_session_key(given)
        if key is None or given.transcript_path is None:
            return made
        repo = _absolute(repo_path or given.cwd or ".")
        folder = str(config_folder) if config_folder else _config_folder(os.environ)
        found = _find_sub_agents(_locate_transcript(given.transcript_path, given.cwd))
        archived = _last_archives(folder) if found else {}
        for path, agent in found:
            if _is_archived(path, archived.get(path)):
                continue
            entry = ArchiveEntry(key, given.session_id, given.trigger, given.cwd, repo, path, _now_ms(), agent=agent)
            try:
                _copy_transcript(entry, folder)
                _append_index(folder, entry)
            except Exception as error:
                if entry.state != "stored":
                    entry.state, entry.reason = "failed", str(error) or type(error).__name__
                else:
                    _warn("PreCompact: the index of archives could not be written: %s", error)
            _log_archive(entry)
            made.append(entry)
    except Exception as error:
        _warn("PreCompact: sub-agents were not archived: %s", error)
    return made


_MOST_SUB_AGENTS = 1_000
"""A session has dozens; what is beyond is a mistake that must not keep a hook busy."""


def _find_sub_agents(transcript: str) -> List[Tuple[str, str]]:
    """Path and id of each: below `<session>/subagents/`; of older clients, those beside it whose lines name the session."""
    if not transcript.endswith(".jsonl") or os.path.basename(transcript).startswith("agent-"):
        return []
    session = transcript[: -len(".jsonl")]
    inside = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(os.path.join(session, "subagents")) for name in names
    )
    beside: List[str] = []
    with contextlib.suppress(OSError):
        folder = os.path.dirname(transcript)
        beside = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    found = [path for path in inside if _is_agent_file(path)]
    name = os.path.basename(session)
    found += [path for path in beside if _is_agent_file(path) and _names_session(path, name)]
    return [(path, os.path.basename(path)[len("agent-") : -len(".jsonl")]) for path in found[:_MOST_SUB_AGENTS]]


def _is_agent_file(path: str) -> bool:
    name = os.path.basename(path)
    is_named = name.startswith("agent-") and name.endswith(".jsonl") and len(name) > len("agent-.jsonl")
    # Links are not followed.
    return is_named and not os.path.islink(path) and os.path.isfile(path)


def _names_session(path: str, session: str) -> bool:
    try:
        with open(path, "rb") as file:
            line = json.loads(file.readline(1 << 20))
    except (OSError, ValueError):
        return False
    return isinstance(line, dict) and line.get("sessionId") == session and line.get("isSidechain") is True


def _last_archives(config_folder: str) -> Dict[str, Dict[str, Any]]:
    """The last stored archive of each file, by its path. A line that is none is passed over."""
    last: Dict[str, Dict[str, Any]] = {}
    with contextlib.suppress(OSError):
        with open(os.path.join(config_folder, "runs", "index.jsonl"), "rb") as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if isinstance(line, dict) and line.get("state") == "stored" and isinstance(line.get("source"), str):
                    last[line["source"]] = line
    return last


def _is_archived(path: str, last: Optional[Dict[str, Any]]) -> bool:
    if last is None or last.get("bytes") != os.path.getsize(path):
        return False
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest() == last.get("sha256")


def _locate_transcript(path: str, cwd: Optional[str]) -> str:
    expanded = os.path.expanduser(path)
    return expanded if os.path.isabs(expanded) else os.path.join(_absolute(cwd or "."), expanded)


def _log_archive(entry: ArchiveEntry) -> None:
    if entry.state == "stored":
        size = (entry.bytes or 0) / 1024
        _info("PreCompact: archived the transcript (trigger: %s) to %r (%.1f KB)", entry.trigger, entry.archive, size)
    elif entry.state == "skipped":
        _warn("PreCompact: nothing archived for %r, %s: %r", entry.client_session_id, entry.reason, entry.source)
    else:
        with contextlib.suppress(Exception):
            _log.error("PreCompact: failed to archive the transcript %r: %s", entry.source, entry.reason)


def _copy_transcript(entry: ArchiveEntry, config_folder: str) -> None:
    if entry.source is None:
        entry.reason = "no transcript_path was given"
        return
    source = _locate_transcript(entry.source, entry.cwd)
    try:
        # Looked at first: to open some devices is to act on them.
        if not stat.S_ISREG(os.stat(source).st_mode):
            raise OSError("it is a folder, a pipe or a device, not a file")
        reader = open(source, "rb")
    except (FileNotFoundError, NotADirectoryError):
        entry.reason = "the transcript is not there"
        return
    with reader:
        folder = _make_private(config_folder, "runs", repo_key(entry.repo), "archives")
        partials = _make_private(folder, ".partial")
        unfinished = os.path.join(partials, f"{uuid.uuid4()}.part")
        try:
            _copy_bytes(reader, unfinished, entry)
            entry.archive = _place(unfinished, folder, entry)
            entry.state = "stored"
        finally:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            _remove_stale(partials)


def _copy_bytes(reader: Any, unfinished: str, entry: ArchiveEntry) -> None:
    """Copies what the file holds now: a writer that never rests cannot keep it busy."""
    digest, left, lines, last = hashlib.sha256(), os.fstat(reader.fileno()).st_size, 0, b"\n"
    copied = 0
    target = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(target, "wb", buffering=0) as writer:
        os.chmod(unfinished, 0o600)
        while left > 0:
            chunk = reader.read(min(left, 1 << 20))
            if not chunk:
                break
            view = memoryview(chunk)
            while view:
                view = view[writer.write(view) or 0 :]
            digest.update(chunk)
            lines += chunk.count(b"\n")
            last = chunk[-1:]
            copied += len(chunk)
            left -= len(chunk)
        os.fsync(writer.fileno())
    entry.bytes, entry.lines = copied, lines + (last != b"\n")
    entry.sha256 = digest.hexdigest()


def _place(unfinished: str, folder: str, entry: ArchiveEntry) -> str:
    """Gives a whole copy a name that nobody has: a second name is made in one step, and never over another file."""
    moment = datetime.fromtimestamp(entry.at / 1000, timezone.utc).strftime("%Y%m%d_%H%M%S")
    stem, tail = f"{session_name(entry.client_session_id)}_{moment}", f"_transcript{extension_of(entry.source or '')}"
    number = 1
    while True:
        path = os.path.join(folder, f"{stem}{'' if number == 1 else f'-{number}'}{tail}")
        try:
            os.link(unfinished, path)
            return path
        except FileExistsError:
            number = max(number + 1, _highest_number(folder, stem, tail) + 1)
        except (OSError, AttributeError, NotImplementedError):
            if _rename_unless_taken(unfinished, path):
                return path
            number += 1


def _rename_unless_taken(unfinished: str, path: str) -> bool:
    """For file systems without second names: who makes the claim may rename."""
    try:
        os.close(os.open(f"{path}.claim", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    try:
        if os.path.exists(path):
            return False
        os.rename(unfinished, path)
        return True
    finally:
        with contextlib.suppress(OSError):
            os.unlink(f"{path}.claim")


def _highest_number(folder: str, stem: str, tail: str) -> int:
    highest = 0
    for name in os.listdir(folder):
        if name.startswith(stem) and name.endswith(tail):
            number = re.fullmatch(r"-(\d{1,9})", name[len(stem) : len(name) - len(tail)])
            highest = max(highest, int(number.group(1)) if number else 0)
    return highest


def _remove_stale(partials: str) -> None:
    """What a killed process left of a copy an hour ago."""
    with contextlib.suppress(OSError):
        for name in os.listdir(partials):
            path = os.path.join(partials, name)
            with contextlib.suppress(OSError):
                if time.time() - os.stat(path).st_mtime > 3600:
                    os.unlink(path)


def _append_index(config_folder: str, entry: ArchiveEntry) -> None:
    at = datetime.fromtimestamp(entry.at / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    line = {
        "v": 1, "id": entry.id, "at": f"{at}.{entry.at % 1000:03d}Z", "state": entry.state, "reason": entry.reason,
        "session": entry.session, "clientSessionId": entry.client_session_id, "trigger": entry.trigger,
        "cwd": entry.cwd, "repo": entry.repo, "source": entry.source, "archive": entry.archive, "bytes": entry.bytes,
        "lines": entry.lines, "sha256": entry.sha256, "asOf": "hook",
        "upload": "pending" if entry.state == "stored" else "none",
        **({} if entry.agent is None else {"agent": entry.agent}),
    }
    path = os.path.join(_make_private(config_folder, "runs"), "index.jsonl")
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.chmod(path, 0o600)
        size = os.fstat(descriptor).st_size
        # What a full disk tore off must not take this line with it.
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n" if hasattr(os, "pread") else False
        text = ("\n" if torn else "") + json.dumps(line) + "\n"
        if os.write(descriptor, text.encode()) != len(text):
            raise OSError("the index took a part of a line only")
    finally:
        os.close(descriptor)


def make_precompact_hook(
    repo_path: Union[str, Path, None] = None,
    *,
    config_folder: Union[str, Path, None] = None,
    session: Optional[Session] = None,
    client: Optional[Client] = None,
) -> Callable[..., Any]:
    """A PreCompact hook for the Claude Agent SDK, under the key `PreCompact`: archives the transcript before the client
    summarises its context. Takes any arguments, returns `{}`, and never raises: a compaction is never blocked.

    `session`: told of it. `client` instead: the session is the one that the hook's input names.
    See `archive_transcript` for the rest.
    """

    def archive(hook_input: Any) -> None:
        reported = session
        if reported is None and client is not None:
            key = _hook_session_key(_read_hook_input(hook_input))
            reported = client.session(key) if key else None
        where: Dict[str, Any] = {"repo_path": repo_path, "config_folder": config_folder, "session": reported}
        archive_transcript(hook_input, **where)
        archive_sub_agents(hook_input, **where)

    async def precompact(hook_input: Any = None, *args: Any, **kwargs: Any) -> Dict[str, Any]:
        import asyncio

        try:
            # A large transcript takes a moment, and other tasks need not wait for it.
            await asyncio.get_running_loop().run_in_executor(None, archive, hook_input)
        except Exception as error:
            _warn("PreCompact: %s", error)
        return {}

    return precompact


precompact_hook = make_precompact_hook()
"""`make_precompact_hook` with its defaults."""


# --- Settings -----------------------------------------------------------------------------------------------------

SETTINGS = (
    "BAROGRAPH_PORT", "BAROGRAPH_HOST", "BAROGRAPH_DATA_DIR", "BAROGRAPH_DATABASE_CONNECTIONS", "BAROGRAPH_LOG_LEVEL",
    "BAROGRAPH_IDLE_AFTER_MINUTES", "BAROGRAPH_ROLE", "BAROGRAPH_URL", "BAROGRAPH_TOKEN", "BAROGRAPH_PROJECT",
    "BAROGRAPH_CONTENT", "BAROGRAPH_QUEUE_DIR", "BAROGRAPH_CONFIG_DIR", "BAROGRAPH_UPLOAD_ARCHIVES",
    "BAROGRAPH_HOOK_PATIENCE_SECONDS",
)
"""Every environment variable of Barograph; the first ones are the server's."""


def refuse_unknown_settings(given: Iterable[str], known: Sequence[str]) -> None:
    """Raises UnknownSettingError for the first name that is not known: a mistyped one would silently not hold."""
    for name in given:
        if name not in known:
            nearest = min(known, key=lambda candidate: _edits(_squash(name), _squash(candidate)), default=None)
            raise UnknownSettingError(name, nearest)


def _squash(name: str) -> str:
    return re.sub(r"[-_]", "", name).lower()


def _edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


@dataclass
class Settings:
    """What a runner reads from the environment and from the server's `connection.json` on the same machine."""

    url: Optional[str]
    token: Optional[str] = field(repr=False)
    project: Optional[str]
    content: bool
    queue_folder: str
    data_folder: str
    #: What the server at `url` has to prove that it knows before it is sent `token`; None: the token was given.
    secret: Optional[str] = field(default=None, repr=False)


def read_settings(environ: Optional[Mapping[str, str]] = None, *, url: Optional[str] = None) -> Settings:
    """Reads the BAROGRAPH_ variables; address and token default to `connection.json` in the data folder.

    `url` goes before what they say. Raises SettingError with a sentence that names the setting.
    """
    env = os.environ if environ is None else environ
    refuse_unknown_settings(sorted(name for name in env if name.startswith("BAROGRAPH_")), SETTINGS)
    data = _data_folder(env)
    # A server that stopped is known all the same: what is for it is queued, and goes once it proves to be back.
    connection = _read_connection(os.path.join(data, "connection.json")) or _read_connection(
        os.path.join(data, "last-connection.json")
    )
    url = url or _text(env, "BAROGRAPH_URL") or (connection["url"] if connection else None)
    token, secret = _text(env, "BAROGRAPH_TOKEN"), None
    if token is None and connection and url and _same_server(url, connection["url"]):
        # The file's token is for the server it names: another one must not get to see it.
        token, secret = connection["ingestToken"], connection["secret"]
    content = (_text(env, "BAROGRAPH_CONTENT") or "on").lower()
    if content not in ("on", "off"):
        raise SettingError("BAROGRAPH_CONTENT", f'BAROGRAPH_CONTENT: "{content}" is none of on, off.')
    queue = _path(env, "BAROGRAPH_QUEUE_DIR") or os.path.join(data, "queue")
    return Settings(url, token, _text(env, "BAROGRAPH_PROJECT"), content == "on", queue, data, secret)


def _text(env: Mapping[str, str], name: str) -> Optional[str]:
    return (env.get(name) or "").strip() or None


def _path(env: Mapping[str, str], name: str) -> Optional[str]:
    value = _text(env, name)
    if value is not None and not os.path.isabs(value):
        raise SettingError(name, f'{name}: "{value}" is not an absolute path.')
    return value


def _data_folder(env: Mapping[str, str]) -> str:
    given = _path(env, "BAROGRAPH_DATA_DIR")
    if given:
        return given.rstrip("/") or "/"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return "/var/lib/barograph"
    base = _text(env, "XDG_DATA_HOME")
    if base is None or not base.startswith("/"):
        base = os.path.join(_home(env), ".local", "share")
    return os.path.join(base.rstrip("/"), "barograph")


def _config_folder(env: Mapping[str, str]) -> str:
    given = _path(env, "BAROGRAPH_CONFIG_DIR")
    if given:
        return given.rstrip("/") or "/"
    base = _text(env, "XDG_CONFIG_HOME")
    if base is None or not base.startswith("/"):
        base = os.path.join(_home(env), ".config")
    return os.path.join(base.rstrip("/"), "barograph")


def _home(env: Mapping[str, str]) -> str:
    home = env.get("HOME") or os.path.expanduser("~")
    if not os.path.isabs(home):
        raise SettingError("HOME", "HOME: this account has no home folder.")
    return home


_HEX_64 = re.compile(r"[0-9a-f]{64}")


def _read_connection(path: str) -> Optional[Dict[str, str]]:
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        names = ("url", "ingestToken", "secret")
        if all(isinstance(content.get(name), str) for name in names) and _HEX_64.fullmatch(content["secret"]):
            return {name: content[name] for name in names}
    except PermissionError:
        raise SettingError(
            path, f"{path}: this account may not read it. Set BAROGRAPH_URL and BAROGRAPH_TOKEN instead."
        ) from None
    except OSError:
        return None
    except (ValueError, AttributeError):
        pass
    raise SettingError(
        path, f"{path}: the file is damaged, or of an older server. Start the server again: it writes a new one."
    )


def _same_server(a: str, b: str) -> bool:
    from urllib.parse import urlsplit

    def place(url: str) -> str:
        return re.sub(r"^localhost(?=:|$)", "127.0.0.1", urlsplit(url).netloc.lower())

    return place(a) == place(b)


# --- Items of the wire --------------------------------------------------------------------------------------------

_MAX_KEY, _MAX_LABEL, _MAX_TEXT = 400, 1_000, 200_000
_LAST_INSTANT = 253_402_300_799_999
_COUNT_FIELDS = {
    "contextTokens", "limit", "compactsAt", "preTokens", "postTokens", "tokensCleared", "before", "after", "count",
}
_CONTENT_FIELDS = ("title", "checkpoint", "prompt")

_KEY, _LABEL, _TEXT, _SIZE, _COUNT, _SEQ, _BOOL = "key", "label", "text", "size", "count", "seq", "bool"
_BASIS = ("total", "input", "estimate")
_TRIGGER = ("auto", "manual")
_READING = {
    "chain": _KEY, "call": _KEY, "model": _LABEL, "limit": _SIZE, "contextTokens": _SIZE, "basis": _BASIS,
}
# type: fields, each with its kind (a tuple lists the values it may have); those that must be there.
_ITEMS: Dict[str, Tuple[Dict[str, Any], Tuple[str, ...]]] = {
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
_LIFECYCLE = {"session_start", "session_alias", "session_end", "restart", "compaction", "clear"}


class _Fault(Exception):
    def __init__(self, code: str, name: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.name, self.reason = code, name, reason


def _units(text: str) -> int:
    """Length as the server counts it: in UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _storable(text: str, most: int) -> str:
    """A text that the database can hold: no NUL, no half of a surrogate pair, not too long."""
    cut = text.encode("utf-16-le", "surrogatepass")[: most * 2].decode("utf-16-le", "replace")
    return cut.replace("\x00", "\ufffd")


def _check(kind: Any, name: str, value: Any) -> Any:
    """The value as it goes over the wire. Raises _Fault."""
    if isinstance(kind, tuple):
        if value not in kind:
            raise _Fault("invalid_field", name, f"must be one of {', '.join(kind)}")
        return value
    if kind == _KEY:
        if not isinstance(value, str) or not 0 < _units(value) <= _MAX_KEY:
            raise _Fault("invalid_field", name, f"must be a text of 1 to {_MAX_KEY} characters")
        if _storable(value, _MAX_KEY) != value:
            raise _Fault("invalid_field", name, "must not contain a NUL character or half of a surrogate pair")
        return value
    if kind in (_LABEL, _TEXT):
        # A turn is not lost because a title is too long.
        if not isinstance(value, str):
            raise _Fault("invalid_field", name, "must be a text")
        return _storable(value, _MAX_LABEL if kind == _LABEL else _MAX_TEXT)
    if kind in (_SIZE, _COUNT, _SEQ):
        code = "invalid_count" if name in _COUNT_FIELDS or name.startswith("usage.") else "invalid_field"
        try:
            count = _as_count(value, name)
        except CountError:
            raise _Fault(code, name, "must be a whole number of at most 2^53-1 in size") from None
        if value is None or (kind == _SIZE and count < 0) or (kind == _SEQ and count < 1):
            raise _Fault(code, name, "must not be negative" if kind == _SIZE else "must be a whole number from 1")
        return count
    if kind in ("share", "line"):
        number = not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
        if not number or value < 0 or (kind == "line" and not 0 < value <= 1000):
            raise _Fault("invalid_field", name, "must be a share of the limit, as in 0.9")
        return value
    if kind == _BOOL:
        if not isinstance(value, bool):
            raise _Fault("invalid_field", name, "must be true or false")
        return value
    if kind == "sha256":
        if not isinstance(value, str) or not re.fullmatch(r"[0-9a-f]{64}", value):
            raise _Fault("invalid_field", name, "must be 64 hexadecimal digits")
        return value
    if kind == "uuid":
        if not isinstance(value, str) or not _UUID.fullmatch(value):
            raise _Fault("invalid_field", name, "must be a uuid")
        return value
    if kind == "usage":
        return _check_usage(value)
    if not isinstance(value, Mapping):
        raise _Fault("invalid_field", name, "must be an object")
    return dict(value)


_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


def _check_usage(value: Any) -> Dict[str, int]:
    if isinstance(value, TurnUsage):
        value = dict(zip(("input", "output", "cacheRead", "cacheCreation"), value))
    if not isinstance(value, Mapping):
        raise _Fault("invalid_field", "usage", "must be an object or null")
    return {
        name: _check(_COUNT, f"usage.{name}", value[name])
        for name in ("input", "output", "cacheRead", "cacheCreation")
        if value.get(name) is not None
    }


def _to_millis(at: Any) -> Any:
    if at is None:
        return _now_ms()
    if isinstance(at, datetime):
        return int(at.timestamp() * 1000)
    return at


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _prepare_item(given: Mapping[str, Any], seq: int, content: bool) -> Dict[str, Any]:
    """The item that enters the queue: checked, unknown and absent fields left out. Raises _Fault."""
    kind = given.get("type")
    if not isinstance(kind, str) or kind not in _ITEMS:
        raise _Fault("invalid_message", "type", f"no item type is called {kind!r}")
    fields, required = _ITEMS[kind]
    at = _to_millis(given.get("at"))
    if isinstance(at, bool) or not isinstance(at, (int, float)) or not 0 <= at <= _LAST_INSTANT:
        raise _Fault("invalid_field", "at", "must be milliseconds since the epoch, up to the year 9999")
    session = _check(_KEY, "session", given.get("session"))
    item: Dict[str, Any] = {"type": kind, "seq": seq, "session": session, "at": at}
    for name, field_kind in fields.items():
        value = given.get(name)
        if name == "usage" and value is None and "usage" in given:
            item["usage"] = None
        elif value is None or (name in _CONTENT_FIELDS and not content):
            if name in required:
                raise _Fault("invalid_field", name, "is missing")
        else:
            item[name] = _check(field_kind, name, value)
    return item


# --- The durable queue --------------------------------------------------------------------------------------------
#
# One folder per stream, in the form that the other Barograph clients write and take over: `queue.json` (whose it is),
# `lock`, `progress.json` (what was settled) and segments `00000001.seg` of lines `<CRC-32> <JSON>`. An item is with the
# operating system before a hand-over returns, so a killed process loses nothing; it is on the disk a second later.

_HEARTBEAT = 30.0
_STALE_AFTER = 10 * _HEARTBEAT
_RESERVE_AHEAD = 2_000
_FULL = "The runner’s queue was full."
Range = List[int]


def _encode_line(text: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _decode_lines(data: bytes) -> Iterator[bytes]:
    """The sound lines of a segment; what a loss of power left of one is none."""
    for line in data.split(b"\n")[:-1]:
        if len(line) > 9 and line[8:9] == b" ":
            try:
                sound = int(line[:8], 16) == zlib.crc32(line[9:])
            except ValueError:
                sound = False
            if sound:
                yield line[9:]


def _in_ranges(ranges: Sequence[Range], seq: int) -> bool:
    return any(first <= seq <= last for first, last in ranges)


def _to_ranges(seqs: Iterable[int]) -> List[Range]:
    ranges: List[Range] = []
    for seq in sorted(set(seqs)):
        if ranges and ranges[-1][1] >= seq - 1:
            ranges[-1][1] = seq
        else:
            ranges.append([seq, seq])
    return ranges


@dataclass
class _Segment:
    """A stretch of the queue in one append-only file."""

    id: int
    path: Optional[str]
    first: int
    last: int
    size: int = 0
    pending: int = 0
    # Items not settled; None while only the file holds them.
    lines: Optional[List[Tuple[int, bytes]]] = None
    settled: List[Range] = field(default_factory=list)
    thinned: bool = False


class _Queue:
    """What was handed over and is not acknowledged yet. The client's lock guards it."""

    def __init__(self, folder: Optional[str], identity: Dict[str, Any], stream: str, max_bytes: int) -> None:
        self.folder = folder
        self.identity = identity
        self.stream = stream
        self.max_bytes = max_bytes
        self.segment_bytes = max(16 * 1024, min(1024 * 1024, max_bytes // 16))
        self.segments: List[_Segment] = []
        self.next_seq = 1
        self.reserved_through = 0
        self.durable = folder is not None
        self.dropped = 0
        self.blocked_until = 0.0
        self._fd: Optional[int] = None
        self._unsynced = False
        self._progress_dirty = False
        self._next_id = 1

    # Reading what lies in the folder

    def recover(self) -> None:
        """Reads what the dead owner left. Raises OSError."""
        assert self.folder is not None
        progress = _read_json(os.path.join(self.folder, "progress.json"))
        settled = [list(pair) for pair in progress.get("settled", [])] if isinstance(progress, dict) else []
        names = sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"\d{8,}\.seg", name))
        for name in names:
            path = os.path.join(self.folder, name)
            header, lines = _read_segment(path)
            waiting = [(seq, text) for seq, text in lines if not _in_ranges(settled, seq)]
            first = lines[0][0] if lines else header.get("first", self.next_seq)
            last = lines[-1][0] if lines else first - 1
            self.next_seq = max(self.next_seq, last + 1, header.get("first", 1))
            self._next_id = max(self._next_id, int(name[:-4]) + 1)
            segment = _Segment(int(name[:-4]), path, first, last, os.path.getsize(path), len(waiting), None, settled)
            segment.thinned = header.get("thinned") is True
            self.segments.append(segment)
        # All that was found may have been sent.
        self.reserved_through = self.next_seq - 1

    # Writing

    @property
    def pending(self) -> int:
        return sum(segment.pending for segment in self.segments)

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self.segments)

    def append(self, text: bytes) -> int:
        """Takes an item that carries `next_seq`; costs one write. Returns its seq."""
        line = _encode_line(text)
        active = self.segments[-1] if self.segments else None
        if active is None or active.lines is None or active.size + len(line) > self.segment_bytes:
            active = self._begin_segment(line)
        else:
            self._write(active, line)
        assert active.lines is not None
        active.lines.append((self.next_seq, text))
        active.last = self.next_seq
        active.pending += 1
        self.next_seq += 1
        return self.next_seq - 1

    def _begin_segment(self, line: bytes) -> _Segment:
        previous = self.segments[-1] if self.segments else None
        self._close_file()
        path = None if self.folder is None else os.path.join(self.folder, f"{self._next_id:08d}.seg")
        segment = _Segment(self._next_id, path, self.next_seq, self.next_seq - 1, lines=[])
        self._next_id += 1
        self.segments.append(segment)
        header = _encode_line(_dump({"segment": 1, "first": self.next_seq, "thinned": False}))
        if path is not None:
            try:
                self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL, 0o600)
            except OSError as error:
                self._lose_file(segment, error)
        self._write(segment, header + line)
        # Older ones are read again when their turn comes; the first ones are being sent.
        if previous is not None and previous.path is not None and len(self.segments) > 3:
            _unload(previous)
        self._make_room()
        return segment

    def _write(self, segment: _Segment, data: bytes) -> None:
        segment.size += len(data)
        if self._fd is None or segment.path is None:
            return
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
            self._unsynced = True
        except OSError as error:
            self._lose_file(segment, error)

    def _lose_file(self, segment: _Segment, error: OSError) -> None:
        """The segment goes on in memory alone; the next one tries the disk again."""
        self._close_file()
        segment.path = None
        self.durable = False
        _warn("The queue cannot be written; items wait in memory: %s", error)

    def _close_file(self) -> None:
        if self._fd is not None:
            self.sync()
            with contextlib.suppress(OSError):
                os.close(self._fd)
            self._fd = None

    def sync(self) -> None:
        """Brings to the disk what is only in the operating system's hands."""
        if self._unsynced and self._fd is not None:
            self._unsynced = False
            with contextlib.suppress(OSError):
                os.fsync(self._fd)

    def unsynced_file(self) -> Optional[int]:
        """A descriptor of its own for the caller to sync and close; None where there is nothing to do."""
        if not self._unsynced or self._fd is None:
            return None
        self._unsynced = False
        with contextlib.suppress(OSError):
            return os.dup(self._fd)
        return None

    @property
    def dirty(self) -> bool:
        return self._unsynced or self._progress_dirty

    # Sending

    def next_batch(self, max_items: int, max_bytes: int) -> List[Tuple[int, bytes]]:
        """The oldest items, noted as perhaps sent: a gap must never take the seq of one that may be on the wire."""
        batch: List[Tuple[int, bytes]] = []
        size = 0
        for segment in self.segments:
            if segment.pending == 0:
                continue
            for seq, text in self._lines_of(segment):
                if batch and (len(batch) >= max_items or size + len(text) > max_bytes):
                    break
                batch.append((seq, text))
                size += len(text)
            else:
                continue
            break
        if batch and batch[-1][0] > self.reserved_through:
            self.reserved_through = batch[-1][0] + _RESERVE_AHEAD
            self.save_progress()
        return batch

    def _lines_of(self, segment: _Segment) -> List[Tuple[int, bytes]]:
        if segment.lines is None:
            lines: List[Tuple[int, bytes]] = []
            if segment.path is not None:
                with contextlib.suppress(OSError):
                    lines = _read_segment(segment.path)[1]
            segment.lines = [(seq, text) for seq, text in lines if not _in_ranges(segment.settled, seq)]
            segment.pending = len(segment.lines)
        return segment.lines

    def settle(self, ranges: Sequence[Range]) -> int:
        """Forgets what is durable or refused for good. Returns how many items that were."""
        count = 0
        for segment in self.segments:
            touched = [r for r in ranges if r[0] <= segment.last and r[1] >= segment.first]
            if not touched or segment.pending == 0:
                continue
            lines = self._lines_of(segment)
            left = [(seq, text) for seq, text in lines if not _in_ranges(touched, seq)]
            count += len(lines) - len(left)
            segment.settled = _merge([*segment.settled, *touched])
            segment.lines, segment.pending = left, len(left)
        if count:
            self._progress_dirty = True
        self._drop_settled()
        return count

    def _drop_settled(self) -> None:
        for segment in self.segments[:-1]:
            if segment.pending == 0:
                self._remove(segment)

    def _remove(self, segment: _Segment) -> None:
        self.segments.remove(segment)
        if segment.path is not None:
            with contextlib.suppress(OSError):
                os.unlink(segment.path)

    def outstanding(self) -> List[Range]:
        return _to_ranges(seq for segment in self.segments if segment.pending for seq, _ in self._lines_of(segment))

    def first_outstanding(self) -> float:
        for segment in self.segments:
            if segment.pending:
                lines = self._lines_of(segment)
                if lines:
                    return lines[0][0]
        return math.inf

    def save_progress(self) -> None:
        self._progress_dirty = False
        if self.folder is None:
            return
        done: List[Range] = []
        for segment in self.segments:
            done += [[max(a, segment.first), min(b, segment.last)] for a, b in segment.settled if a <= segment.last]
        if self.segments and self.segments[0].first > 1:
            done.append([1, self.segments[0].first - 1])
        content = {"settled": _merge([r for r in done if r[0] <= r[1]]), "reservedThrough": self.reserved_through}
        with contextlib.suppress(OSError):
            _write_file(os.path.join(self.folder, "progress.json"), _dump(content))

    # A full queue

    def _make_room(self) -> None:
        """The oldest turns that were never sent go, and a gap stands where they were. What begins and ends contexts
        stays where it can: without it later turns would land in the wrong one."""
        for keep_lifecycle in (True, False):
            index = 0
            while self.size > self.max_bytes and index < len(self.segments) - 1:
                segment = self.segments[index]
                if segment.first <= self.reserved_through or (segment.thinned and keep_lifecycle):
                    index += 1
                    continue
                before = self.segments[index - 1] if index else None
                joined = before if before and before.thinned and before.first > self.reserved_through else None
                self._thin(segment, joined, keep_lifecycle)
                index += 0 if joined else 1

    def _thin(self, segment: _Segment, joined: Optional[_Segment], keep_lifecycle: bool) -> None:
        lines = (self._lines_of(joined) if joined else []) + self._lines_of(segment)
        kept, dropped = _thin_lines(lines, keep_lifecycle)
        self.dropped += dropped
        if joined:
            segment.first = min(joined.first, segment.first)
        header = _encode_line(_dump({"segment": 1, "first": segment.first, "thinned": True}))
        data = header + b"".join(_encode_line(text) for _, text in kept)
        segment.lines, segment.pending, segment.size, segment.thinned = kept, len(kept), len(data), True
        segment.settled = []
        if segment.path is not None:
            try:
                _write_file(segment.path, data)
            except OSError as error:
                path, segment.path = segment.path, None
                self.durable = False
                _warn("The queue cannot be written; items wait in memory: %s", error)
                with contextlib.suppress(OSError):
                    os.unlink(path)
        if joined:
            self._remove(joined)

    # Owning the folder

    def touch(self) -> None:
        """Tells other processes that this queue's owner lives."""
        if self.folder is not None:
            with contextlib.suppress(OSError):
                os.utime(os.path.join(self.folder, "lock"))

    def new_stream(self) -> None:
        """The server knows this id as another runner's."""
        self.stream = str(uuid.uuid4())
        if self.folder is not None:
            with contextlib.suppress(OSError):
                _write_queue_file(self.folder, self.identity, self.stream)

    def close(self) -> None:
        """Lets go of the folder; an empty queue leaves nothing behind."""
        self._close_file()
        if self.folder is None:
            return
        if self.pending == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        self.save_progress()
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.folder, "lock"))


def _unload(segment: _Segment) -> None:
    if segment.lines is not None and segment.path is not None:
        segment.lines = None


def _merge(ranges: Sequence[Range]) -> List[Range]:
    merged: List[Range] = []
    for first, last in sorted(ranges):
        if merged and merged[-1][1] >= first - 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def _thin_lines(lines: Sequence[Tuple[int, bytes]], keep_lifecycle: bool) -> Tuple[List[Tuple[int, bytes]], int]:
    open_gaps: Dict[Tuple[str, str], Dict[str, Any]] = {}
    kept: List[Tuple[int, bytes]] = []
    dropped = 0

    def close(name: Tuple[str, str]) -> None:
        gap = open_gaps.pop(name)
        kept.append((gap["seq"], _dump(gap)))

    for seq, text in lines:
        item = json.loads(text)
        if keep_lifecycle and item["type"] in _LIFECYCLE:
            for name in [name for name in open_gaps if name[0] == item["session"]]:
                close(name)
            if item["type"] == "restart":
                item = {name: value for name, value in item.items() if name not in ("checkpoint", "prompt")}
            kept.append((seq, _dump(item)))
            continue
        was_gap = item["type"] == "gap"
        dropped += 0 if was_gap else 1
        name = (item["session"], item.get("chain", "main"))
        first = item.get("from", seq) if was_gap else seq
        gap = open_gaps.setdefault(name, {"type": "gap", "session": name[0], "from": first})
        if "chain" in item:
            gap["chain"] = item["chain"]
        gap.update(seq=seq, at=item["at"], to=seq, reason=_FULL)
        gap["count"] = gap.get("count", 0) + (item["count"] if was_gap else 1)
    for name in list(open_gaps):
        close(name)
    kept.sort(key=lambda line: line[0])
    return kept, dropped


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def _read_json(path: str) -> Any:
    try:
        with open(path, "rb") as file:
            return json.loads(file.read())
    except (OSError, ValueError):
        return None


def _write_file(path: str, data: bytes) -> None:
    """Replaces a file in one step. Raises OSError."""
    descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
    os.replace(f"{path}.new", path)


def _read_segment(path: str) -> Tuple[Dict[str, Any], List[Tuple[int, bytes]]]:
    """Header and items in order of seq. Raises OSError."""
    header: Dict[str, Any] = {}
    lines: Dict[int, bytes] = {}
    with open(path, "rb") as file:
        data = file.read()
    for text in _decode_lines(data):
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if value.get("segment") == 1:
            header = value
        elif isinstance(value.get("seq"), int):
            lines[value["seq"]] = text
    return header, sorted(lines.items())


def _write_queue_file(folder: str, identity: Dict[str, Any], stream: str) -> None:
    content = {"format": 1, **identity, "stream": stream, "createdAt": _now_ms()}
    _write_file(os.path.join(folder, "queue.json"), json.dumps(content, indent=2).encode() + b"\n")


def _process_start(pid: int) -> str:
    """As the system counts it; empty where it does not tell. A zombie counts as gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return "gone" if fields[0] == "Z" else fields[19]
    except (OSError, IndexError):
        return ""


def _boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _describe_process() -> Dict[str, Any]:
    pid = os.getpid()
    return {"pid": pid, "host": socket.gethostname(), "started": _process_start(pid), "boot": _boot_id()}


def _claim_lock(folder: str) -> bool:
    """Takes the folder's lock where nobody alive holds it. Raises OSError."""
    path = os.path.join(folder, "lock")
    own = json.dumps(_describe_process(), separators=(",", ":")).encode()
    if _create_file(path, own):
        return True
    owner = _read_json(path)
    if _is_alive(path, owner):
        return False
    # Two processes may see the same stale lock: only the one that makes this folder may replace it.
    takeover = os.path.join(folder, "lock.takeover")
    with contextlib.suppress(OSError):
        if time.time() - os.stat(takeover).st_mtime > 10:
            os.rmdir(takeover)
    try:
        os.mkdir(takeover, 0o700)
    except FileExistsError:
        return False
    try:
        if _read_json(path) != owner:
            return False
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return _create_file(path, own)
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(takeover)


def _create_file(path: str, data: bytes) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    os.write(descriptor, data)
    os.close(descriptor)
    return True


def _is_alive(path: str, owner: Any) -> bool:
    try:
        age = time.time() - os.stat(path).st_mtime
    except OSError:
        age = math.inf
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        return age < 10
    own = _describe_process()
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
    started = _process_start(owner["pid"])
    if owner.get("started") and started:
        return bool(owner["started"] == started)
    return owner["pid"] == own["pid"] or age < _STALE_AFTER


def _open_queue(parent: str, identity: Dict[str, Any], max_bytes: int) -> _Queue:
    """A new stream in a folder of its own. Never raises for what the disk does: then it lives in memory."""
    stream = str(uuid.uuid4())
    try:
        os.makedirs(parent, 0o700, exist_ok=True)
        os.chmod(parent, 0o700)
        # Made under a hidden name and then renamed: nobody finds a queue without its lock.
        hidden = os.path.join(parent, f".{stream}")
        os.mkdir(hidden, 0o700)
        _write_queue_file(hidden, identity, stream)
        _claim_lock(hidden)
        folder = os.path.join(parent, stream)
        os.rename(hidden, folder)
    except OSError as error:
        _warn("No queue folder can be used, items wait in memory: %s", error)
        return _Queue(None, identity, stream, max_bytes)
    return _Queue(folder, identity, stream, max_bytes)


def _adopt_orphans(parent: str, url: str, max_bytes: int) -> List[_Queue]:
    """Takes every queue for this server that no living process owns, oldest first."""
    found = []
    try:
        names = [name for name in os.listdir(parent) if not name.startswith(".")]
    except OSError:
        return []
    for name in names:
        folder = os.path.join(parent, name)
        content = _read_json(os.path.join(folder, "queue.json"))
        if not isinstance(content, dict) or content.get("format") != 1 or content.get("url") != url:
            continue
        try:
            if not _claim_lock(folder):
                continue
            identity = {key: content[key] for key in ("url", "project", "runner", "source")}
            queue = _Queue(folder, identity, content["stream"], max_bytes)
            queue.recover()
        except (OSError, KeyError, ValueError) as error:
            _warn("A queue left behind cannot be read: %s (%s)", folder, error)
            continue
        if queue.pending:
            found.append((content.get("createdAt", 0), queue))
        else:
            queue.close()
    return [queue for _, queue in sorted(found, key=lambda pair: pair[0])]


# --- The client ---------------------------------------------------------------------------------------------------


class RefusedItem(NamedTuple):
    """An item that will not be stored. `seq` None: refused before it had one. `code`: one of the protocol's, or
    client_closed. `field`: path of the field, as in usage.input; empty when it is the item as a whole."""

    seq: Optional[int]
    session: Optional[str]
    type: Optional[str]
    code: str
    field: str
    reason: str


class FlushResult(NamedTuple):
    """`delivered`: whether everything handed over before is acknowledged or refused for good. `queued`: items that wait
    on disk for the next client. `outstanding`: their seqs as inclusive ranges. `refused`: since the last flush."""

    delivered: bool
    queued: int
    outstanding: List[Range]
    refused: List[RefusedItem]


class _Down(Exception):
    """Why a batch did not arrive. `slow`: only a person can help."""

    def __init__(self, reason: str, detail: str, slow: bool = False) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.slow = reason, detail, slow


def _ingest_address(url: str) -> Tuple[str, str, str, int, str]:
    """(identity of the server, scheme, host, port, path). Raises ValueError."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    secure = {"http": False, "ws": False, "https": True, "wss": True}.get(parts.scheme.lower())
    if secure is None or not parts.hostname:
        raise ValueError(f'The server\'s address must begin with http:// or https://, and is "{url}".')
    if parts.username or parts.password or parts.query:
        raise ValueError(
            "The server's address must carry no user, password or query: a token goes in the Authorization header."
        )
    port = parts.port or (443 if secure else 80)
    base = re.sub(r"/v1/ingest$", "", parts.path.rstrip("/"))
    host = parts.hostname.lower()
    shown = f"[{host}]" if ":" in host else host
    place = shown if port == (443 if secure else 80) else f"{shown}:{port}"
    path = f"{base}/v1/ingest"
    return f"{'wss' if secure else 'ws'}://{place}{path}", "https" if secure else "http", host, port, path


_FRAME_ITEMS, _FRAME_BYTES = 500, 256 * 1024
_MIN_QUEUE_BYTES, _DEFAULT_QUEUE_BYTES = 1024 * 1024, 64 * 1024 * 1024
_clients: weakref.WeakSet[Client] = weakref.WeakSet()


class Client:
    """Hands telemetry over to a server. Safe to use from any thread.

    A hand-over costs one write to a file and never raises: what cannot be taken is reported to `on_refused`. A thread
    of its own sends what is queued and sends it again until the server has acknowledged it, after a crash too: the next
    client with the same queue folder delivers what a dead process left, before its own.

    `url`: http or https, with or without a base path. `token`: of scope ingest; sent in the Authorization header and
    nowhere else. `secret`: of `connection.json`; where it is given, the server has to prove on each connection that it
    knows it, before it is sent token or item. `project`, `runner`: names. `source`: sdk, transcript, hook or otlp. `queue_folder`: several processes
    may share it. `content` False: titles, checkpoints and prompts are left out before anything touches the disk.
    `max_queue_bytes`: at least 1 MiB; beyond it the oldest turns make room, and a gap says so. `on_refused` is called
    with a RefusedItem, on any thread. `timing`: base, cap, slow and patience of retries, seconds, for tests.
    Raises ValueError for options that can never work.
    """

    def __init__(
        self,
        url: str,
        token: Optional[str],
        *,
        secret: Optional[str] = None,
        project: str,
        runner: str,
        queue_folder: Union[str, Path],
        source: str = "sdk",
        host: Optional[str] = None,
        version: Optional[str] = None,
        content: bool = True,
        max_queue_bytes: int = _DEFAULT_QUEUE_BYTES,
        on_refused: Optional[Callable[[RefusedItem], Any]] = None,
        timing: Optional[Mapping[str, float]] = None,
    ) -> None:
        for name, value in (("project", project), ("runner", runner)):
            if not isinstance(value, str) or not 0 < _units(value) <= _MAX_KEY or _storable(value, _MAX_KEY) != value:
                raise ValueError(f"The client's {name} must be a text of 1 to {_MAX_KEY} characters.")
        if token is not None and not re.fullmatch(r"[!-~]{1,200}", token):
            raise ValueError("The token must be one word of at most 200 printable characters.")
        if secret is not None and not _HEX_64.fullmatch(secret):
            raise ValueError("The secret must be 64 hexadecimal digits, as connection.json has it.")
        if source not in ("transcript", "sdk", "hook", "otlp"):
            raise ValueError("The client's source must be one of transcript, sdk, hook, otlp.")
        self._server, self._scheme, self._host, self._port, self._path = _ingest_address(url)
        self._token = token
        self._secret = secret
        details = {"host": host or socket.gethostname(), "version": version}
        named = {"name": runner, **{key: _storable(value, _MAX_LABEL) for key, value in details.items() if value}}
        self._identity = {"url": self._server, "project": project, "runner": named, "source": source}
        self._folder = str(queue_folder)
        self._content = content
        self._max_bytes = max(_MIN_QUEUE_BYTES, max_queue_bytes)
        self._on_refused = on_refused
        self._timing: Dict[str, float] = {"base": 0.25, "cap": 30.0, "slow": 30.0, "patience": 15.0, **(timing or {})}
        self._closed = False
        self._make_locks()
        self._begin()
        _clients.add(self)

    def _make_locks(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._wake = threading.Event()

    def _be_in_child(self) -> None:
        """A forked process has no thread of its own, the queue is its parent's, and locks may be held for ever."""
        self._make_locks()
        self._begun = False

    def _ensure_begun(self) -> None:
        if not self._begun:
            with self._lock:
                if not self._begun and not self._closed:
                    self._begin()

    def _begin(self) -> None:
        """Everything that belongs to one process."""
        self._begun = True
        self._queue = _open_queue(self._folder, self._identity, self._max_bytes)
        self._adopted: List[_Queue] = []
        self._connection: Any = None
        self._stopping = False
        self._hurry = False
        self._is_away = False
        self._status: Dict[str, Any] = {"status": "connecting"}
        self._counts = {"acknowledged": 0, "duplicates": 0, "amended": 0, "refused": 0}
        self._refused: List[RefusedItem] = []
        self._batch_items = _FRAME_ITEMS
        self._thread = threading.Thread(target=self._run, name="barograph", daemon=True)
        self._thread.start()

    # Handing over

    def session(self, key: str, **start: Any) -> Session:
        """A handle for the session of that key. With fields of `Session.start`, also reports that it starts."""
        session = Session(self, key)
        if start:
            session.start(**start)
        return session

    def send(self, item: Mapping[str, Any]) -> Optional[int]:
        """Takes an item of the wire (`type`, `session` and its fields by their names there). Returns its seq in the
        stream, or None: it was refused, and `on_refused` says why."""
        try:
            return self._take(dict(item))
        except Exception as error:
            # A field that raises when it is read, a value that JSON cannot hold: the agent goes on either way.
            self._refuse(RefusedItem(None, None, None, "invalid_message", "", str(error)))
            return None

    def _take(self, item: Dict[str, Any]) -> Optional[int]:
        session, kind = item.get("session"), item.get("type")
        names = [value[:_MAX_KEY] if isinstance(value, str) else None for value in (session, kind)]
        self._ensure_begun()
        with self._lock:
            if self._closed:
                fault: Optional[_Fault] = _Fault("client_closed", "", "The client is closed.")
            else:
                seq, fault = self._enqueue(item)
                if fault is not None and kind == "turn":
                    # Without it the context's sums would be wrong instead of a lower bound.
                    gap = {"type": "gap", "session": session, "count": 1, "reason": f"{fault.code} {fault.name}"}
                    extra = {"chain": item.get("chain"), "at": item.get("at")}
                    if self._enqueue({**gap, **extra})[1] is not None:
                        self._enqueue(gap)
        if not self._closed and not self._is_away:
            self._wake.set()
        if fault is not None:
            self._refuse(RefusedItem(None, names[0], names[1], fault.code, fault.name, fault.reason))
            return None
        return seq

    def _enqueue(self, item: Dict[str, Any]) -> Tuple[Optional[int], Optional[_Fault]]:
        try:
            prepared = _prepare_item(item, self._queue.next_seq, self._content)
            return self._queue.append(_dump(prepared)), None
        except _Fault as fault:
            return None, fault
        except (TypeError, ValueError) as error:
            return None, _Fault("invalid_message", "", str(error))

    def _refuse(self, refused: RefusedItem) -> None:
        with self._lock:
            self._counts["refused"] += 1
            if len(self._refused) < 1000:
                self._refused.append(refused)
        _warn("An item was refused: %s %s %s (%s)", refused.type, refused.code, refused.field, refused.reason)
        if self._on_refused is not None:
            _guard(lambda: self._on_refused and self._on_refused(refused), "on_refused failed")

    # Waiting

    def flush(self, timeout: float = 10.0) -> FlushResult:
        """Waits until everything handed over is acknowledged, or so many seconds, and says what was not. Blocks: in
        asyncio call it with `asyncio.to_thread`."""
        self._ensure_begun()
        with self._lock:
            through = self._queue.next_seq - 1
            self._hurry = True
        self._wake.set()
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._queue.first_outstanding() > through, timeout)
            delivered = self._queue.first_outstanding() > through
            refused, self._refused = self._refused, []
            left = [] if delivered else self._queue.outstanding()
            return FlushResult(delivered, self._queue.pending, left, refused)

    def close(self, timeout: float = 5.0) -> FlushResult:
        """Flushes for at most so many seconds, then lets go of the folder. What is left is sent by the next client."""
        self._ensure_begun()
        with self._lock:
            was_closed, self._closed = self._closed, True
        result = self.flush(timeout)
        with self._changed:
            self._stopping = True
            self._status = {"status": "closed"}
            self._changed.notify_all()
        self._wake.set()
        if was_closed:
            return result
        connection = self._connection
        if threading.current_thread() is not self._thread:
            self._thread.join(0.2)
            if self._thread.is_alive() and connection is not None:
                # It waits for a server that does not answer.
                _cut(connection)
                self._thread.join(1.0)
        with self._lock:
            for queue in [self._queue, *self._adopted]:
                queue.close()
            self._adopted = []
        return result

    def stats(self) -> Dict[str, Any]:
        """State, stream, items and bytes queued, counts since the client was made; `durable` False: the queue could not
        be written, and what came since lies in memory alone."""
        self._ensure_begun()
        with self._lock:
            return {
                "state": dict(self._status), "stream": self._queue.stream, "queued": self._queue.pending,
                "queued_bytes": self._queue.size, **self._counts, "dropped": self._queue.dropped,
                "durable": self._queue.durable,
                "adopted": {"queues": len(self._adopted), "items": sum(q.pending for q in self._adopted)},
            }

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # The thread that sends

    def _run(self) -> None:
        try:
            self._send_until_stopped()
        finally:
            self._drop_connection()

    def _send_until_stopped(self) -> None:
        attempt, retry_at, next_beat, next_sync = 0, 0.0, 0.0, 0.0
        while not self._stopping:
            try:
                now = time.monotonic()
                if now >= next_beat:
                    next_beat = now + _HEARTBEAT
                    self._beat()
                if now >= next_sync:
                    next_sync = now + 1.0
                    self._sync()
                self._wake.clear()
                queue = self._next_queue(now)
                hurry, self._hurry = self._hurry, False
                if self._stopping:
                    return
                is_early = now < retry_at and not (hurry and self._status.get("reason") != "unauthorized")
                if queue is None or is_early:
                    self._rest(min(next_beat, next_sync if is_early or self._is_dirty() else next_beat), retry_at)
                    continue
                self._send_batch(queue)
                attempt, retry_at = 0, 0.0
            except _Down as down:
                retry_at = time.monotonic() + self._back_off(attempt, down.slow)
                attempt += 1
                self._be_down(down, retry_at)
            except Exception:  # This thread must not die.
                _guard(lambda: _log.warning("The client's thread stumbled", exc_info=True), "")
                retry_at = time.monotonic() + self._timing["cap"]

    def _rest(self, until: float, retry_at: float) -> None:
        """Until something is handed over or somebody hurries; while the server is away only the latter counts."""
        now = time.monotonic()
        if retry_at > now:
            until = min(until, retry_at)
            self._is_away = True
        self._wake.wait(max(0.0, until - now))
        self._is_away = False

    def _is_dirty(self) -> bool:
        with self._lock:
            return any(queue.dirty for queue in (self._queue, *self._adopted))

    def _sync(self) -> None:
        """Brings to the disk what is only in the operating system's hands; nobody waits for the disk meanwhile."""
        with self._lock:
            files = [queue.unsynced_file() for queue in (self._queue, *self._adopted)]
            for queue in (self._queue, *self._adopted):
                if queue._progress_dirty:
                    queue.save_progress()
        for descriptor in files:
            if descriptor is not None:
                with contextlib.suppress(OSError):
                    os.fsync(descriptor)
                os.close(descriptor)

    def _beat(self) -> None:
        adopted = _adopt_orphans(self._folder, self._server, self._max_bytes)
        if adopted:
            _info("Draining %d queues that other processes left behind", len(adopted))
        with self._lock:
            self._adopted += adopted
            for queue in (self._queue, *self._adopted):
                queue.touch()

    def _next_queue(self, now: float) -> Optional[_Queue]:
        """What others left goes first: it is older."""
        with self._lock:
            for queue in [queue for queue in self._adopted if queue.pending == 0]:
                queue.close()
                self._adopted.remove(queue)
            for queue in (*self._adopted, self._queue):
                if queue.pending and now >= queue.blocked_until:
                    return queue
        return None

    def _back_off(self, attempt: int, slow: bool) -> float:
        """Full jitter: anywhere between nothing and the doubled bound, so that a fleet does not return at once."""
        if slow:
            return self._timing["slow"] * (1 + random.random())
        return random.random() * min(self._timing["cap"], self._timing["base"] * 2.0 ** min(attempt, 30))

    def _be_down(self, down: _Down, retry_at: float) -> None:
        if down.slow:
            _warn("The server does not take items: %s", down.detail)
        left = retry_at - time.monotonic()
        with self._lock:
            if not self._stopping:
                retry_ms = _now_ms() + int(left * 1000)
                self._status = {"status": "waiting", "reason": down.reason, "detail": down.detail, "retry_at": retry_ms}

    def _send_batch(self, queue: _Queue) -> None:
        """One request. Raises _Down."""
        reused = self._connection is not None
        try:
            answer = self._exchange(queue)
        except (OSError, _http().HTTPException) as error:
            self._drop_connection()
            if reused and not self._stopping:
                # A server closes lines that were idle: that says nothing about it.
                return
            raise _Down("unreachable", f"{type(error).__name__}: {error}") from None
        if answer is None:
            return
        batch, code, body = answer
        if code == 200 and isinstance(body, dict) and body.get("type") == "ack":
            self._settle(queue, batch, body)
            return
        self._read_failure(queue, batch, code, body if isinstance(body, dict) else {})

    def _exchange(self, queue: _Queue) -> Optional[Tuple[List[Tuple[int, bytes]], int, Any]]:
        connection = self._connection
        if connection is None:
            http = _http()
            kind = http.HTTPSConnection if self._scheme == "https" else http.HTTPConnection
            connection = kind(self._host, self._port, timeout=self._timing["patience"])
            # Only what may really go out is noted as perhaps sent.
            connection.connect()
            self._connection = connection
            self._require_proof(connection)
            if self._stopping:
                self._drop_connection()
                raise _Down("unreachable", "The client is closed.")
        with self._lock:
            batch = queue.next_batch(self._batch_items, _FRAME_BYTES)
        if not batch:
            return None
        code, body = self._post(connection, queue, [text for _, text in batch])
        return batch, code, body

    def _post(self, connection: Any, queue: _Queue, items: Sequence[bytes]) -> Tuple[int, Any]:
        identity = queue.identity
        hello = {
            "type": "hello", "v": 1, "project": identity["project"], "runner": identity["runner"],
            "stream": queue.stream, "source": identity["source"], "now": _now_ms(),
        }
        headers = {"Content-Type": "application/json", "User-Agent": f"barograph-python/{__version__}"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        connection.request("POST", self._path, b"[" + b",".join([_dump(hello), *items]) + b"]", headers)
        response = connection.getresponse()
        text = response.read(8 * 1024 * 1024)
        if response.will_close:
            self._drop_connection()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, None

    def _settle(self, queue: _Queue, batch: Sequence[Tuple[int, bytes]], ack: Dict[str, Any]) -> None:
        ranges = [[int(first), int(last)] for first, last in ack.get("settled", [])]
        texts = dict(batch)
        refused = []
        for refusal in ack.get("refused", []):
            item = json.loads(texts[refusal["seq"]]) if refusal.get("seq") in texts else {}
            refused.append(
                RefusedItem(
                    refusal.get("seq"), item.get("session"), item.get("type"), str(refusal.get("code")),
                    str(refusal.get("field") or ""), str(refusal.get("reason") or ""),
                )
            )
        with self._changed:
            count = queue.settle(ranges)
            self._counts["acknowledged"] += count
            self._counts["duplicates"] += len(ack.get("duplicate", []))
            self._counts["amended"] += len(ack.get("amended", []))
            self._status = {"status": "connected"}
            self._batch_items = min(_FRAME_ITEMS, self._batch_items * 2)
        for each in refused:
            self._refuse(each)
        with self._changed:
            self._changed.notify_all()
        if count == 0:
            raise _Down("unavailable", "The server acknowledged none of the items that it was sent.")

    def _read_failure(self, queue: _Queue, batch: Sequence[Tuple[int, bytes]], code: int, body: Dict[str, Any]) -> None:
        """What the server said instead of an ack. Raises _Down, unless sending may go on at once."""
        error, reason = str(body.get("code") or ""), str(body.get("reason") or f"The server answered {code}.")
        if error == "stream_taken":
            with self._lock:
                queue.new_stream()
            raise _Down("unavailable", reason)
        if code in (401, 403):
            raise _Down("unauthorized", reason, slow=True)
        if error == "unsupported_version":
            raise _Down("unsupported_version", reason, slow=True)
        if error in ("bad_message", "too_large"):
            if len(batch) > 1:
                self._batch_items = max(1, len(batch) // 4)
                return
            self._give_up(queue, batch[0], error, reason)
            return
        raise _Down("unavailable" if code == 503 else "unreachable", reason)

    def _give_up(self, queue: _Queue, line: Tuple[int, bytes], error: str, reason: str) -> None:
        """The server could not read this item alone: it is at fault itself, unless the hello is."""
        if error == "bad_message":
            connection = self._connection or self._reconnect()
            code, _ = self._post(connection, queue, [])
            if code != 200:
                queue.blocked_until = time.monotonic() + self._timing["slow"]
                raise _Down("bad_message", reason, slow=queue is self._queue)
        item = json.loads(line[1])
        with self._changed:
            queue.settle([[line[0], line[0]]])
            self._changed.notify_all()
        self._refuse(RefusedItem(line[0], item.get("session"), item.get("type"), "invalid_message", "", reason))
        with self._changed:
            self._changed.notify_all()

    def _reconnect(self) -> Any:
        http = _http()
        kind = http.HTTPSConnection if self._scheme == "https" else http.HTTPConnection
        self._connection = kind(self._host, self._port, timeout=self._timing["patience"])
        self._require_proof(self._connection)
        return self._connection

    def _require_proof(self, connection: Any) -> None:
        """On the very line that is used afterwards: a tunnel to another machine may end at the address. Raises _Down."""
        if self._secret is None:
            return
        import hmac
        import secrets

        challenge = secrets.token_hex(32)
        path = re.sub(r"/v1/ingest$", "/v1/identity", self._path)
        connection.request("POST", path, _dump({"challenge": challenge}), {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read(10_000)
        try:
            answer = json.loads(text)
            server, proof = str(answer["server"]), str(answer["proof"])
        except (ValueError, TypeError, KeyError):
            server = proof = ""
        said = f"barograph server proof 1\n{challenge}\n{server}\n{self._port}"
        expected = hmac.new(self._secret.encode(), said.encode("utf-8", "replace"), "sha256").hexdigest()
        if response.status == 200 and hmac.compare_digest(expected.encode(), proof.encode("utf-8", "replace")):
            if not response.will_close:
                return
            detail = "The server closes the line after its proof, so none holds for the next."
        else:
            detail = f"What answers at {self._host}:{self._port} is not the server of this machine: it was sent nothing."
        self._drop_connection()
        raise _Down("unreachable", detail)

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()


def _http() -> Any:
    # Loaded with the first connection: a hook that only archives has no time for it.
    import http.client

    return http.client


def _cut(connection: Any) -> None:
    with contextlib.suppress(Exception):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _drop_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {_camel(name): value for name, value in fields.items() if value is not None}


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


class Session:
    """One session, as its runner names it. Holds no state: any number of handles may exist.

    Each method returns the item's seq, or None: refused, see `Client`. None raises. Fields are those of PROTOCOL.md in
    Python's spelling (`context_tokens` for `contextTokens`); counts are tokens; `at` is milliseconds since the epoch or
    a datetime, now where it is absent.
    """

    def __init__(self, client: Client, key: str) -> None:
        self._client = client
        self.key = key

    def _report(self, kind: str, fields: Mapping[str, Any]) -> Optional[int]:
        return self._client.send({**_drop_none(fields), "type": kind, "session": self.key})

    def start(self, **fields: Any) -> Optional[int]:
        """Tells more about the session: reason, lens (`cumulative` or `snapshot`), title, client, client_version,
        client_session_id, model, limit, restart_line, compacts_at, host, folder, branch, previous, forked_from,
        backfill, at."""
        return self._report("session_start", fields)

    def turn(
        self,
        usage: Any,
        *,
        call: Optional[str] = None,
        model: Optional[str] = None,
        limit: Optional[int] = None,
        context_tokens: Optional[int] = None,
        basis: Optional[str] = None,
        scope: Optional[str] = None,
        chain: Optional[str] = None,
        composition: Optional[Mapping[str, Any]] = None,
        inherited: Optional[bool] = None,
        at: Any = None,
    ) -> Optional[int]:
        """What this call or turn spent: deltas, never totals.

        `usage`: a TurnUsage (`read_usage`), a mapping {input, output, cacheRead, cacheCreation}, or None: the provider
        returned none, which disables cumulative tracking. Of a TurnUsage the context's size goes along where
        `context_tokens` is not given. `call`: the provider's id of the response. `composition`: what
        `ContextTracker.composition` returns.
        """
        if context_tokens is None and basis is None and isinstance(usage, TurnUsage):
            context_tokens = usage.context_tokens
        fields = _drop_none(
            {
                "call": call, "model": model, "limit": limit, "context_tokens": context_tokens, "basis": basis,
                "scope": scope, "chain": chain, "composition": composition, "inherited": inherited, "at": at,
            }
        )
        return self._client.send({**fields, "usage": usage, "type": "turn", "session": self.key})

    def reading(self, context_tokens: int, **fields: Any) -> Optional[int]:
        """The context's size, stated by the provider or the client. Also: chain, call, model, limit, basis, at."""
        return self._report("reading", {**fields, "context_tokens": context_tokens})

    def restart(self, **fields: Any) -> Optional[int]:
        """The context was given up and a fresh one begins: continuation (its number), reason, pressure, checkpoint,
        prompt, client, client_session_id, at."""
        return self._report("restart", fields)

    def compaction(self, trigger: str, state: str, **fields: Any) -> Optional[int]:
        """The client summarises its context in place. trigger: auto or manual; state: pending, confirmed (ends the
        context), blocked or failed. Also: pre_tokens, post_tokens, duration_ms, boundary, chain, at."""
        return self._report("compaction", {**fields, "trigger": trigger, "state": state})

    def clear(self, **fields: Any) -> Optional[int]:
        """The context was emptied: tokens_cleared, chain, at."""
        return self._report("clear", fields)

    def compress(self, before: int, after: int, **fields: Any) -> Optional[int]:
        """Messages were removed from the context: tokens before and after; removed (messages), chain, at."""
        return self._report("compress", {**fields, "before": before, "after": after})

    def alias(self, client: str, client_session_id: str, **fields: Any) -> Optional[int]:
        """Another id under which a client knows this session."""
        return self._report("session_alias", {**fields, "client": client, "client_session_id": client_session_id})

    def archive(self, state: str, **fields: Any) -> Optional[int]:
        """A transcript was archived: stored, skipped or failed; trigger, archive (its id), version,
        reason, path, bytes, lines, sha256, at."""
        return self._report("archive", {**fields, "state": state})

    def gap(self, count: int, **fields: Any) -> Optional[int]:
        """Items that were lost before they reached the client: how many; from_, to, reason, chain, at."""
        return self._report("gap", {**fields, "count": count})

    def end(self, **fields: Any) -> Optional[int]:
        """reason, at. A later item reopens the session."""
        return self._report("session_end", fields)


def connect(
    project: Optional[str] = None,
    runner: Optional[str] = None,
    *,
    url: Optional[str] = None,
    token: Optional[str] = None,
    queue_folder: Union[str, Path, None] = None,
    content: Optional[bool] = None,
    environ: Optional[Mapping[str, str]] = None,
    **options: Any,
) -> Client:
    """A client with the settings of the environment and of the server on this machine; what is given goes first.

    `project` defaults to BAROGRAPH_PROJECT, else the name of the working folder; `runner` to the program's name.
    Raises SettingError where nothing names a server or a setting cannot be used, ValueError as `Client` does.
    """
    settings = read_settings(environ, url=url)
    if settings.url is None:
        reason = "BAROGRAPH_URL is not set, and no server on this machine has left its address: start one, or set it."
        raise SettingError("BAROGRAPH_URL", reason)
    program = os.path.basename(sys.argv[0] if sys.argv and sys.argv[0] else "") or "python"
    return Client(
        settings.url,
        settings.token if token is None else token,
        secret=settings.secret if token is None else None,
        project=project or settings.project or os.path.basename(_absolute(".")) or "default",
        runner=runner or program,
        queue_folder=queue_folder or settings.queue_folder,
        content=settings.content if content is None else content,
        **options,
    )


def _close_clients() -> None:
    """At the program's end: delivered where the server answers at once, else left on disk for the next client."""
    for client in list(_clients):
        if client._begun and not client._closed:
            with contextlib.suppress(Exception):
                down = client._status.get("status") == "waiting"
                client.close(0.0 if down else 1.0)


def _begin_in_child() -> None:
    for client in list(_clients):
        client._be_in_child()


atexit.register(_close_clients)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


# --- The command `barograph.py hook` ------------------------------------------------------------------------------

_HOOK_SECONDS = 1.0
_HOOK_INPUT_BYTES = 4 * 1024 * 1024


def _hook_main() -> None:
    """Reads a PreCompact hook's JSON from stdin, archives, prints `{}` and ends with 0, whatever happens, within two
    seconds. A copy that takes longer goes on in a process of its own. Never returns."""
    import signal

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(Exception):
            signal.signal(getattr(signal, name), lambda *_: _finish_hook())
    try:
        deadline = time.monotonic() + _HOOK_SECONDS
        given = _read_stdin(deadline - 0.5)
        if hasattr(os, "fork"):
            _archive_in_child(given, deadline)
        else:
            worker = threading.Thread(target=_archive_and_report, args=(given, _ignore, _ignore), daemon=True)
            worker.start()
            worker.join(max(0.0, deadline - time.monotonic()))
    except BaseException:
        pass
    finally:
        _finish_hook()


def _finish_hook() -> None:
    with contextlib.suppress(BaseException):
        os.write(1, b"{}\n")
    os._exit(0)


def _read_stdin(deadline: float) -> Any:
    import select

    chunks: List[bytes] = []
    size = 0
    with contextlib.suppress(Exception):
        while size < _HOOK_INPUT_BYTES and time.monotonic() < deadline:
            if os.name != "nt" and not select.select([0], [], [], max(0.0, deadline - time.monotonic()))[0]:
                break
            chunk = os.read(0, 65536)
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
    try:
        return json.loads(b"".join(chunks))
    except (ValueError, RecursionError):
        return None


def _archive_in_child(given: Any, deadline: float) -> None:
    """The child owns the copy, so neither its time nor its death is the hook's. It holds none of the hook's pipes: a
    client waits until they are closed."""
    import select

    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.setsid()
            os.close(reader)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            _archive_and_report(
                given, lambda text: os.write(writer, text.encode("utf-8", "replace")), lambda: os.close(writer)
            )
        except BaseException:
            pass
        finally:
            os._exit(0)
    os.close(writer)
    while time.monotonic() < deadline:
        if not select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
            break
        text = os.read(reader, 65536)
        if not text:
            break
        os.write(2, text)


def _ignore(*_: Any) -> None:
    pass


def _archive_and_report(given: Any, say: Callable[[str], Any], done: Callable[[], Any]) -> None:
    """`say`: takes lines of the log. `done`: called once all is on the disk; delivering may take longer."""

    class Relay(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            with contextlib.suppress(Exception):
                say(f"barograph: {record.levelname}: {record.getMessage()}\n")

    _log.addHandler(Relay())
    _log.setLevel(logging.INFO)
    env: MutableMapping[str, str] = dict(os.environ)
    for name in [name for name in env if name.startswith("BAROGRAPH_") and name not in SETTINGS]:
        with contextlib.suppress(UnknownSettingError):
            try:
                refuse_unknown_settings([name], SETTINGS)
            except UnknownSettingError as error:
                _warn("%s It is ignored.", error)
        del env[name]
    hook = _read_hook_input(given)
    repo = _text(env, "CLAUDE_PROJECT_DIR") or hook.cwd
    session = _hook_session(env, hook)
    archive_transcript(given, repo_path=repo, session=session)
    archive_sub_agents(given, repo_path=repo, session=session)
    done()
    if session is not None:
        session._client.close(3.0)


def _hook_session(env: Mapping[str, str], hook: HookInput) -> Optional[Session]:
    """None where nothing names a session or a server: the archive is made all the same."""
    try:
        key = _hook_session_key(hook)
        if key is None or read_settings(env).url is None:
            return None
        kind = key.split(":", 1)[0]
        name = None if kind == "hook" else kind
        project = _text(env, "BAROGRAPH_PROJECT") or _hook_project(hook)
        client = connect(project, name or "hook", source="hook", environ=env, version=__version__)
        session = client.session(key)
        known = None if hook.session_id == "unknown" else hook.session_id
        # Says whose session it is, and starts nothing.
        host = socket.gethostname()
        session.start(lens="snapshot", host=host, client=name, client_session_id=known, folder=hook.cwd)
        return session
    except Exception as error:
        _warn("Nothing can be reported: %s", error)
        return None


def _hook_project(hook: HookInput) -> str:
    """As who follows the transcript finds it: the name of the folder in which the session began."""
    folder = hook.cwd
    with contextlib.suppress(OSError):
        if hook.transcript_path is not None and stat.S_ISREG(os.stat(hook.transcript_path).st_mode):
            with open(hook.transcript_path, "rb") as file:
                head = file.read(64 * 1024)
            for line in head.split(b"\n"):
                with contextlib.suppress(ValueError, RecursionError):
                    value = json.loads(line)
                    if isinstance(value, dict) and isinstance(value.get("cwd"), str) and value["cwd"]:
                        folder = value["cwd"]
                        break
    return re.split(r"[\\/]", (folder or "").rstrip("\\/"))[-1][:200] or "default"


def _main() -> None:
    # Wherever it stands: a client that calls its hook with more than that is answered all the same.
    if "hook" in sys.argv[1:]:
        _hook_main()
    title = (__doc__ or "").splitlines()[0]
    sys.stdout.write(f"{title}\n\n  python3 barograph.py hook   archive before a compaction\n")


if __name__ == "__main__":
    _main()
