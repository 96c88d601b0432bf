"""Reads a chat message of any vendor's shape: role, tool calls, characters."""
from __future__ import annotations

import contextlib
import json
import re
from typing import Any, Mapping, NamedTuple, Sequence

from .vendors import first_of


class Entry(NamedTuple):
    """A message in a context."""

    message: Any
    tokens: int
    estimated: bool
    role: str
    calls: tuple[str, ...]
    answers: tuple[str, ...]


class CompressionSuggestion(NamedTuple):
    """A possible removal. `kind`: remove_old_user_messages or summarize_assistant_messages; `impact`: low or medium."""

    kind: str
    description: str
    messages: int
    tokens_saved: int
    impact: str


_ROLES = {"developer": "system", "model": "assistant", "function": "tool"}


def _fields_of(message: Any) -> Any:
    inner = first_of(message, "message")
    return inner if inner is not None and first_of(message, "role") is None and not isinstance(inner, str) else message


def _parts_of(message: Any) -> list[Any]:
    found: list[Any] = []
    for name in ("content", "parts"):
        value = first_of(message, name)
        if isinstance(value, (list, tuple)):
            found += [part for part in value if not isinstance(part, str)]
    return found


def describe_message(message: Any) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Role, ids of the tool calls it makes, ids of those it answers."""
    fields = _fields_of(message)
    role, kind = first_of(fields, "role"), str(first_of(fields, "type") or "")
    role = getattr(role, "value", role)
    made = first_of(fields, "tool_calls")
    calls = [first_of(call, "id") for call in made] if isinstance(made, (list, tuple)) else []
    answers = [first_of(fields, "tool_call_id")]
    (answers if kind.endswith("_output") else calls).append(first_of(fields, "call_id"))
    results = 0
    parts = _parts_of(fields)
    for part in parts:
        part_kind = str(first_of(part, "type") or "")
        response = first_of(part, "functionResponse", "function_response")
        if part_kind.endswith("tool_result") or part_kind == "tool-result" or response is not None:
            results += 1
            answers.append(first_of(part, "tool_use_id", "toolCallId") or first_of(response, "id"))
        elif part_kind.endswith("tool_use") or part_kind == "tool-call":
            calls.append(first_of(part, "id", "toolCallId"))
        else:
            calls.append(first_of(part, "functionCall.id", "function_call.id"))
    if isinstance(role, str) and role:
        role = _ROLES.get(role, role)
        # Anthropic sends tool results as a user's message.
        if role == "user" and results and results == len(parts):
            role = "tool"
    elif kind.endswith("_output"):
        role = "tool"
    else:
        role = "assistant" if kind.endswith("_call") or kind == "reasoning" else "unknown"
    called, answered = (tuple(each for each in ids if isinstance(each, str) and each) for ids in (calls, answers))
    return role, called, answered


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


_TEXT_FIELDS = (
    "content", "parts", "text", "thinking", "reasoning", "reasoning_content", "refusal", "summary", "arguments",
    "input", "output", "function", "tool_calls", "functionCall", "functionResponse", "args", "response", "result",
)
_VALUE_FIELDS = ("input", "args", "arguments", "response", "result")
_MAX_OBJECTS = 100


def count_characters(message: Any) -> int:
    """Characters of the text that a model reads; images, audio, ids and types do not count."""
    # Pairs of a value, and whether it is a part: a part's name is a tool's, a message's name a speaker's.
    waiting: list[tuple[Any, bool]] = [(_fields_of(message), False)]
    count = objects = 0
    # Keeps each value alive, so that ids stay unique.
    seen: dict[int, Any] = {}
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
            continue
        objects += 0 if isinstance(value, Mapping) else 1
        # An object that answers to every name would never end.
        if objects > _MAX_OBJECTS or re.match(r"(input_)?(image|audio|video|file)", str(first_of(value, "type") or "")):
            continue
        for name in (*_TEXT_FIELDS, "name") if is_part else _TEXT_FIELDS:
            found = first_of(value, name)
            if isinstance(found, Mapping) and name in _VALUE_FIELDS:
                with contextlib.suppress(TypeError, ValueError, RecursionError):
                    found = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
            if found is not None:
                waiting.append((found, True))
    return count
