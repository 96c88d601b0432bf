"""The PreCompact archive as callback and as command: it copies, and never blocks a compaction."""
from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import barograph as b  # noqa: E402
from barograph import archive  # noqa: E402

# Without a handler, Python prints the warnings of each test.
logging.getLogger("barograph").addHandler(logging.NullHandler())
VECTOR_FOLDERS = (HERE.parent.parent / "core" / "vectors", HERE.parent / "dist" / "vectors")
VECTORS = next(folder for folder in VECTOR_FOLDERS if folder.is_dir())
NAMES = json.loads((VECTORS / "archive-name.json").read_text(encoding="utf-8"))


class ArchiveCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="barograph-archive-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.config = os.path.join(self.folder, "config")
        self.transcript = os.path.join(self.folder, "session.jsonl")
        Path(self.transcript).write_bytes(b'{"type":"user"}\n{"type":"assistant"}')

    def input(self, **more: Any) -> Dict[str, Any]:
        given = {"session_id": "abc-1", "transcript_path": self.transcript, "trigger": "auto", "cwd": "/src/app"}
        return {**given, "hook_event_name": "PreCompact", "custom_instructions": None, **more}

    def archive(self, given: Any, **options: Any) -> b.ArchiveEntry:
        return b.archive_transcript(given, **{"config_folder": self.config, **options})

    def archives(self) -> List[Path]:
        return sorted(Path(self.config).glob("runs/*/archives/*_transcript*"))

    def index(self) -> List[Dict[str, Any]]:
        # Skip the empty line that follows an incomplete line.
        lines = Path(self.config, "runs", "index.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if line]


class NameVectors(unittest.TestCase):
    def test_vectors(self) -> None:
        """agrees with the shared vectors of names"""
        for case in NAMES["cases"]:
            given, expected = case["given"], case["expect"]
            with self.subTest(case["name"]):
                if given["kind"] == "session":
                    name, safe = archive.session_name(given.get("sessionId")), r"(?!\.)[A-Za-z0-9._-]{1,150}"
                elif given["kind"] == "repo":
                    name, safe = archive.repo_key(given["path"]), r""
                elif given["kind"] == "copy":
                    name, safe = archive.copy_id_of(given["repo"], given["path"], given["sha256"]), r""
                else:
                    name, safe = archive.extension_of(given["path"]), r"\.[A-Za-z0-9._~+-]{1,31}"
                if "equals" in expected:
                    self.assertEqual(name, expected["equals"])
                else:
                    self.assertRegex(name, rf"^{safe}\Z")


class ArchiveTests(ArchiveCase):
    def test_copy(self) -> None:
        """copies the whole transcript to a path of repository key, session name and time"""
        entry = self.archive(self.input())
        content = Path(self.transcript).read_bytes()
        self.assertEqual((entry.state, entry.bytes, entry.lines), ("stored", len(content), 2))
        self.assertEqual(entry.sha256, hashlib.sha256(content).hexdigest())
        path = Path(entry.archive or "")
        self.assertEqual(path.read_bytes(), content)
        self.assertEqual(os.listdir(path.parent / ".partial"), [])
        key = archive.repo_key("/src/app")
        self.assertEqual(entry.id, archive.copy_id_of(key, path.name, entry.sha256 or ""))
        self.assertEqual(path.parent, Path(self.config, "runs", archive.repo_key("/src/app"), "archives"))
        self.assertRegex(path.name, NAMES["archiveName"].replace("<session>", "abc-1").replace("<extension>", ".jsonl"))

    def test_rights(self) -> None:
        """creates folders with 0700 and files with 0600 under any umask"""
        for umask in (0o000, 0o022, 0o077, 0o777):
            config = os.path.join(self.folder, f"deep/er/{umask}")
            before = os.umask(umask)
            try:
                entry = self.archive(self.input(), config_folder=config)
            finally:
                os.umask(before)
            self.assertEqual(entry.state, "stored", entry.reason)
            path = Path(entry.archive or "")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(Path(config, "runs", "index.jsonl").stat().st_mode), 0o600)
            for parent in (path.parent, path.parent.parent, Path(config, "runs"), Path(config)):
                self.assertEqual(stat.S_IMODE(parent.stat().st_mode), 0o700, parent)

    def test_names(self) -> None:
        """gives unique names to a hundred archives of one session in one second"""
        with mock.patch("barograph.archive._now_ms", lambda: 1_767_614_400_000), mock.patch.object(os, "fsync", lambda _: None):
            work = lambda: [self.archive(self.input()) for _ in range(25)]  # noqa: E731
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        paths = self.archives()
        self.assertEqual(len(paths), 100)
        self.assertEqual({path.read_bytes() for path in paths}, {Path(self.transcript).read_bytes()})
        self.assertEqual(len(self.index()), 100)

    def test_triggers(self) -> None:
        """archives for both triggers"""
        for trigger in ("auto", "manual"):
            with self.assertLogs("barograph", "INFO") as logs:
                entry = self.archive(self.input(trigger=trigger))
            self.assertEqual(entry.state, "stored")
            self.assertIn(f"trigger: {trigger}", logs.output[0])
            self.assertRegex(logs.output[0], r"INFO.*\(0\.0 KB\)")
            self.assertIn(repr(entry.archive), logs.output[0])

    def test_missing(self) -> None:
        """skips a missing path or file with a warning"""
        for path, reason in (
            (None, "no transcript_path was given"), ("", "no transcript_path was given"),
            ("/nowhere/at.all", "the transcript is not there"), (self.transcript + "/x", "the transcript is not there"),
        ):
            with self.assertLogs("barograph", "WARNING") as logs:
                entry = self.archive(self.input(transcript_path=path))
            self.assertEqual((entry.state, entry.reason, entry.archive), ("skipped", reason, None))
            self.assertIn(reason, logs.output[0])
            self.assertIn("WARNING", logs.output[0])
        self.assertEqual(self.archives(), [])

    def test_unreadable(self) -> None:
        """fails with an error and no partial copy if the source is not a file or cannot be copied"""
        pipe = os.path.join(self.folder, "pipe.jsonl")
        os.mkfifo(pipe)
        for path in (self.folder, pipe):
            with self.assertLogs("barograph", "ERROR"):
                self.assertEqual(self.archive(self.input(transcript_path=path)).state, "failed")
        with mock.patch("barograph.archive._copy_file", side_effect=OSError(28, "No space left on device")):
            with self.assertLogs("barograph", "ERROR") as logs:
                entry = self.archive(self.input())
        self.assertEqual(entry.state, "failed")
        self.assertIn("No space left", entry.reason or "")
        self.assertIn("No space left", logs.output[0])
        self.assertEqual(self.archives(), [])

    def test_any_input(self) -> None:
        """accepts any input"""
        class Trap:
            def __getattr__(self, name: str) -> Any:
                raise RuntimeError("no such luck")

        for given in (None, 5, "text", [], {}, {"session_id": []}, Trap(), self.input(session_id="../../etc/passwd")):
            entry = self.archive(given)
            self.assertIn(entry.state, ("skipped", "stored"))
        for path in Path(self.folder).rglob("*"):
            self.assertTrue(str(path.resolve()).startswith(os.path.realpath(self.folder)))
        self.assertEqual(len(self.archives()), 1)

    def test_index(self) -> None:
        """adds an index line for every attempt, also after an incomplete line"""
        self.archive(self.input())
        with open(os.path.join(self.config, "runs", "index.jsonl"), "ab") as file:
            file.write(b'{"v":1,"id":"torn')
        self.archive(self.input(transcript_path=None))
        lines = Path(self.config, "runs", "index.jsonl").read_text().splitlines()
        entries = [json.loads(lines[0]), json.loads(lines[2])]
        self.assertEqual([entry["state"] for entry in entries], ["stored", "skipped"])
        self.assertEqual([entry["upload"] for entry in entries], ["pending", "none"])
        self.assertEqual(entries[0]["clientSessionId"], "abc-1")
        self.assertRegex(entries[0]["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(entries[0]["repo"], "/src/app")

    def test_config_folder(self) -> None:
        """uses the config folder of the npm package, and refuses one that is not absolute"""
        home = os.path.join(self.folder, "home")
        for environ, folder in (
            ({"HOME": home}, f"{home}/.config/barograph"), ({"XDG_CONFIG_HOME": f"{home}/x"}, f"{home}/x/barograph"),
            ({"BAROGRAPH_CONFIG_DIR": f"{home}/y/", "HOME": home}, f"{home}/y"),
        ):
            with mock.patch.dict(os.environ, environ, clear=True):
                path = b.archive_transcript(self.input()).archive or ""
            self.assertEqual(os.path.normpath(path).split("/runs/")[0], folder)
        with mock.patch.dict(os.environ, {"BAROGRAPH_CONFIG_DIR": "runs"}), self.assertLogs("barograph", "ERROR"):
            self.assertIn("not an absolute path", b.archive_transcript(self.input()).reason or "")

    def test_session_keys(self) -> None:
        """derives the same session key as `watch`"""
        own = "11111111-1111-4111-8111-111111111111"
        for path, key in (
            (f"/h/.claude/projects/-src-app/{own}.jsonl", f"claude-code:{own}"),
            (f"/h/.claude/projects/-src-app/{own}/subagents/agent-7.jsonl", f"claude-code:{own}"),
            (f"/h/.codex/sessions/rollout-2026-01-05T12-00-00-{own}.jsonl", f"codex:{own}"),
            ("/h/.claude/projects/-src-app/0f8f.jsonl", "claude-code:-src-app/0f8f"),
            ("/h/.claude/projects/-src-app/0f8f/subagents/agent-7.jsonl", "claude-code:-src-app/0f8f"),
            ("/h/.codex/sessions/2026/01/05/rollout-x.jsonl", "codex:rollout-x"), ("/t/agent-7.jsonl", "hook:abc-1"),
            ("/t/session.md", "hook:abc-1"), (None, "hook:abc-1"),
        ):
            self.assertEqual(self.archive(self.input(transcript_path=path)).session, key)
        self.assertIsNone(self.archive({}).session)


class CallbackTests(ArchiveCase):
    def test_callback(self) -> None:
        """archives and returns an empty object for any arguments"""
        hook = b.make_precompact_hook("/repo", config_folder=self.config)

        async def call() -> List[Any]:
            return [
                await hook(self.input(), "tool-use-id", {"signal": None}), await hook(self.input(), context=1),
                await hook(), await hook(object()),
            ]

        self.assertEqual(asyncio.run(call()), [{}, {}, {}, {}])
        self.assertEqual(len(self.archives()), 2)
        self.assertEqual(self.archives()[0].parent.parent.name, archive.repo_key("/repo"))

    def test_failure(self) -> None:
        """returns an empty object after any error"""
        with mock.patch("barograph.hook.archive_transcript", side_effect=RuntimeError("no such luck")):
            self.assertEqual(asyncio.run(b.precompact_hook(self.input())), {})


class CommandTests(ArchiveCase):
    """`python -m barograph hook`, as a client runs it."""

    def run_hook(self, given: Any, *arguments: str, limit: Any = None, **env: str) -> "subprocess.CompletedProcess[bytes]":
        outcome = subprocess.run(
            [sys.executable, "-m", "barograph", *arguments, "hook"], cwd="/", timeout=60, capture_output=True,
            env={"HOME": self.folder, "PYTHONPATH": str(HERE), "BAROGRAPH_CONFIG_DIR": self.config, **env}, preexec_fn=limit,
            input=given if isinstance(given, bytes) else json.dumps(given).encode(),
        )
        self.assertEqual((outcome.returncode, outcome.stdout), (0, b"{}\n"), outcome.stderr)
        return outcome

    def test_command(self) -> None:
        """archives under the project's key, prints an empty object and exits with 0, also with unknown options"""
        outcome = self.run_hook(self.input(), "--bogus", CLAUDE_PROJECT_DIR="/src/project")
        self.assertEqual(self.archives()[0].read_bytes(), Path(self.transcript).read_bytes())
        self.assertEqual(self.archives()[0].parent.parent.name, archive.repo_key("/src/project"))
        self.assertIn(b"INFO: PreCompact: archived the transcript", outcome.stderr)

    def test_nonsense(self) -> None:
        """prints an empty object and exits with 0 for invalid input, and if nothing can be written"""
        for text in (b"", b"{", b"[1,2]", b"null", b"\xff\xfe\x00", b'{"transcript_path": 5}', b"[" * 100_000):
            self.run_hook(text)
        self.run_hook(self.input(), BAROGRAPH_CONFIG_DIR="/proc/none")
        full = self.run_hook(self.input(), limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        self.assertIn(b"ERROR: PreCompact: failed to archive", full.stderr)
        self.assertEqual(self.archives(), [])


if __name__ == "__main__":
    unittest.main()
