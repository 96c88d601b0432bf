"""The PreCompact hook: as a callback of the Claude Agent SDK, and as the command `python -m barograph hook`."""
from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any, Callable, Mapping

from .archive import ArchiveEntry, archive_transcript, is_own_id, read_hook_input
from .client import Client, connect
from .errors import SettingError, log
from .items import Session
from .settings import SETTINGS, VERSION, read_settings, refuse_unknown_settings, text_of

_MAX_INPUT_BYTES = 4 * 1024 * 1024
_DELIVER_SECONDS = 0.5


def make_precompact_hook(
    repo_path: str | Path | None = None, *, config_folder: str | Path | None = None, session: Session | None = None,
    client: Client | None = None,
) -> Callable[..., Any]:
    """A PreCompact hook that archives the transcript, returns `{}`, and never raises. See `archive_transcript`.

    `session`: receives the reports. `client`: report to the session named by the hook's input.
    """

    def archive(hook_input: Any) -> None:
        key = read_hook_input(hook_input).session
        reported = session or (client.session(key) if client and key else None)
        archive_transcript(hook_input, repo_path=repo_path, config_folder=config_folder, session=reported)

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
        _archive_and_report()
    with contextlib.suppress(BaseException):
        os.write(1, b"{}\n")
    os._exit(0)


def _archive_and_report() -> None:
    env, given = dict(os.environ), None
    for name in [name for name in env if name.startswith("BAROGRAPH_")]:
        try:
            refuse_unknown_settings([name], SETTINGS)
        except SettingError as error:
            log.warning("%s It is ignored.", error)
            del env[name]
    with contextlib.suppress(ValueError, RecursionError):
        given = json.loads(sys.stdin.buffer.read(_MAX_INPUT_BYTES))
    hook = read_hook_input(given)
    session = _session_of(env, hook)
    archive_transcript(given, repo_path=text_of(env, "CLAUDE_PROJECT_DIR") or hook.cwd, session=session)
    if session is not None:
        session.client.close(_DELIVER_SECONDS)


def _session_of(env: Mapping[str, str], hook: ArchiveEntry) -> Session | None:
    """None if the session or the server is unknown."""
    try:
        if hook.session is None or read_settings(env).url is None:
            return None
        kind = hook.session.split(":", 1)[0]
        name = None if kind == "hook" else kind
        stated = text_of(env, "BAROGRAPH_PROJECT")
        own = name if is_own_id(hook.session.partition(":")[2]) else None
        client = connect(
            stated or _project_of(hook), name or "hook", source="hook", environ=env, version=VERSION, client=own,
            project_source="setting" if stated else "folder",
        )
        known = None if hook.client_session_id == "unknown" else hook.client_session_id
        return client.session(hook.session, lens="snapshot", client=name, client_session_id=known, folder=hook.cwd)
    except Exception as error:
        log.warning("Nothing can be reported: %s", error)
        return None


def _project_of(hook: ArchiveEntry) -> str:
    """The name of the session's start folder, which `watch` and `import` use as well."""
    folder, path = hook.cwd, hook.source
    with contextlib.suppress(OSError, ValueError):
        if path is not None and stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "rb") as file:
                # Quotes within a text are escaped, so this is a field.
                found = re.search(rb'"cwd":\s*("(?:[^"\\]|\\.)+")', file.read(64 * 1024))
            folder = json.loads(found.group(1)) if found else folder
    return re.split(r"[\\/]", (folder or "").rstrip("\\/"))[-1][:200] or "default"
