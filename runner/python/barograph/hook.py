"""The PreCompact hook: as a callback of the Claude Agent SDK, and as the command `python3 -m barograph hook`."""
from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any, Callable

from .archive import archive_transcript, log

_MAX_INPUT_BYTES = 4 * 1024 * 1024


def make_precompact_hook(
    repo_path: str | Path | None = None, *, config_folder: str | Path | None = None
) -> Callable[..., Any]:
    """A PreCompact hook that archives the transcript, returns `{}`, and never raises. See `archive_transcript`."""

    def archive(hook_input: Any) -> None:
        archive_transcript(hook_input, repo_path=repo_path, config_folder=config_folder)

    async def precompact(hook_input: Any = None, *args: Any, **kwargs: Any) -> dict[str, Any]:
        import asyncio

        try:
            # In a thread: copying a large transcript must not block other tasks.
            await asyncio.get_running_loop().run_in_executor(None, archive, hook_input)
        except Exception as error:
            log.warning("PreCompact: %s", error)
        return {}

    return precompact


precompact_hook = make_precompact_hook()
"""`make_precompact_hook` with its defaults."""


def main() -> None:
    # `hook` may be any argument: an unknown option in a client's settings must not block a compaction.
    if "hook" in sys.argv[1:]:
        run_hook()
    sys.stdout.write("Barograph for Python\n\n  python3 -m barograph hook   archive before a compaction\n")


def run_hook() -> None:
    """Archive the transcript named on stdin. Always prints `{}` and exits with 0."""
    with contextlib.suppress(BaseException):
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("barograph: %(levelname)s: %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        given = None
        with contextlib.suppress(ValueError, RecursionError):
            given = json.loads(sys.stdin.buffer.read(_MAX_INPUT_BYTES))
        archive_transcript(given, repo_path=os.environ.get("CLAUDE_PROJECT_DIR") or None)
    with contextlib.suppress(BaseException):
        os.write(1, b"{}\n")
    os._exit(0)
