"""Pressure, its states, and a context at one moment."""
from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

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
        return self.tokens_remaining >= tokens
