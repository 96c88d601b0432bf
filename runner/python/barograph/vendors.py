"""Reads usage and chat messages in the shape of any vendor."""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

from .errors import MAX_COUNT, as_count


class TurnUsage(NamedTuple):
    """The tokens of one call, with the same meaning for all vendors.

    `input`: without reads and writes of the prompt cache. `output`: with reasoning. `context_tokens`: the size of the
    context after the call, or None if unknown.
    """

    input: int
    output: int
    cache_read: int
    cache_creation: int
    context_tokens: int | None


MISSING: Any = object()


def field_of(value: Any, path: str) -> Any:
    """A field of a mapping or an object, nested fields by dots; MISSING if absent."""
    for name in path.split("."):
        try:
            value = value.get(name, MISSING) if isinstance(value, Mapping) else getattr(value, name, MISSING)
        except Exception:  # A property may raise.
            return MISSING
        if value is None or value is MISSING:
            return value
    return value


def first_of(value: Any, *paths: str) -> Any:
    """The first field that is neither absent nor None."""
    found = (field_of(value, path) for path in paths)
    return next((each for each in found if each is not MISSING and each is not None), None)


def text_of(value: Any, *paths: str) -> str | None:
    """The first such field, if it is a text that is not empty."""
    found = first_of(value, *paths)
    return found if isinstance(found, str) and found else None


# Fields of input, output, cache read, cache creation and total (a blank separates alternatives), and whether the
# input includes the cached part.
_SHAPES: dict[str, tuple[str, str, str, str, str, bool]] = {
    "anthropic": ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "", False),
    "openai-chat": (
        "prompt_tokens", "completion_tokens",
        "prompt_tokens_details.cached_tokens prompt_cache_hit_tokens cached_tokens",
        "prompt_tokens_details.cache_write_tokens", "total_tokens", True,
    ),
    "openai-responses": (
        "input_tokens", "output_tokens", "input_tokens_details.cached_tokens",
        "input_tokens_details.cache_write_tokens", "total_tokens", True,
    ),
    "openai-agents": (
        "inputTokens input_tokens", "outputTokens output_tokens",
        "inputTokensDetails.cached_tokens input_tokens_details.cached_tokens",
        "inputTokensDetails.cache_write_tokens input_tokens_details.cache_write_tokens",
        "totalTokens total_tokens", True,
    ),
    "gemini": (
        "promptTokenCount prompt_token_count", "candidatesTokenCount candidates_token_count",
        "cachedContentTokenCount cached_content_token_count", "", "totalTokenCount total_token_count", True,
    ),
    "codex": ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens", "total_tokens", True),
    "opencode": ("input", "output", "cache.read", "cache.write", "total", False),
}
VENDORS: tuple[str, ...] = tuple(_SHAPES)

# Some servers include reasoning in the output, others count it separately; the total shows which.
_REASONING = {"openai-chat": "completion_tokens_details.reasoning_tokens", "opencode": "reasoning"}

# Fields that identify the shape of each vendor; the first match wins.
_MARKS = (
    ("openai-chat", ("prompt_tokens", "completion_tokens")),
    ("codex", ("cached_input_tokens", "cache_write_input_tokens", "reasoning_output_tokens")),
    ("anthropic", ("cache_read_input_tokens", "cache_creation_input_tokens")),
    ("openai-responses", ("input_tokens_details", "total_tokens")),
    ("openai-agents", ("inputTokens", "outputTokens", "inputTokensDetails")),
    ("gemini", ("promptTokenCount", "totalTokenCount", "prompt_token_count", "total_token_count")),
    ("opencode", ("cache.read", "cache.write", "reasoning")),
    ("anthropic", ("input_tokens", "output_tokens")),
)
USAGE_PLACES = ("usage", "usageMetadata", "usage_metadata", "tokens", "response.usage", "part.tokens", "message.usage")
# Names that other objects also have.
_COMMON_NAMES = ("input", "output", "reasoning")


