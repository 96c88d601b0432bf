"""Pressure and its states, exact sums of one context, and the processor that raises at the threshold."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Mapping, NamedTuple

from .errors import MAX_COUNT, ContextPressureError, CountError, as_count, log
from .items import Session, report
from .streams import CallLedger, call_of, is_report, kind_of
from .vendors import TurnUsage, find_usage, is_of_one_call, read_usage, text_of, vendor_of

# The default context window in tokens, and the share of it at which a context restarts.
DEFAULT_LIMIT, DEFAULT_THRESHOLD = 200_000, 0.90
TRACKING_DISABLED, TRACKING_ENABLED = "disabled", "enabled"
_SUMS = "(input=%d output=%d cache_read=%d)"
_STATES = (("redlined", 1.0), ("critical", 0.85), ("warning", 0.75), ("elevated", 0.5))


def pressure_of(used: int | None, limit: int | None) -> float | None:
    """Used share of the limit, not clamped. None if a value is unknown; 0.0 if the limit is 0 or less."""
    if used is None or limit is None:
        return None
    return used / limit if limit > 0 else 0.0


def state_of(pressure: float | None) -> str:
    """nominal, elevated (from 50 %), warning (75), critical (85) or redlined (100); unknown for None."""
    if pressure is None:
        return "unknown"
    return next((name for name, bound in _STATES if pressure >= bound), "nominal")


def is_concerning(state: str) -> bool:
    """Whether the state is warning or worse."""
    return state in ("warning", "critical", "redlined")


def needs_reset(state: str) -> bool:
    """Whether the limit is reached or exceeded."""
    return state == "redlined"


def tokens_at(line: float, limit: int) -> int:
    """floor(line x limit), tokens. The line is read as a decimal: 0.29 of 100 is 29."""
    return math.floor(Fraction(str(line)) * limit) if limit > 0 else 0


def tokens_until(line: float, limit: int, used: int) -> int:
    """max(0, floor(line x limit) - used), tokens."""
    return max(0, tokens_at(line, limit) - used)


class UsageSnapshot(NamedTuple):
    """A context at one moment. Tokens; `usage_percent` is 0 without a limit; `timestamp` in milliseconds."""

    tokens_used: int
    max_tokens: int
    state: str
    usage_percent: float
    tokens_remaining: int
    tokens_until_warning: int
    tokens_until_redline: int
    timestamp: int

    def has_room_for(self, tokens: int) -> bool:
        """Whether this many more tokens fit into the window."""
        return self.tokens_remaining >= tokens


@dataclass
class ContextUsage:
    """The sums of one context in tokens, for one chain and one thread. Cache reads do not count towards pressure."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    tracking_state: str = TRACKING_ENABLED
    session_id: str | None = None
    # Whether a reset followed the loss of tracking.
    _may_enable: bool = field(default=False, repr=False, compare=False)

    def add_turn(self, *, input_tokens: Any = 0, output_tokens: Any = 0, cache_read_tokens: Any = 0) -> None:
        """Add the tokens of a turn, unless tracking is disabled. None and negative counts add 0. Raises CountError."""
        if not self.is_tracking_enabled():
            return
        names, given = ("input", "output", "cacheRead"), (input_tokens, output_tokens, cache_read_tokens)
        added, output, read = (max(0, as_count(value, name)) for name, value in zip(names, given))
        sums = [self.input_tokens + added, self.output_tokens + output, self.cache_read_tokens + read]
        used = self.input_tokens + self.output_tokens + added
        for name, total in [*zip(names, sums), ("input", used), ("output", used + output)]:
            if total > MAX_COUNT:
                raise CountError("sum_overflow", name, "would make a sum above 2^53-1, which is not exact everywhere")
        self.input_tokens, self.output_tokens, self.cache_read_tokens = sums

    def reset(self, continuation: int | None = None) -> None:
        """Start a new context with sums of 0. Disabled tracking stays off until `enable_tracking`."""
        cause = "a new context" if continuation is None else f"restart (continuation #{continuation})"
        log.debug("Session %s: resetting context usage for %s", self.session_id, cause)
        self.input_tokens = self.output_tokens = self.cache_read_tokens = 0
        self._may_enable = True

    def disable_tracking(self) -> None:
        """Stop counting after a main turn without usage: pressure is 0.0 until a later context."""
        self.tracking_state = TRACKING_DISABLED
        self._may_enable = False

    def enable_tracking(self) -> bool:
        """Enable tracking if a `reset` followed the loss of tracking. Returns whether this call enabled it."""
        if self.is_tracking_enabled() or not self._may_enable:
            return False
        self.tracking_state = TRACKING_ENABLED
        return True

    def is_tracking_enabled(self) -> bool:
        """Whether the sums show how full the context is."""
        return self.tracking_state != TRACKING_DISABLED

    def pressure_ratio(self, limit: Any = DEFAULT_LIMIT) -> float:
        """(input + output) / limit, not clamped. 0.0 while tracking is disabled or if the limit is 0 or less."""
        if not self.is_tracking_enabled() or not limit > 0:
            return 0.0
        return float((max(0, self.input_tokens) + max(0, self.output_tokens)) / limit)


