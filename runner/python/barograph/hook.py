"""The PreCompact hook: as a callback of the Claude Agent SDK, and as the command `python -m barograph hook`."""
from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import select
import signal
import socket
import stat
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Mapping

from .archive import HookInput, archive_sub_agents, archive_transcript, read_hook_input, session_key_of
from .client import Client
from .make_client import connect
from .errors import UnknownSettingError, log, warn
from .session import Session
from .settings import SETTINGS, read_settings, refuse_unknown_settings, text_of
from .version import VERSION

_HOOK_SECONDS = 1.0
_MAX_INPUT_BYTES = 4 * 1024 * 1024
_DELIVER_SECONDS = 3.0


def make_precompact_hook(
    repo_path: str | Path | None = None,
    *,
    config_folder: str | Path | None = None,
    session: Session | None = None,
    client: Client | None = None,
) -> Callable[..., Any]:
    """A PreCompact hook that archives the transcript. Takes any arguments, returns `{}`, and never raises.

    `session`: where to report. `client` instead: the session named by the hook's input. See `archive_transcript`.
    """

    def archive(hook_input: Any) -> None:
        reported = session
        if reported is None and client is not None:
            key = session_key_of(read_hook_input(hook_input))
            reported = client.session(key) if key else None
        where: dict[str, Any] = {"repo_path": repo_path, "config_folder": config_folder, "session": reported}
        archive_transcript(hook_input, **where)
        archive_sub_agents(hook_input, **where)

    async def precompact(hook_input: Any = None, *args: Any, **kwargs: Any) -> dict[str, Any]:
        import asyncio

        try:
            # In a thread: copying a large transcript must not block other tasks.
            await asyncio.get_running_loop().run_in_executor(None, archive, hook_input)
        except Exception as error:
            warn("PreCompact: %s", error)
        return {}

    return precompact


precompact_hook = make_precompact_hook()
"""`make_precompact_hook` with its defaults."""


def main() -> None:
    # `hook` counts anywhere: an unknown option in a client's settings must not block a compaction.
    if "hook" in sys.argv[1:]:
        run_hook()
    sys.stdout.write("Barograph for Python\n\n  python3 -m barograph hook   archive before a compaction\n")


def run_hook() -> None:
    """Archive, print `{}` and exit with 0 within two seconds, whatever happens. Never returns."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(Exception):
            signal.signal(getattr(signal, name), lambda *_: _finish())
    try:
        deadline = time.monotonic() + _HOOK_SECONDS
        given = _read_stdin(deadline - 0.5)
        if hasattr(os, "fork"):
            _archive_in_child(given, deadline)
        else:
            worker = threading.Thread(target=_archive_and_report, args=(given, _ignore, _ignore), daemon=True)
            worker.start()
            worker.join(max(0.0, deadline - time.monotonic()))
    except BaseException:
        pass
    finally:
        _finish()


def _finish() -> None:
    with contextlib.suppress(BaseException):
        os.write(1, b"{}\n")
    os._exit(0)


def _ignore(*_: Any) -> None:
    pass


def _read_stdin(deadline: float) -> Any:
    chunks: list[bytes] = []
    with contextlib.suppress(Exception):
        while sum(map(len, chunks)) < _MAX_INPUT_BYTES and time.monotonic() < deadline:
            if os.name != "nt" and not select.select([0], [], [], max(0.0, deadline - time.monotonic()))[0]:
                break
            chunk = os.read(0, 65536)
            if not chunk:
                break
            chunks.append(chunk)
    try:
        return json.loads(b"".join(chunks))
    except (ValueError, RecursionError):
        return None


def _archive_in_child(given: Any, deadline: float) -> None:
    """The child owns the copy, and none of the hook's pipes: the client waits until they are closed."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.setsid()
            os.close(reader)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            write = lambda text: os.write(writer, text.encode("utf-8", "replace"))  # noqa: E731
            _archive_and_report(given, write, lambda: os.close(writer))
        except BaseException:
            pass
        finally:
            os._exit(0)
    os.close(writer)
    while time.monotonic() < deadline:
        if not select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
            break
        text = os.read(reader, 65536)
        if not text:
            break
        os.write(2, text)


def _archive_and_report(given: Any, write: Callable[[str], Any], done: Callable[[], Any]) -> None:
    """`write`: takes log lines. `done`: called once everything is on the disk; delivering may take longer."""

    class Relay(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            with contextlib.suppress(Exception):
                write(f"barograph: {record.levelname}: {record.getMessage()}\n")

    log.addHandler(Relay())
    log.setLevel(logging.INFO)
    env = dict(os.environ)
    for name in [name for name in env if name.startswith("BAROGRAPH_") and name not in SETTINGS]:
        try:
            refuse_unknown_settings([name], SETTINGS)
        except UnknownSettingError as error:
            warn("%s It is ignored.", error)
        del env[name]
    hook = read_hook_input(given)
    repo = text_of(env, "CLAUDE_PROJECT_DIR") or hook.cwd
    session = _session_of(env, hook)
    archive_transcript(given, repo_path=repo, session=session)
    archive_sub_agents(given, repo_path=repo, session=session)
    done()
    if session is not None:
        session.client.close(_DELIVER_SECONDS)


def _session_of(env: Mapping[str, str], hook: HookInput) -> Session | None:
    """None if the session or the server is unknown."""
    try:
        key = session_key_of(hook)
        if key is None or read_settings(env).url is None:
            return None
        kind = key.split(":", 1)[0]
        name = None if kind == "hook" else kind
        project = text_of(env, "BAROGRAPH_PROJECT") or _project_of(hook)
        client = connect(project, name or "hook", source="hook", environ=env, version=VERSION)
        session = client.session(key)
        known = None if hook.session_id == "unknown" else hook.session_id
        host = socket.gethostname()
        session.start(lens="snapshot", host=host, client=name, client_session_id=known, folder=hook.cwd)
        return session
    except Exception as error:
        warn("Nothing can be reported: %s", error)
        return None


def _project_of(hook: HookInput) -> str:
    """The name of the folder in which the session began, as `watch` and `import` derive it."""
    folder = hook.cwd
    with contextlib.suppress(OSError):
        if hook.transcript_path is not None and stat.S_ISREG(os.stat(hook.transcript_path).st_mode):
            with open(hook.transcript_path, "rb") as file:
                head = file.read(64 * 1024)
            for line in head.split(b"\n"):
                with contextlib.suppress(ValueError, RecursionError):
                    value = json.loads(line)
                    if isinstance(value, dict) and isinstance(value.get("cwd"), str) and value["cwd"]:
                        folder = value["cwd"]
                        break
    return re.split(r"[\\/]", (folder or "").rstrip("\\/"))[-1][:200] or "default"
