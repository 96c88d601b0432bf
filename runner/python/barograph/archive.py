"""Copies a transcript before a compaction, in the format of the npm package, which uploads the copies."""
from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import logging
import os
import re
import stat
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO, Mapping

log = logging.getLogger("barograph")

_MAX_KEY_LENGTH = 400
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


@dataclass
class ArchiveEntry:
    """One attempt to archive a transcript. `state`: stored, skipped (nothing to copy) or failed. `archive`: the copy."""

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


def _text_of(value: Any) -> str | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, str) and value.strip() else None


def read_hook_input(value: Any) -> ArchiveEntry:
    """The entry for a hook's input, before the copy. Accepts any value."""
    given = value if isinstance(value, Mapping) else {}
    names = ("session_id", "trigger", "transcript_path", "cwd")
    session, trigger, path, cwd = (_text_of(given.get(name)) for name in names)
    session, trigger = (session or "unknown")[:_MAX_KEY_LENGTH], (trigger or "unknown")[:40]
    key, repo, now = _session_key_of(session, path), absolute_path(cwd or "."), _now_ms()
    return ArchiveEntry(key, session, trigger, cwd, repo, path, now)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _is_own_id(name: str) -> bool:
    """Whether a name is a UUID: the client's own id of a session, which needs no folder."""
    return re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name, re.IGNORECASE) is not None


def _session_key_of(session_id: str, path: str | None) -> str | None:
    """The session key that `watch` and `import` use for the transcript; None if unknown."""
    if path and path.endswith(".jsonl"):
        name = os.path.basename(path)[: -len(".jsonl")]
        parts = os.path.dirname(path).split(os.sep)
        if name.startswith("rollout-"):
            return _storable(f"codex:{name[-36:] if _is_own_id(name[-36:]) else name}")
        if "subagents" in parts[1:]:
            at = len(parts) - 1 - parts[::-1].index("subagents")
            parts, name = ["", *parts[: at - 1]], parts[at - 1]
        if not name.startswith("agent-"):
            return _storable(f"claude-code:{name if _is_own_id(name) else f'{parts[-1]}/{name}'}")
    return None if session_id == "unknown" else _storable(f"hook:{session_id}")


def _storable(text: str) -> str:
    """The text as the database can store it: no NUL, no lone surrogate, limited code points."""
    valid = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return valid[:_MAX_KEY_LENGTH].replace("\x00", "\ufffd")


def archive_transcript(
    hook_input: Any, *, repo_path: str | Path | None = None, config_folder: str | Path | None = None
) -> ArchiveEntry:
    """Copy the transcript named by a PreCompact hook's input. Never raises.

    The copy is `<config folder>/runs/<repo key>/archives/<session>_<UTC time>_transcript<ext>` (folders 0700, file
    0600), with a line in `<config folder>/runs/index.jsonl`. `repo_path` defaults to the client's `cwd`,
    `config_folder` to $BAROGRAPH_CONFIG_DIR, $XDG_CONFIG_HOME/barograph or ~/.config/barograph.
    """
    entry = read_hook_input(hook_input)
    entry.repo = absolute_path(repo_path) if repo_path else entry.repo
    _archive(entry, config_folder)
    return entry


def _archive(entry: ArchiveEntry, config_folder: str | Path | None) -> None:
    """Copy, index and log one file. Never raises."""
    try:
        folder = str(config_folder or _default_folder())
        _copy(entry, folder)
        _append_line(os.path.join(_make_private(folder, "runs"), "index.jsonl"), _index_line(entry))
    except Exception as error:
        if entry.state == "stored":
            log.warning("PreCompact: the index of archives could not be written: %s", error)
        else:
            entry.state, entry.reason = "failed", str(error) or type(error).__name__
            log.error("PreCompact: failed to archive the transcript %r: %s", entry.source, entry.reason)
    if entry.state == "skipped":
        log.warning("PreCompact: nothing archived for %r, %s: %r", entry.client_session_id, entry.reason, entry.source)


