"""Errors, counts, and logging that never raises."""
from __future__ import annotations

import contextlib
import logging
import operator
from typing import Any, Callable

MAX_COUNT = 2**53 - 1
"""The largest count and sum that every language represents exactly."""

log = logging.getLogger("barograph")
log.addHandler(logging.NullHandler())


class CountError(ValueError):
    """A token count that cannot be counted; no sum has changed.

    `code`: `invalid_count` (not a whole number up to 2^53-1) or `sum_overflow`. `field`: input, output, cacheRead or
    cacheCreation, as on the wire.
    """

    def __init__(self, code: str, field: str, reason: str) -> None:
        super().__init__(f'"{field}" {reason}')
        self.code = code
        self.field = field


class ContextPressureError(Exception):
    """A context reached its restart threshold. Carries the sums of the context, in tokens.

    `session_id`: empty if unknown. `pressure_ratio`: share of the limit, above 1.0 on overshoot.
    """

    def __init__(
        self, session_id: str, input_tokens: int, output_tokens: int, cache_read_tokens: int, pressure_ratio: float
    ) -> None:
        session = f" of session {session_id}" if session_id else ""
        sums = f"input={input_tokens} output={output_tokens} cache_read={cache_read_tokens}"
        super().__init__(f"Context pressure{session}: {pressure_ratio:.1%} ({sums})")
        self.session_id = session_id
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cache_read_tokens = cache_read_tokens
        self.pressure_ratio = pressure_ratio

    def __reduce__(self) -> tuple[Any, ...]:
        sums = (self.input_tokens, self.output_tokens, self.cache_read_tokens)
        return (type(self), (self.session_id, *sums, self.pressure_ratio))


class SettingError(ValueError):
    """A setting that cannot be used. `setting`: its name."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(message)
        self.setting = setting


class UnknownSettingError(SettingError):
    """An unknown or retired setting. `nearest`: the most similar known one, or None."""

    def __init__(self, setting: str, nearest: str | None) -> None:
        remedy = "" if nearest is None else f' Did you mean "{nearest}"?'
        super().__init__(setting, f'Unknown setting "{setting}".{remedy}')
        self.nearest = nearest


def as_count(value: Any, name: str) -> int:
    """A reported count, tokens. None is 0; negative counts pass. Raises CountError."""
    if value is None:
        return 0
    count: int | None = None
    if not isinstance(value, (bool, str, bytes)):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            # JSON has one kind of number: 3.0 is 3.
            count = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    if count is None or abs(count) > MAX_COUNT:
        shown = repr(value) if isinstance(value, (int, float)) else f"a {type(value).__name__}"
        raise CountError("invalid_count", name, f"must be a whole number of at most 2^53-1 in size, and is {shown}")
    return count


def guard(act: Callable[[], Any], failure: str) -> None:
    """Call foreign code; log what it raises."""
    try:
        act()
    except Exception:
        with contextlib.suppress(Exception):
            log.warning(failure, exc_info=True)


def debug(message: str, *args: Any) -> None:
    with contextlib.suppress(Exception):
        log.debug(message, *args)


def info(message: str, *args: Any) -> None:
    with contextlib.suppress(Exception):
        log.info(message, *args)


def warn(message: str, *args: Any) -> None:
    with contextlib.suppress(Exception):
        log.warning(message, *args)
