"""Reports model calls to a Barograph server over OTLP.

BAROGRAPH_URL is the server's address, BAROGRAPH_TOKEN a token of the scope `ingest`, BAROGRAPH_PROJECT the project
(default: python). This file needs no other file of the package.
"""
from __future__ import annotations

import functools
import json
import logging
import os
import time
import urllib.request
import uuid
from typing import Any, Callable, Mapping

log = logging.getLogger("barograph")
_TIMEOUT_SECONDS = 5
_MAX_ANSWER_BYTES = 64 * 1024


def _never_raises(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except Exception as error:
            log.warning("A call was not reported to Barograph: %s", error)

    return call


@_never_raises
def report(
    session: str, agent: str, answer: Any, input_tokens: int, output_tokens: int, cache_read: int = 0,
    cache_creation: int = 0,
) -> None:
    """Report one model call. Never raises; a failure is logged as a warning.

    `session`: any text that identifies the conversation. `agent`: the first agent of a session is its main chain.
    `answer`: has `id` and `model`, as fields or keys. A call with a known id is counted once; without an id, each report
    counts. Counts are tokens, and the input includes the cached tokens. Waits for the server, and gives up after 5 seconds
    without an answer.
    """
    missing = [name for name in ("BAROGRAPH_URL", "BAROGRAPH_TOKEN") if not os.environ.get(name)]
    if missing:
        raise ValueError(f"{' and '.join(missing)} must be set")
    read = min(cache_read or 0, input_tokens)
    facts = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": session,
        "gen_ai.agent.name": agent,
        "gen_ai.response.id": _field(answer, "id"),
        "gen_ai.response.model": _field(answer, "model"),
        "gen_ai.usage.input_tokens": input_tokens,
        "gen_ai.usage.output_tokens": output_tokens,
        # The server takes a cached part above the input for tokens that the input excludes.
        "gen_ai.usage.cache_read.input_tokens": read,
        "gen_ai.usage.cache_creation.input_tokens": min(cache_creation or 0, input_tokens - read),
    }
    span = {
        "traceId": uuid.uuid4().hex,
        "spanId": uuid.uuid4().hex[:16],
        "name": "chat",
        "endTimeUnixNano": str(time.time_ns()),
        "attributes": _attributes(facts),
    }
    resource = {"attributes": _attributes({"barograph.project": os.environ.get("BAROGRAPH_PROJECT") or "python"})}
    _send({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]})


@_never_raises
def report_anthropic(session: str, agent: str, message: Any) -> None:
    """Report a message of Anthropic's Messages API. Its input excludes the cached tokens. Otherwise like `report`."""
    usage = _usage_of(message, "usage")
    if usage is not None:
        read, created = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
        total = _count(usage, "input_tokens") + read + created
        report(session, agent, message, total, _count(usage, "output_tokens"), read, created)


@_never_raises
def report_openai(session: str, agent: str, answer: Any) -> None:
    """Report a chat completion, or an answer of OpenAI's Responses API. Otherwise like `report`."""
    usage = _usage_of(answer, "usage")
    if usage is not None:
        is_chat = _field(usage, "prompt_tokens") is not None
        given, made = ("prompt_tokens", "completion_tokens") if is_chat else ("input_tokens", "output_tokens")
        details = _field(usage, f"{given}_details")
        cached = _count(details, "cached_tokens"), _count(details, "cache_write_tokens")
        report(session, agent, answer, _count(usage, given), _count(usage, made), *cached)


@_never_raises
def report_langchain(session: str, agent: str, message: Any) -> None:
    """Report an `AIMessage` of LangChain. Its input includes the cached tokens. Otherwise like `report`."""
    usage = _usage_of(message, "usage_metadata")
    if usage is not None:
        details, about = _field(usage, "input_token_details"), _field(message, "response_metadata")
        # For Anthropic, LangChain states 0 written tokens, and the real ones by lifetime.
        names = "cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"
        general, *by_lifetime = (_count(details, name) for name in names)
        cached = _count(details, "cache_read"), general or sum(by_lifetime)
        answer = {
            "id": _field(about, "id") or _field(message, "id"),
            "model": _field(about, "model_name") or _field(about, "model"),
        }
        report(session, agent, answer, _count(usage, "input_tokens"), _count(usage, "output_tokens"), *cached)


def _field(value: Any, name: str) -> Any:
    """A field of an object or a mapping; None if absent."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _count(usage: Any, name: str) -> int:
    return int(_field(usage, name) or 0)


def _usage_of(message: Any, name: str) -> Any:
    usage = _field(message, name)
    if usage is None:
        log.warning("A message without usage was not reported to Barograph.")
    return usage


def _attributes(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    kind = lambda value: "intValue" if isinstance(value, int) else "stringValue"  # noqa: E731
    return [{"key": key, "value": {kind(value): str(value)}} for key, value in facts.items() if value is not None]


def _send(request: Mapping[str, Any]) -> None:
    """Post an OTLP request. Raises what `urllib` raises, and ValueError for a refused call."""
    url = f"{os.environ['BAROGRAPH_URL'].rstrip('/')}/v1/traces"
    post = urllib.request.Request(url, json.dumps(request).encode(), {"Content-Type": "application/json"})
    # A redirect to another address must not receive the token.
    post.add_unredirected_header("Authorization", f"Bearer {os.environ['BAROGRAPH_TOKEN']}")
    with urllib.request.urlopen(post, timeout=_TIMEOUT_SECONDS) as response:
        partial = json.loads(response.read(_MAX_ANSWER_BYTES)).get("partialSuccess") or {}
    if partial:
        raise ValueError(partial.get("errorMessage") or "the server refused it")