def _copy(entry: ArchiveEntry, config_folder: str) -> None:
    if entry.source is None:
        entry.reason = "no transcript_path was given"
        return
    source = os.path.join(absolute_path(entry.cwd or "."), os.path.expanduser(entry.source))
    try:
        # Checked before opening: opening some devices has effects.
        if not stat.S_ISREG(os.stat(source).st_mode):
            raise OSError("it is a folder, a pipe or a device, not a file")
        reader = open(source, "rb")
    except (FileNotFoundError, NotADirectoryError):
        entry.reason = "the transcript is not there"
        return
    with reader:
        key = repo_key(entry.repo)
        partials = _make_private(config_folder, "runs", key, "archives", ".partial")
        partial = os.path.join(partials, f"{os.getpid()}-{uuid.uuid4()}")
        try:
            entry.bytes, entry.lines, entry.sha256 = _copy_file(reader, partial)
            path = _reserve(os.path.dirname(partials), entry)
            os.replace(partial, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(partial)
            raise
        entry.id = copy_id_of(key, os.path.basename(path), entry.sha256)
        entry.archive, entry.state = path, "stored"
    size = (entry.bytes or 0) / 1024
    log.info("PreCompact: archived the transcript (trigger: %s) to %r (%.1f KB)", entry.trigger, path, size)


def _reserve(folder: str, entry: ArchiveEntry) -> str:
    """Create an empty file with an unused name. Returns its path."""
    moment = datetime.fromtimestamp(entry.at / 1000, timezone.utc).strftime("%Y%m%d_%H%M%S")
    for number in itertools.count(1):
        count = "" if number == 1 else f"-{number}"
        name = f"{session_name(entry.client_session_id)}_{moment}{count}_transcript{extension_of(str(entry.source))}"
        path = os.path.join(folder, name)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            break
    return path


def _make_private(base: str, *names: str) -> str:
    """Create folders below `base`, each 0700 whatever the umask. Existing parents keep their mode."""
    folder, kept = Path(base, *names), (Path(base), *Path(base).parents)
    for each in [*reversed(folder.parents), folder]:
        if not each.is_dir() or each not in kept:
            each.mkdir(0o700, exist_ok=True)
            each.chmod(0o700)
    return str(folder)


def _copy_file(reader: BinaryIO, path: str) -> tuple[int, int, str]:
    """Copy the file's current content and sync it. Returns bytes, lines and SHA-256."""
    digest, left, lines, last = hashlib.sha256(), os.fstat(reader.fileno()).st_size, 0, b"\n"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as writer:
        os.chmod(path, 0o600)
        while left > 0 and (chunk := reader.read(min(left, 1 << 20))):
            writer.write(chunk)
            digest.update(chunk)
            lines += chunk.count(b"\n")
            last = chunk[-1:]
            left -= len(chunk)
        writer.flush()
        os.fsync(writer.fileno())
        return writer.tell(), lines + (last != b"\n"), digest.hexdigest()


def _index_line(entry: ArchiveEntry) -> dict[str, Any]:
    at = datetime.fromtimestamp(entry.at / 1000, timezone.utc).isoformat(timespec="milliseconds")
    names = {"client_session_id": "clientSessionId"}
    fields = {names.get(name, name): value for name, value in vars(entry).items()}
    upload = "pending" if entry.state == "stored" else "none"
    return {"v": 1, **fields, "at": at.replace("+00:00", "Z"), "asOf": "hook", "upload": upload}


def _append_line(path: str, content: dict[str, Any]) -> None:
    """Append one JSON line in one write. Raises OSError."""
    with open(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "r+b", buffering=0) as file:
        os.chmod(path, 0o600)
        size = file.seek(0, os.SEEK_END)
        # An incomplete last line must not damage the new line.
        is_torn = size > 0 and file.seek(size - 1) >= 0 and file.read(1) != b"\n"
        text = (("\n" if is_torn else "") + json.dumps(content) + "\n").encode()
        if file.write(text) != len(text):
            raise OSError("only part of the line was written")


def copy_id_of(repo: str, file_name: str, sha256: str) -> str:
    """The id of a copy, a UUID of version 8: the same whenever the copy is found again."""
    digits = hashlib.sha256(f"{repo}/{file_name} {sha256}".encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def session_name(session_id: Any) -> str:
    """A session id as part of a file name: kept if it is safe, otherwise cleaned and with a short hash."""
    session_id = _text_of(session_id) or "unknown"
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}", session_id)
    if plain and ".." not in session_id and not _RESERVED.match(session_id):
        return session_id
    kept = re.sub(r"[^A-Za-z0-9_]+", "-", session_id[:120]).strip("-")
    return f"{kept or 'session'}-{_short_hash(session_id)}"


def extension_of(path: str) -> str:
    """The extension of a file's name, with unsafe characters replaced; `.txt` if there is none."""
    extension = re.sub(r"[^A-Za-z0-9._~+-]", "_", os.path.splitext(os.path.basename(path))[1])[:32]
    return extension if len(extension) > 1 else ".txt"


def repo_key(path: str | Path) -> str:
    """A repository's folder name: its absolute path with `-` as separator, and 8 digits of its SHA-256."""
    absolute = absolute_path(path)
    readable = re.sub(r'[\x00-\x1f\x7f-\x9f<>"|?*\ud800-\udfff]', "_", re.sub(r"[/\\:]", "-", absolute))
    while len(readable.encode("utf-8")) > 180:
        readable = readable[1:]
    return f"{readable}-{_short_hash(absolute)}"


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def absolute_path(path: str | Path) -> str:
    try:
        absolute = os.path.abspath(str(path))
    except OSError:  # The working folder was deleted.
        absolute = os.path.normpath(os.path.join("/", str(path)))
    # POSIX keeps two leading slashes.
    return re.sub(r"^//+", "/", absolute)


def _default_folder() -> str:
    """The config folder of the npm package. Raises ValueError for a setting that is not an absolute path."""
    given = os.environ.get("BAROGRAPH_CONFIG_DIR", "").strip()
    if given:
        if not os.path.isabs(given):
            raise ValueError(f'BAROGRAPH_CONFIG_DIR: "{given}" is not an absolute path.')
        return given
    base = os.environ.get("XDG_CONFIG_HOME", "").strip()
    if not os.path.isabs(base):
        base = os.path.join(os.environ.get("HOME") or os.path.expanduser("~"), ".config")
    if not os.path.isabs(base):
        raise ValueError("HOME: this account has no home folder.")
    return os.path.join(base, "barograph")