def read_usage(usage: Any, vendor: str | None = None) -> TurnUsage | None:
    """Read a vendor's usage of one call: a mapping or an object; absent and null fields are 0.

    `vendor`: one of VENDORS; default: detected from the fields. OpenAI, Codex and Gemini include the cached part in the
    input; it is subtracted. Returns None if there is no usage. Raises CountError, ValueError for an unknown vendor.
    """
    vendor = vendor_of(usage) if vendor is None and usage is not None else vendor
    if usage is None or vendor is None:
        return None
    if vendor not in _SHAPES:
        raise ValueError(f'Unknown vendor "{vendor}": one of {", ".join(VENDORS)}')

    def count(name: str, paths: str) -> int:
        return as_count(first_of(usage, *paths.split()), name)

    *paths, includes_cache = _SHAPES[vendor]
    names = ("input", "output", "cacheRead", "cacheCreation", "output")
    given, output, read, created, total = (count(name, path) for name, path in zip(names, paths))
    if vendor == "gemini":
        given += count("input", "toolUsePromptTokenCount tool_use_prompt_token_count")
        output += count("output", "thoughtsTokenCount thoughts_token_count")
    reasoning = count("output", _REASONING.get(vendor, ""))
    if total == given + output + reasoning + (0 if includes_cache else read + created):
        output += reasoning
    if includes_cache and given > 0:
        given = max(0, given - max(0, read) - max(0, created))
    size = total if total > 0 else sum(max(0, part) for part in (given, output, read, created))
    return TurnUsage(given, output, read, created, size if 0 < size <= MAX_COUNT else None)


def vendor_of(usage: Any) -> str | None:
    """The vendor of these fields, or None."""
    found = (vendor for vendor, marks in _MARKS if any(field_of(usage, mark) is not MISSING for mark in marks))
    # An empty usage is a turn with counts of 0.
    return next(found, "anthropic" if isinstance(usage, Mapping) and not usage else None)


def is_usage(value: Any) -> bool:
    """Whether a value has fields of a usage, or consists of numbers."""
    counts = list(value.values()) if isinstance(value, Mapping) else []
    if counts and all(isinstance(count, (int, float)) for count in counts):
        return True
    found = ((mark, field_of(value, mark)) for _, marks in _MARKS for mark in marks)
    return any(
        isinstance(count, (int, float)) or (count is not MISSING and mark not in _COMMON_NAMES) for mark, count in found
    )


def is_of_one_call(kind: str, vendor: str | None) -> bool:
    """Whether the usage of a message covers a single call; the size of that call is the size of the context."""
    if kind in ("result", "turn.completed"):
        return False
    calls = ("assistant", "message", "response", "response.completed", "step_finish", "chat.completion")
    return kind in (*calls, "chat.completion.chunk") or vendor in _CALL_VENDORS


def find_usage(message: Any) -> Any:
    """The usage in a message, or the message itself if it has no such field."""
    found = (field_of(message, place) for place in USAGE_PLACES)
    return next((usage for usage in found if usage is not MISSING), message)


class Entry(NamedTuple):
    """A message in a context."""

    message: Any
    tokens: int
    role: str
    calls: list[str]
    answers: list[str]


# Vendors that report the usage of one call; its input is the whole prompt.
_CALL_VENDORS = ("openai-chat", "openai-responses", "gemini", "opencode")
_ROLES = {"developer": "system", "model": "assistant", "function": "tool"}
_CALLED = ("id", "toolCallId", "call_id", "functionCall.id", "function_call.id")
_ANSWERED = ("tool_use_id", "toolCallId", "tool_call_id", "call_id", "functionResponse.id", "function_response.id")


def fields_of(message: Any) -> Any:
    """The message, unwrapped if an SDK wraps it."""
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
    """The message's role, the ids of its tool calls, and the ids of the calls that it answers."""
    fields = fields_of(message)
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
        by_model = kind.endswith(("_call", "reasoning"))
        role = "assistant" if by_model else "tool" if kind.endswith("_output") else "unknown"
    called, answered = [first_of(call, *_CALLED) for call in calls], [first_of(part, *_ANSWERED) for part in answers]
    return role, [each for each in called if isinstance(each, str)], [each for each in answered if isinstance(each, str)]


def group_entries(entries: Sequence[Entry]) -> list[int]:
    """The group of each message, named by the index of its oldest message. A group is removed as a whole."""
    oldest: list[int] = []
    callers: dict[str, int] = {}
    for index, entry in enumerate(entries):
        joined = {oldest[callers[answered]] for answered in entry.answers if answered in callers}
        first = min(joined, default=index)
        oldest.append(first)
        if len(joined) > 1:
            oldest = [first if each in joined else each for each in oldest]
        callers.update(dict.fromkeys(entry.calls, index))
    return oldest
