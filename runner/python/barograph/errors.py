"""Errors, exact counts, and calls of foreign code that never raise."""
from __future__ import annotations

import contextlib
import logging
import operator
from dataclasses import dataclass
from typing import Any, Callable

MAX_COUNT = 2**53 - 1
"""The largest count and sum that every language represents exactly."""

log = logging.getLogger("barograph")
log.addHandler(logging.NullHandler())


class CountError(ValueError):
    """An invalid token count; no sum has changed. `code`: invalid_count or sum_overflow. `field`: its name on the wire."""

    def __init__(self, code: str, field: str, reason: str) -> None:
        super().__init__(f'"{field}" {reason}')
        self.code, self.field = code, field


@dataclass(eq=False)
class ContextPressureError(Exception):
    """A context reached its restart threshold. Has the context's sums in tokens, and the share of the limit in use."""

    session_id: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    pressure_ratio: float

    def __str__(self) -> str:
        session = f" of session {self.session_id}" if self.session_id else ""
        sums = f"input={self.input_tokens} output={self.output_tokens} cache_read={self.cache_read_tokens}"
        return f"Context pressure{session}: {self.pressure_ratio:.1%} ({sums})"


class SettingError(ValueError):
    """A setting that cannot be used. `setting`: its name. `nearest`: the known name most similar to an unknown one."""

    def __init__(self, setting: str, message: str, nearest: str | None = None) -> None:
        super().__init__(message)
        self.setting, self.nearest = setting, nearest


def as_count(value: Any, name: str) -> int:
    """A reported count in tokens. None is 0; negative counts are valid. Raises CountError."""
    if value is None:
        return 0
    if not isinstance(value, (bool, str, bytes)):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            # JSON has one kind of number: 3.0 is 3.
            count = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
            if abs(count) <= MAX_COUNT:
                return count
    shown = repr(value) if isinstance(value, (int, float)) else f"a {type(value).__name__}"
    raise CountError("invalid_count", name, f"must be a whole number of at most 2^53-1, not {shown}")


def guard(act: Callable[[], Any], failure: str) -> None:
    """Call foreign code; log what it raises."""
    try:
        act()
    except Exception:
        log.warning(failure, exc_info=True)
