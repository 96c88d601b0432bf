"""Finds the checkpoint in an agent's answer."""
from __future__ import annotations

import re

_OPENING = re.compile(r"<checkpoint(?:\s[^<>]*)?>", re.IGNORECASE)
_OPENING_OF_LINE = re.compile(r"^[ \t]*(<checkpoint(?:\s[^<>]*)?>)", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(r"</checkpoint\s*>", re.IGNORECASE)


def extract_checkpoint(text: str | None) -> str:
    """The checkpoint in an agent's answer, trimmed; empty if there is none: then continue with a minimal prompt.

    The content of the first `<checkpoint>` at the start of a line, else of the first one, up to its end tag or the end;
    without a tag the whole answer. A code fence around the answer or the content is removed.
    """
    answer = _strip_fence((text or "").strip())
    opening = _OPENING_OF_LINE.search(answer) or _OPENING.search(answer)
    if opening:
        closing = _CLOSING.search(answer, opening.end())
        answer = answer[opening.end() : closing.start() if closing else len(answer)]
    return _strip_fence(answer.strip()).strip()


def _strip_fence(text: str) -> str:
    """Remove a code fence around the whole text."""
    lines = text.split("\n")
    if len(lines) < 2 or not re.match(r"```[^`]*$", lines[0].strip()):
        return text
    depth = 0
    for index, line in enumerate(lines):
        mark = line.strip()
        if mark == "```" and index > 0:
            depth -= 1
        elif re.match(r"```[^`]*$", mark):
            depth += 1
        if depth == 0:
            return "\n".join(lines[1:-1]).strip() if index == len(lines) - 1 else text
    return text