class UsageProcessor:
    """Counts the turns of one chain, and raises ContextPressureError at the threshold.

    `usage`: the sums to use; default: new sums. `session_id`: for errors and logs; default: the id in the messages.
    `limit`: the context window, tokens; default: 200 000, with a warning and without a report. `threshold`: share of
    the limit; above 1 it never raises. `vendor`: see `read_usage`. `session`: receives the lens and every turn. `lens`:
    `snapshot` (pressure is the size of the last call) or `cumulative` (the sums of the context); default: snapshot if
    the first usage is that of a single call, as in a provider's response, cumulative for results of agents and bare
    usages of unknown origin. Raises ValueError for an invalid limit, threshold or lens.
    """

    def __init__(
        self, usage: ContextUsage | None = None, *, limit: int | None = None, threshold: float = DEFAULT_THRESHOLD,
        session_id: str | None = None, vendor: str | None = None, session: Session | None = None, lens: str | None = None,
    ) -> None:
        self._is_assumed = limit is None
        limit = DEFAULT_LIMIT if limit is None else limit
        if lens not in (None, "cumulative", "snapshot"):
            raise ValueError('"lens" must be cumulative or snapshot')
        if not threshold > 0:
            raise ValueError('"threshold" must be a share of the limit above 0, as in 0.9')
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise ValueError('"limit" must be a whole number of tokens')
        if threshold > 2:
            log.warning('"threshold" is a share of the limit: %s is never reached', threshold)
        self.usage = ContextUsage(session_id=session_id) if usage is None else usage
        self.limit, self.threshold, self.vendor = limit, threshold, vendor
        self.session_id, self.session = session_id, session
        self._lens, self._is_declared, self._context_tokens = lens, False, None
        self._has_warned = False
        self._ledger = CallLedger()

    @property
    def pressure_ratio(self) -> float:
        if self._lens == "snapshot":
            return (self._context_tokens or 0) / self.limit if self.limit > 0 else 0.0
        return self.usage.pressure_ratio(self.limit)

    def process(
        self, message: Any, *, call: str | None = None, model: str | None = None, context_tokens: int | None = None,
        scope: str = "main",
    ) -> TurnUsage | None:
        """Count one message. Returns the usage of its call or turn; None if it has none, or if it was counted before.

        `message`: a message of an agent, a response of a provider, an event of its stream, or a usage. Messages that
        report no usage change nothing. Several messages of one call count once, and a result counts only what the
        messages of its calls lack. A result or response without usage, and None, disable tracking for the rest of the
        context. `call`: the provider's id of the response; default: the id in the message. `context_tokens`: the
        context's size after it. `model`: default: the one in the message. `scope`: `main`, or `side` for a call
        without the chain's history, which is not counted. Raises ContextPressureError, CountError.
        """
        message = self._ledger.join(message)
        self.session_id = self.session_id or text_of(message, "session_id")
        if not is_report(message):
            return None
        is_main = scope == "main"
        try:
            found = find_usage(message)
            turn = read_usage(found, self.vendor)
            is_call = is_of_one_call(kind_of(message), self.vendor or vendor_of(found))
            known = call_of(message) if call is None and is_call else call
            taken = self._ledger.take(message if is_main else None, known, turn)
            if taken is None:
                return None
            if is_main:
                if taken.usage is not None:
                    self._declare_lens(is_call or context_tokens is not None)
                    size = taken.usage.context_tokens if context_tokens is None else context_tokens
                    self._context_tokens = self._context_tokens if size is None else size
                self._count(taken.added, _unknown_fields(message, found))
        except CountError as error:
            report(self.session, "gap", count=1, reason=f"{error.code}: {error.field}")
            raise
        report(
            self.session, "turn", taken.usage, call=taken.call, model=model or text_of(message, "message.model", "model"),
            limit=self.limit if self.limit > 0 and not self._is_assumed else None,
            context_tokens=context_tokens, scope=None if is_main else scope,
        )
        usage, ratio = self.usage, self.pressure_ratio
        if is_main and self.threshold <= 1 and ratio >= self.threshold:
            sums = usage.input_tokens, usage.output_tokens, usage.cache_read_tokens
            raise ContextPressureError(self.session_id or "", *sums, ratio)
        return taken.usage

    def reset(self, continuation: int | None = None) -> None:
        """Start a new context with sums of 0; the first turn with usage enables tracking again."""
        self.usage.reset(continuation)
        self._ledger.start_context()
        self._context_tokens = None

    def _declare_lens(self, is_call: bool) -> None:
        if self._lens is None:
            self._lens = "snapshot" if is_call else "cumulative"
        if not self._is_declared:
            report(self.session, "start", lens=self._lens)
        self._is_declared = True

    def _count(self, turn: TurnUsage | None, unknown: str) -> None:
        usage = self.usage
        if turn is None:
            if usage.is_tracking_enabled():
                cause = f"A usage has only unknown fields ({unknown})" if unknown else "A result message has no usage"
                log.warning("%s: context tracking disabled (session %s)", cause, self.session_id)
            return usage.disable_tracking()
        if self._is_assumed and not self._has_warned:
            self._has_warned = True
            log.warning("The context window is unknown, so %d tokens are assumed; set `limit`", self.limit)
        usage.enable_tracking()
        usage.add_turn(input_tokens=turn.input, output_tokens=turn.output, cache_read_tokens=turn.cache_read)
        text = f"Context usage: turn={_SUMS} cumulative={_SUMS} limit=%d pressure=%.1f%%"
        sums = usage.input_tokens, usage.output_tokens, usage.cache_read_tokens
        log.debug(text, turn.input, turn.output, turn.cache_read, *sums, self.limit, self.pressure_ratio * 100)


def _unknown_fields(message: Any, usage: Any) -> str:
    """The names of the fields of a usage. A message without a usage has none, unless it consists of numbers."""
    if not isinstance(usage, Mapping):
        return ""
    is_usage = usage is not message or all(isinstance(count, (int, float)) for count in usage.values())
    return ", ".join(map(str, usage)) if is_usage else ""
