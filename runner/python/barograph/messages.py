"""Reads a chat message of any vendor's shape: role, tool calls, characters."""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

from .vendors import first_of


class Entry(NamedTuple):
    """A message in a context."""

    message: Any
    tokens: int
    role: str
    calls: list[str]
    answers: list[str]


_ROLES = {"developer": "system", "model": "assistant", "function": "tool"}
_CALLED = ("id", "toolCallId", "call_id", "functionCall.id", "function_call.id")
_ANSWERED = ("tool_use_id", "toolCallId", "tool_call_id", "call_id", "functionResponse.id", "function_response.id")


def _fields_of(message: Any) -> Any:
    """The message itself where an SDK wraps it."""
    inner = first_of(message, "message")
    return inner if inner is not None and first_of(message, "role") is None and not isinstance(inner, str) else message


def _list_of(value: Any, *names: str) -> list[Any]:
    lists = (first_of(value, name) for name in names)
    return [part for each in lists if isinstance(each, (list, tuple)) for part in each if not isinstance(part, str)]


def _is_answer(part: Any) -> bool:
    kind = str(first_of(part, "type") or "")
    is_result = kind.endswith(("tool_result", "tool-result", "_output"))
    return is_result or first_of(part, "functionResponse", "function_response", "tool_call_id") is not None


def describe_message(message: Any) -> tuple[str, list[str], list[str]]:
    """Role, ids of the tool calls it makes, ids of those it answers."""
    fields = _fields_of(message)
    kind, role = str(first_of(fields, "type") or ""), first_of(fields, "role")
    role = getattr(role, "value", role)
    parts = _list_of(fields, "content", "parts")
    answers = [part for part in [fields, *parts] if _is_answer(part)]
    calls = [part for part in [*parts, *_list_of(fields, "tool_calls")] if not _is_answer(part)]
    if kind.endswith("_call"):
        calls.append(fields)
    if isinstance(role, str) and role:
        # Anthropic sends tool results as a user's message.
        is_tool = role == "user" and 0 < len(answers) == len(parts)
        role = "tool" if is_tool else _ROLES.get(role, role)
    else:
        role = "tool" if kind.endswith("_output") else "assistant" if kind.endswith("_call") else "unknown"
        role = "assistant" if kind == "reasoning" else role
    called, answered = [first_of(call, *_CALLED) for call in calls], [first_of(part, *_ANSWERED) for part in answers]
    return role, [each for each in called if isinstance(each, str)], [each for each in answered if isinstance(each, str)]


def group_entries(entries: Sequence[Entry]) -> list[int]:
    """For each message, the index of the oldest one that it must be removed with."""
    parents = list(range(len(entries)))

    def root(index: int) -> int:
        while parents[index] != index:
            index = parents[index]
        return index

    callers: dict[str, int] = {}
    for index, entry in enumerate(entries):
        for answered in entry.answers:
            if answered in callers:
                first, second = sorted((root(callers[answered]), root(index)))
                parents[second] = first
        for made in entry.calls:
            callers[made] = index
    return [root(index) for index in range(len(entries))]


# What a model reads of a message; ids, types and the speaker's name are not text.
_TEXT_FIELDS = (
    "content", "parts", "text", "thinking", "reasoning", "reasoning_content", "refusal", "summary", "arguments",
    "input", "output", "function", "tool_calls", "functionCall", "functionResponse", "args", "response", "result",
)
_VALUE_FIELDS = ("input", "args", "arguments", "response", "result")
# An object that answers to every name, or a value within itself, would never end.
_MOST_WORK, _OBJECT_WORK = 10_000, 100


def count_characters(message: Any) -> int:
    """Characters of the text that a model reads, roughly: images, audio and ids do not count."""
    waiting: list[Any] = [_fields_of(message)]
    count = work = 0
    while waiting and work < _MOST_WORK:
        value = waiting.pop()
        work += 1 if isinstance(value, (str, list, Mapping)) else _OBJECT_WORK if value is not None else 0
        if isinstance(value, str):
            count += len(value)
        elif isinstance(value, (list, tuple)):
            waiting += value
        elif value is not None and not str(first_of(value, "type") or "").startswith(("image", "input_image", "audio")):
            for name in _TEXT_FIELDS:
                found = first_of(value, name)
                # What a tool is called with has names of its own.
                is_values = name in _VALUE_FIELDS and isinstance(found, Mapping)
                waiting += [*found, *found.values()] if is_values else [found]
    return count
