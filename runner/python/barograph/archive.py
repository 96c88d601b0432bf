"""Copies transcripts and their sub-agents' files before a compaction, in the format of all Barograph clients."""
from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import guard, info, log, warn
from .files import append_line, copy_file, hash_file, make_private, place, remove_stale
from .items import now_ms, storable
from .names import repo_key
from .settings import absolute_path, config_folder as default_folder
from .vendors import field_of

if TYPE_CHECKING:
    from .session import Session

_MAX_SUB_AGENTS = 1_000


@dataclass
class ArchiveEntry:
    """One attempt to archive a file.

    `state`: stored, skipped (nothing to copy) or failed; `reason` says why. `archive`: absolute path of the copy, with
    its `bytes`, `lines` and `sha256`. `at`: milliseconds. `agent`: the sub-agent that wrote the file.
    """

    session: str | None
    client_session_id: str
    trigger: str
    cwd: str | None
    repo: str
    source: str | None
    at: int
    state: str = "skipped"
    reason: str | None = None
    archive: str | None = None
    bytes: int | None = None
    lines: int | None = None
    sha256: str | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    agent: str | None = None


class HookInput(NamedTuple):
    """The input of a client's hook. `trigger`: auto, manual or unknown."""

    session_id: str
    transcript_path: str | None
    trigger: str
    cwd: str | None
    agent_id: str | None


def read_hook_input(value: Any) -> HookInput:
    def text(name: str) -> str | None:
        found = field_of(value, name) if value is not None else None
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            found = str(found)
        return found if isinstance(found, str) and found.strip() else None

    agent = text("agent_id")
    session, trigger = (text("session_id") or "unknown")[:400], (text("trigger") or "unknown")[:40]
    return HookInput(session, text("transcript_path"), trigger, text("cwd"), agent and agent[:400])


def session_key_of(given: HookInput) -> str | None:
    """The key under which the transcript is followed and imported; None if unknown."""
    path = given.transcript_path
    if path and path.endswith(".jsonl"):
        name = os.path.basename(path)[: -len(".jsonl")]
        parts = os.path.dirname(path).split(os.sep)
        if name.startswith("rollout-"):
            return storable(f"codex:{name}", 400)
        if "subagents" in parts[1:]:
            at = len(parts) - 1 - parts[::-1].index("subagents")
            return storable(f"claude-code:{parts[at - 2] if at > 1 else ''}/{parts[at - 1]}", 400)
        if not name.startswith("agent-"):
            return storable(f"claude-code:{parts[-1]}/{name}", 400)
    return None if given.session_id == "unknown" else storable(f"hook:{given.session_id}", 400)


def archive_transcript(
    hook_input: Any,
    *,
    repo_path: str | Path | None = None,
    config_folder: str | Path | None = None,
    session: Session | None = None,
) -> ArchiveEntry:
    """Copy the transcript named by a PreCompact hook's input. Never raises.

    The copy is `<config folder>/runs/<repo key>/archives/<session>_<UTC time>_transcript<ext>` (folders 0700, file
    0600), with a line in `<config folder>/runs/index.jsonl`. `repo_path` defaults to the client's `cwd`,
    `config_folder` to $BAROGRAPH_CONFIG_DIR, $XDG_CONFIG_HOME/barograph or ~/.config/barograph. The pending compaction
    and the archive are reported to `session`.
    """
    given = read_hook_input(hook_input)
    repo = absolute_path(repo_path or given.cwd or ".")
    key = getattr(session, "key", None) or session_key_of(given)
    entry = ArchiveEntry(key, given.session_id, given.trigger, given.cwd, repo, given.transcript_path, now_ms())
    known = given.trigger if given.trigger in ("auto", "manual") else None
    if session is not None and known:
        report = lambda: session.compaction(known, "pending", at=entry.at, chain=given.agent_id)  # noqa: E731
        guard(report, "A compaction could not be reported")
    _archive(entry, config_folder)
    if session is not None:
        facts: dict[str, Any] = {
            "at": now_ms(), "trigger": known, "reason": entry.reason, "path": entry.archive,
            "bytes": entry.bytes, "lines": entry.lines, "sha256": entry.sha256,
        }
        guard(lambda: session.archive(entry.state, **facts), "An archive could not be reported")
    return entry


def archive_sub_agents(
    hook_input: Any,
    *,
    repo_path: str | Path | None = None,
    config_folder: str | Path | None = None,
    session: Session | None = None,
) -> list[ArchiveEntry]:
    """Copy the changed files of the session's sub-agents. Never raises. Parameters as for `archive_transcript`."""
    made: list[ArchiveEntry] = []
    try:
        given = read_hook_input(hook_input)
        key = getattr(session, "key", None) or session_key_of(given)
        if key is None or given.transcript_path is None:
            return made
        repo = absolute_path(repo_path or given.cwd or ".")
        found = _find_sub_agents(_locate(given.transcript_path, given.cwd))
        last = _last_archives(str(config_folder or default_folder(os.environ))) if found else {}
        for path, agent in found:
            known = last.get(path, {})
            if known.get("bytes") == os.path.getsize(path) and known.get("sha256") == hash_file(path):
                continue
            entry = ArchiveEntry(key, given.session_id, given.trigger, given.cwd, repo, path, now_ms(), agent=agent)
            _archive(entry, config_folder)
            made.append(entry)
    except Exception as error:
        warn("PreCompact: sub-agents were not archived: %s", error)
    return made


