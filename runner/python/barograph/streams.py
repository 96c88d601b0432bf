"""Which messages of an agent or a provider report usage, and which calls are counted already."""
from __future__ import annotations

import re
from typing import Any, NamedTuple

from .vendors import MISSING, USAGE_PLACES, TurnUsage, field_of, first_of, is_usage, text_of

# Classes of the Claude Agent SDK for Python. Its messages state no type.
_CLASSES = {
    "ResultMessage": "result", "AssistantMessage": "assistant", "UserMessage": "user", "SystemMessage": "system",
    "TaskNotificationMessage": "system", "StreamEvent": "stream_event",
}
# Messages without usage of the main chain. A `system` message may have the usage of a sub-agent.
_NO_REPORT = ("system", "user", "stream_event")
# Messages that end a call or a turn: if they have no usage, the provider reported none.
_ENDS = ("result", "turn.completed", "step_finish", "message", "response", "response.completed", "chat.completion")
# Messages that contain the response.
_INNER = {"assistant": "message", "message_stop": "message", "response.completed": "response"}
# Matches ids such as chatcmpl-417. Ollama picks one of 999 numbers, so its ids repeat within a session.
_REPEATING_ID = re.compile(r"(?:\D*[-_])?\d{1,4}")
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_MOST_CALLS = 1_000


def kind_of(message: Any) -> str:
    """The type of a message, or an empty text."""
    return text_of(message, "object", "type") or _CLASSES.get(type(message).__name__, "")


def is_report(message: Any) -> bool:
    """Whether a message reports the usage of this chain, or shows that the provider reported none."""
    if message is None:
        return True
    kind, model = kind_of(message), text_of(message, "message.model", "model")
    if kind in _NO_REPORT or model == "<synthetic>" or text_of(message, "parent_tool_use_id") is not None:
        return False
    # A command of Claude Code that made no call, such as /compact.
    if kind == "result" and first_of(message, "num_turns") == 0:
        return False
    usage = next((each for each in (field_of(message, place) for place in USAGE_PLACES) if each is not MISSING), MISSING)
    if usage is MISSING:
        return kind in _ENDS or is_usage(message)
    return usage is not None or kind == "" or kind in _ENDS


def call_of(message: Any) -> str | None:
    """The provider's id of the call. None if the provider may use the id for several calls."""
    kind = kind_of(message)
    response = first_of(message, _INNER[kind]) if kind in _INNER else message
    found = text_of(message, "message_id") or text_of(response, "id", "responseId", "response_id")
    return found if found and (kind in ("assistant", "message") or not _REPEATING_ID.fullmatch(found)) else None


class Taken(NamedTuple):
    """The usage of a whole call, and the part of it that no earlier message has counted."""

    call: str | None
    usage: TurnUsage | None
    added: TurnUsage | None


class CallLedger:
    """Counts each call once. An agent sends several messages for each call, and then a result with the sum of the calls."""

    def __init__(self) -> None:
        self._calls: dict[str, TurnUsage] = {}
        # Output of the calls since the last result; None: no message was a call of a turn.
        self._output: int | None = None
        self._last: tuple[str | None, TurnUsage] | None = None
        self._started: Any = None

    def join(self, message: Any) -> Any:
        """Joins the raw events of Anthropic: the first event has the id and the input, a later one the whole output."""
        kind = kind_of(message)
        if kind == "message_start":
            # Its output is a placeholder.
            self._started = first_of(message, "message")
            return {}
        if kind != "message_delta" or self._started is None:
            return message
        started = self._started
        stated = {name: first_of(message, f"usage.{name}") for name in _COUNTS}
        usage = {name: first_of(started, f"usage.{name}") if count is None else count for name, count in stated.items()}
        return {"type": "message", "id": first_of(started, "id"), "model": first_of(started, "model"), "usage": usage}

    def take(self, message: Any, call: str | None, usage: TurnUsage | None) -> Taken | None:
        """The part of a report that is new; None if earlier messages have counted the whole report."""
        kind = kind_of(message)
        if kind == "result" and self._output is not None:
            return self._end_turn(usage)
        taken = self._take_call(call, usage)
        if kind == "assistant" and taken is not None and taken.added is not None and usage is not None:
            self._output = (self._output or 0) + taken.added.output
            self._last = taken.call, usage
        return taken

    def start_context(self) -> None:
        """A fresh context: the next result does not complete a call of the last context."""
        self._last = None

    def _end_turn(self, total: TurnUsage | None) -> Taken | None:
        """The messages of calls state only the output at the start of the answer; a result states all of it."""
        rest = (total.output if total is not None else 0) - (self._output or 0)
        last, self._output, self._last = self._last, 0, None
        if last is None or last[0] is None or rest <= 0:
            return None
        call, usage = last
        size = None if usage.context_tokens is None else usage.context_tokens + rest
        return self._take_call(call, usage._replace(output=usage.output + rest, context_tokens=size))

    def _take_call(self, call: str | None, usage: TurnUsage | None) -> Taken | None:
        known = None if call is None else self._calls.get(call)
        if call is None or usage is None:
            return Taken(call, usage, usage)
        if known is not None and (known.input, known.cache_read, known.cache_creation) != (
            usage.input, usage.cache_read, usage.cache_creation
        ):
            # Some servers repeat ids. Such an id names no call.
            return Taken(None, usage, usage)
        more = usage.output - (known.output if known is not None else 0)
        if known is not None and more <= 0:
            return None
        self._calls[call] = usage
        if len(self._calls) > _MOST_CALLS:
            del self._calls[next(iter(self._calls))]
        return Taken(call, usage, usage if known is None else TurnUsage(0, more, 0, 0, None))
