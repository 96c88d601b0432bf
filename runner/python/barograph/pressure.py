"""Pressure, its states, and the snapshot of a context's size."""
from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from .errors import as_count

_STATES = (("redlined", 1.0), ("critical", 0.85), ("warning", 0.75), ("elevated", 0.5))


def pressure_of(used: int | None, limit: int | None) -> float | None:
    """Share of the limit in use, never clamped; None if either is unknown, 0.0 if the limit is not above 0."""
    if used is None or limit is None:
        return None
    return used / limit if limit > 0 else 0.0


def state_of(pressure: float | None) -> str:
    """nominal, elevated (from 50 %), warning (75), critical (85), redlined (100); `unknown` for None."""
    if pressure is None:
        return "unknown"
    return next((name for name, bound in _STATES if pressure >= bound), "nominal")


def is_concerning(state: str) -> bool:
    """Whether the state is warning or worse."""
    return state in ("warning", "critical", "redlined")


def needs_reset(state: str) -> bool:
    return state == "redlined"


def tokens_at(line: float, limit: int) -> int:
    """floor(line x limit), tokens. The line is read as a decimal: 0.29 of 100 is 29."""
    return math.floor(Fraction(str(line)) * limit) if limit > 0 else 0


def tokens_until(line: float, limit: int, used: int) -> int:
    """max(0, floor(line x limit) - used), tokens."""
    return max(0, tokens_at(line, limit) - used)


class ContextSnapshot:
    """The size of a context as single calls state it (OpenAI's `total_tokens`). The last value counts, without sums.

    `limit`: the context window, tokens.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.context_tokens: int | None = None
        self.basis: str | None = None
        self._after_compaction = False

    @property
    def pressure(self) -> float | None:
        """None if unknown."""
        return pressure_of(self.context_tokens, self.limit)

    def record_call(
        self, total_tokens: int | None, *, characters: int | None = None, scope: str = "main"
    ) -> int | None:
        """Record the total of one call, tokens. Returns the current size.

        Without `total_tokens`, ceil(characters / 4) is an estimate, used only while no call of this context stated a
        size. A `side` call changes nothing.
        """
        if scope != "main":
            return self.context_tokens
        after_compaction, self._after_compaction = self._after_compaction, False
        if total_tokens is not None:
            # Some clients state more than the window right after a compaction.
            if not (after_compaction and 0 < self.limit < total_tokens):
                self.context_tokens, self.basis = as_count(total_tokens, "contextTokens"), "total"
        elif characters is not None and self.basis != "total":
            self.context_tokens, self.basis = -(-characters // 4), "estimate"
        return self.context_tokens

    def boundary(self, kind: str) -> None:
        """A restart, clear or compaction ended the context: its size is unknown until the next main call."""
        self.context_tokens = self.basis = None
        self._after_compaction = kind == "compaction"


class UsageSnapshot(NamedTuple):
    """A context at one moment. Tokens; `usage_percent` is 0 without a limit; `timestamp` in milliseconds since the epoch."""

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