def _archive(entry: ArchiveEntry, config_folder: str | Path | None) -> None:
    """Copy, index and log one file. Never raises."""
    try:
        folder = str(config_folder or default_folder(os.environ))
        _copy(entry, folder)
        append_line(make_private(folder, "runs"), "index.jsonl", _index_line(entry))
    except Exception as error:
        if entry.state == "stored":
            warn("PreCompact: the index of archives could not be written: %s", error)
        else:
            entry.state, entry.reason = "failed", str(error) or type(error).__name__
    if entry.state == "stored":
        size = (entry.bytes or 0) / 1024
        info("PreCompact: archived the transcript (trigger: %s) to %r (%.1f KB)", entry.trigger, entry.archive, size)
    elif entry.state == "skipped":
        warn("PreCompact: nothing archived for %r, %s: %r", entry.client_session_id, entry.reason, entry.source)
    else:
        with contextlib.suppress(Exception):
            log.error("PreCompact: failed to archive the transcript %r: %s", entry.source, entry.reason)


def _copy(entry: ArchiveEntry, config_folder: str) -> None:
    if entry.source is None:
        entry.reason = "no transcript_path was given"
        return
    source = _locate(entry.source, entry.cwd)
    try:
        # Checked before opening: opening some devices has effects.
        if not stat.S_ISREG(os.stat(source).st_mode):
            raise OSError("it is a folder, a pipe or a device, not a file")
        reader = open(source, "rb")
    except (FileNotFoundError, NotADirectoryError):
        entry.reason = "the transcript is not there"
        return
    with reader:
        folder = make_private(config_folder, "runs", repo_key(entry.repo), "archives")
        partials = make_private(folder, ".partial")
        partial = os.path.join(partials, f"{uuid.uuid4()}.part")
        try:
            entry.bytes, entry.lines, entry.sha256 = copy_file(reader, partial)
            entry.archive = place(partial, folder, entry.client_session_id, entry.at, entry.source)
            entry.state = "stored"
        finally:
            with contextlib.suppress(OSError):
                os.unlink(partial)
            remove_stale(partials, time.time() - 3600)


def _index_line(entry: ArchiveEntry) -> dict[str, Any]:
    at = datetime.fromtimestamp(entry.at / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return {
        "v": 1, "id": entry.id, "at": f"{at}.{entry.at % 1000:03d}Z", "state": entry.state, "reason": entry.reason,
        "session": entry.session, "clientSessionId": entry.client_session_id, "trigger": entry.trigger,
        "cwd": entry.cwd, "repo": entry.repo, "source": entry.source, "archive": entry.archive, "bytes": entry.bytes,
        "lines": entry.lines, "sha256": entry.sha256, "asOf": "hook",
        "upload": "pending" if entry.state == "stored" else "none",
        **({} if entry.agent is None else {"agent": entry.agent}),
    }


def _locate(path: str, cwd: str | None) -> str:
    expanded = os.path.expanduser(path)
    return expanded if os.path.isabs(expanded) else os.path.join(absolute_path(cwd or "."), expanded)


def _find_sub_agents(transcript: str) -> list[tuple[str, str]]:
    """Path and id of each: below `<session>/subagents/`; for older clients, files beside it that name the session."""
    if not transcript.endswith(".jsonl") or os.path.basename(transcript).startswith("agent-"):
        return []
    session = transcript[: -len(".jsonl")]
    walk = os.walk(os.path.join(session, "subagents"))
    inside = sorted(os.path.join(folder, name) for folder, _, names in walk for name in names)
    beside: list[str] = []
    with contextlib.suppress(OSError):
        folder = os.path.dirname(transcript)
        beside = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    found = [path for path in inside if _is_agent_file(path)]
    found += [path for path in beside if _is_agent_file(path) and _names_session(path, os.path.basename(session))]
    return [(path, os.path.basename(path)[len("agent-") : -len(".jsonl")]) for path in found[:_MAX_SUB_AGENTS]]


def _is_agent_file(path: str) -> bool:
    is_named = re.fullmatch(r"agent-.+\.jsonl", os.path.basename(path)) is not None
    # Links are not followed.
    return is_named and not os.path.islink(path) and os.path.isfile(path)


def _names_session(path: str, session: str) -> bool:
    try:
        with open(path, "rb") as file:
            line = json.loads(file.readline(1 << 20))
    except (OSError, ValueError):
        return False
    return isinstance(line, dict) and line.get("sessionId") == session and line.get("isSidechain") is True


def _last_archives(config_folder: str) -> dict[str, dict[str, Any]]:
    """The last stored archive of each file, by its path."""
    last: dict[str, dict[str, Any]] = {}
    with contextlib.suppress(OSError):
        with open(os.path.join(config_folder, "runs", "index.jsonl"), "rb") as file:
            for text in file:
                with contextlib.suppress(ValueError):
                    line = json.loads(text)
                    if isinstance(line, dict) and line.get("state") == "stored" and isinstance(line.get("source"), str):
                        last[line["source"]] = line
    return last
