"""The client and its queue: no item is lost or doubled, and the agent never waits."""
from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import barograph as b  # noqa: E402
from fake_server import SECRET, FakeServer  # noqa: E402

QUICK = {"base": 0.01, "cap": 0.05, "slow": 0.05, "patience": 5.0}
UNREACHABLE = "http://127.0.0.1:9"


class ClientCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="barograph-client-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def serve(self, port: int = 0) -> FakeServer:
        server = FakeServer(port)
        self.addCleanup(server.close)
        return server

    def connect(self, url: str, token: Optional[str] = "bg_test", **options: Any) -> b.Client:
        options = {"project": "p", "runner": "r", "queue_folder": self.folder, "timing": QUICK, **options}
        client = b.Client(url, token, **options)
        self.addCleanup(client.close, 0)
        return client

    def left_behind(self) -> List[str]:
        return sorted(os.listdir(self.folder))

    def run_program(self, program: str, *args: str) -> "subprocess.CompletedProcess[str]":
        options = f"None, project='p', runner='r', queue_folder={self.folder!r}, timing={QUICK!r}"
        begin = f"import os, sys, barograph as b\nclient = b.Client(sys.argv[1], {options})\nsession = client.session('s')\n"
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", begin + program, *args], cwd=HERE, timeout=60, capture_output=True,
            text=True, env={"PATH": os.environ.get("PATH", "")},
        )


class ProofTests(ClientCase):
    def test_proven(self) -> None:
        """asks a local server for its proof on the same connection, without token or secret in the request"""
        server = self.serve()
        client = self.connect(server.url, secret=SECRET)
        client.session("s1", title="private")
        self.assertTrue(client.close(60).delivered)
        self.assertEqual(len(server.asked), 1)
        headers, body = server.asked[0]
        self.assertNotIn("Authorization", headers)
        self.assertNotIn(SECRET.encode(), body)
        self.assertEqual(server.headers[0]["Authorization"], "Bearer bg_test")

    def test_stranger(self) -> None:
        """sends neither token nor items to another server at that address, and keeps the items for the right server"""
        stranger = FakeServer(secret="ab" * 32)
        client = self.connect(stranger.url, secret=SECRET)
        client.session("s1", title="private")
        stranger.wait_for(lambda: len(stranger.asked) > 2)
        stranger.close()
        self.assertEqual((stranger.requests, stranger.headers), ([], []))
        self.assertNotIn(b"private", b"".join(body for _, body in stranger.asked))
        server = self.serve(stranger.port)
        self.assertTrue(client.flush(60).delivered)
        self.assertEqual(server.items[0]["title"], "private")

    def test_no_answer(self) -> None:
        """sends nothing to a server with any other answer"""
        server = self.serve()
        for answer in ((200, {}), (200, []), (200, {"server": 1, "proof": "\u00e9"}), (404, b"no"), (500, b"")):
            server.prove = lambda headers, body, answer=answer: answer
            client = self.connect(server.url, secret=SECRET, queue_folder=tempfile.mkdtemp(dir=self.folder))
            client.session("s1", title="private")
            self.assertFalse(client.flush(0.3).delivered)
            self.assertEqual(client.stats()["state"]["status"], "waiting")
            client.close(0)
        self.assertEqual(server.requests, [])

class DeliveryTests(ClientCase):
    def test_order(self) -> None:
        """delivers items in order and leaves an empty queue folder"""
        server = self.serve()
        client = self.connect(server.url)
        session = client.session("s1", title="A task", limit=200_000, lens="cumulative")
        for turn in range(1, 300):
            self.assertEqual(session.turn({"input": turn}, call=f"c{turn}"), turn + 1)
        session.end(reason="done")
        result = client.close(60)
        self.assertEqual(result, (True, 0, [], []))
        self.assertEqual([item["seq"] for item in server.items], list(range(1, 302)))
        self.assertEqual([item["type"] for item in server.items][::300], ["session_start", "session_end"])
        self.assertEqual(server.items[1], {**server.items[1], "usage": {"input": 1}, "call": "c1", "session": "s1"})
        self.assertEqual(self.left_behind(), [])

    def test_hello(self) -> None:
        """sends hello with project, runner, stream and source, and the token only in the header"""
        server = self.serve()
        client = self.connect(server.url + "/base/", "bg_secret", source="hook", host="h", version="1.2")
        client.session("s").end()
        stream = client.stats()["stream"]
        client.close(60)
        hello = server.hellos[0]
        self.assertLess(abs(hello.pop("now") - time.time() * 1000), 60_000)
        runner = {"name": "r", "host": "h", "version": "1.2"}
        expected = {"type": "hello", "v": 1, "project": "p", "runner": runner, "stream": stream, "source": "hook"}
        self.assertEqual(hello, expected)
        self.assertEqual(server.paths, ["/base/v1/ingest"])
        self.assertEqual(server.headers[0]["Authorization"], "Bearer bg_secret")
        self.assertNotIn(b"bg_secret", b"".join(server.bodies))

    def test_no_token_on_disk(self) -> None:
        """writes no token to the queue folder; only the owner can read its files"""
        client = self.connect(UNREACHABLE, "bg_secret")
        client.session("s").restart(checkpoint="private")
        for path in Path(self.folder).rglob("*"):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600, path)
            if path.is_file():
                self.assertNotIn(b"bg_secret", path.read_bytes())
        self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)

    def test_no_content(self) -> None:
        """neither stores nor sends titles, checkpoints and prompts if content is off"""
        server = self.serve()
        server.answer = lambda hello, items: (503, {"type": "error", "code": "unavailable", "reason": "not yet"})
        client = self.connect(server.url, content=False)
        client.session("s", title="SECRET").restart(checkpoint="SECRET", prompt="SECRET", reason="threshold")
        server.wait_for(lambda: server.bodies)
        files = b"".join(path.read_bytes() for path in Path(self.folder).rglob("*") if path.is_file())
        self.assertIn(b"threshold", files)
        self.assertNotIn(b"SECRET", files + b"".join(server.bodies))

    def test_threads(self) -> None:
        """gives each item of eight threads its own seq, and delivers all"""
        server = self.serve()
        client = self.connect(server.url)
        seqs: List[Optional[int]] = []
        lock = threading.Lock()

        def work(number: int) -> None:
            session = client.session(f"s{number}")
            own = [session.turn({"input": turn}) for turn in range(250)]
            with lock:
                seqs.extend(own)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(client.close(60).delivered)
        self.assertEqual(sorted(seqs), list(range(1, 2001)))
        self.assertEqual([item["seq"] for item in server.items], list(range(1, 2001)))
        for number in range(8):
            own = [item["usage"]["input"] for item in server.items if item["session"] == f"s{number}"]
            self.assertEqual(own, list(range(250)))

    def test_idle_line(self) -> None:
        """reopens a closed idle connection without waiting"""
        server = self.serve()
        client = self.connect(server.url, timing={**QUICK, "base": 60, "cap": 60})
        session = client.session("s")
        session.turn({"input": 1})
        self.assertTrue(client.flush(60).delivered)
        self.assertIsNotNone(client.delivery.transport.connection)
        client.delivery.transport.cut()
        session.turn({"input": 2})
        self.assertTrue(client.flush(60).delivered)
        self.assertEqual(len(server.items), 2)


class FailureTests(ClientCase):
    def test_dead_server(self) -> None:
        """keeps all items if the server is down; flush returns the waiting items"""
        client = self.connect(UNREACHABLE)
        session = client.session("s")
        for turn in range(2_000):
            session.turn({"input": turn})
        result = client.flush(0.05)
        self.assertEqual((result.delivered, result.queued, result.outstanding), (False, 2_000, [[1, 2_000]]))
        state = client.stats()["state"]
        self.assertEqual((state["status"], state["reason"]), ("waiting", "unreachable"))

    def test_silent_server(self) -> None:
        """neither turns nor the end of the client wait for a server that does not answer"""
        server = self.serve()
        release, late = threading.Event(), []
        self.addCleanup(release.set)

        def answer_late(hello: Dict[str, Any], items: List[Dict[str, Any]]) -> Any:
            late.append(not release.wait(60))

        server.answer = answer_late
        client = self.connect(server.url, timing={**QUICK, "patience": 600.0})
        session = client.session("s")
        session.turn({"input": 0})
        server.wait_for(lambda: server.requests)
        for turn in range(1, 2_000):
            session.turn({"input": turn})
        result = client.close(0.1)
        # Whoever waits for the server gets its answer first.
        self.assertEqual((result.delivered, result.queued, late), (False, 2_000, []))

    def test_lost_answer(self) -> None:
        """sends the same items with the same seqs again after a lost answer"""
        server = self.serve()

        def lose_first(hello: Dict[str, Any], items: List[Dict[str, Any]]) -> Any:
            server.store(hello, items)
            return (0, b"") if len(server.requests) == 1 else None

        server.answer = lose_first
        client = self.connect(server.url)
        client.session("s").turn({"input": 7})
        self.assertTrue(client.flush(60).delivered)
        self.assertEqual(server.requests[0], server.requests[1])
        self.assertEqual((len(server.items), server.conflicts), (1, []))

    def test_refused(self) -> None:
        """reports refused items with session and type, and delivers the others"""
        server = self.serve()
        refusal = {"seq": 2, "index": 2, "code": "call_conflict", "field": "usage.input", "reason": "another figure"}
        server.answer = lambda hello, items: (200, server.ack(items, [refusal] if len(items) > 1 else []))
        refusals: List[b.RefusedItem] = []
        client = self.connect(UNREACHABLE.replace(":9", f":{server.port}"), on_refused=refusals.append)
        with client.delivery.lock:
            for turn in range(3):
                client.session("s").turn({"input": turn})
        result = client.flush(60)
        expected = b.RefusedItem(2, "s", "turn", "call_conflict", "usage.input", "another figure")
        self.assertEqual((result.delivered, result.refused, refusals), (True, [expected], [expected]))
        self.assertEqual(client.stats()["refused"], 1)

    def test_invalid(self) -> None:
        """refuses invalid items before they have a seq; a refused turn leaves a gap"""
        server = self.serve()
        client = self.connect(server.url)
        session = client.session("s")
        for refused in (
            session.turn({"input": float("nan")}), session.turn({}, composition={1: object()}),
            client.session("").end(), client.session("\ud800").end(), client.send({"type": "turn"}),
        ):
            self.assertIsNone(refused)
        result = client.close(60)
        self.assertEqual([(refused.code, refused.field) for refused in result.refused],
                         [("invalid_message", "")] * 2 + [("invalid_field", "session")] * 3)
        self.assertEqual([(item["type"], item["count"]) for item in server.items], [("gap", 1)] * 2)
        self.assertIsNone(session.end())
        self.assertTrue(client.close(60).delivered)
        self.assertEqual(client.stats()["state"], {"status": "closed"})

    def test_long_texts(self) -> None:
        """shortens long texts and replaces invalid characters"""
        server = self.serve()
        client = self.connect(server.url)
        client.session("s", title="🚀" * 1_001, branch="half \ud83d", model="nul \x00", folder=None)
        self.assertTrue(client.flush(60).delivered)
        item = server.items[0]
        self.assertEqual(item["title"], "🚀" * 1_000)
        self.assertEqual((item["branch"], item["model"]), ("half \ufffd", "nul \ufffd"))

    def test_never_raises(self) -> None:
        """never raises, for any input"""
        client = self.connect(UNREACHABLE, on_refused=lambda refused: 1 / 0)
        session = client.session("s")

        class Trap(dict):  # type: ignore[type-arg]
            def get(self, *_: Any) -> Any:
                raise RuntimeError("no such luck")

        for act in (
            lambda: session.turn(Trap(input=1)), lambda: session.turn(object()), lambda: session.turn(5),
            lambda: session.turn({"input": 10**400}), lambda: session.start(title=object()),
            lambda: session.restart(pressure=float("inf")), lambda: client.send(None), lambda: client.send(5),
            lambda: client.session(None).end(),
        ):
            act()

    def test_unauthorized(self) -> None:
        """retries an invalid token slowly and loses nothing"""
        server = self.serve()
        good = threading.Event()

        def judge(hello: Dict[str, Any], items: List[Dict[str, Any]]) -> Any:
            return None if good.is_set() else (401, {"type": "error", "code": "unauthorized", "reason": "unknown"})

        server.answer = judge
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        server.wait_for(lambda: len(server.requests) > 1)
        self.assertEqual(client.stats()["state"]["reason"], "unauthorized")
        good.set()
        self.assertTrue(client.flush(60).delivered)
        self.assertEqual(len(server.items), 1)

    def test_too_large(self) -> None:
        """splits a request that is too large, and drops an item that is too large on its own"""
        server = self.serve()
        too_large = (413, {"type": "error", "code": "too_large", "reason": "A body may have at most 3000 bytes."})
        server.answer = lambda hello, items: too_large if len(json.dumps(items)) > 3_000 else None
        refusals: List[b.RefusedItem] = []
        client = self.connect(server.url, on_refused=refusals.append)
        session = client.session("s")
        with client.delivery.lock:
            for turn in range(100):
                session.turn({"input": turn})
            session.restart(checkpoint="x" * 5_000)
            session.end()
        self.assertTrue(client.flush(60).delivered)
        self.assertEqual([item["seq"] for item in server.items], [*range(1, 101), 102])
        self.assertEqual([(refused.seq, refused.type) for refused in refusals], [(101, "restart")])

    def test_bad_message(self) -> None:
        """finds and drops the one item that the server cannot read, and delivers the others"""
        server = self.serve()
        bad = (400, {"type": "error", "code": "bad_message", "reason": "no JSON"})
        server.answer = lambda hello, items: bad if any(item.get("call") == "bad" for item in items) else None
        refusals: List[b.RefusedItem] = []
        client = self.connect(server.url, on_refused=refusals.append)
        with client.delivery.lock:
            for turn in range(30):
                client.session("s").turn({"input": turn}, call="bad" if turn == 17 else f"c{turn}")
        self.assertTrue(client.flush(60).delivered)
        self.assertEqual((len(server.items), [refused.seq for refused in refusals]), (29, [18]))

    def test_bad_hello(self) -> None:
        """waits and drops nothing if the server cannot read the hello"""
        server = self.serve()
        bad = (400, {"type": "error", "code": "bad_message", "reason": "The hello's project"})
        server.answer = lambda hello, items: bad
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        server.wait_for(lambda: [] in server.requests)
        self.assertEqual(client.flush(0.1).queued, 1)
        self.assertEqual(client.stats()["refused"], 0)

    def test_stream_taken(self) -> None:
        """renames a stream that belongs to another runner"""
        server = self.serve()
        taken = (409, {"type": "error", "code": "stream_taken", "reason": "This stream belongs to another runner."})
        server.answer = lambda hello, items: taken if len(server.requests) == 1 else None
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        self.assertTrue(client.flush(60).delivered)
        self.assertNotEqual(server.hellos[0]["stream"], server.hellos[1]["stream"])

    def test_back_off(self) -> None:
        """doubles the bound of the random backoff up to 30 seconds, and waits longer after an invalid token"""
        client = self.connect(UNREACHABLE, timing={})
        for attempt, bound in ((0, 0.25), (1, 0.5), (3, 2.0), (7, 30.0), (5_000, 30.0)):
            waits = [client.delivery.back_off(attempt, False) for _ in range(300)]
            self.assertLessEqual(max(waits), bound)
            self.assertGreater(max(waits), bound * 0.8)
            self.assertLess(min(waits), bound * 0.2)
        self.assertTrue(all(30 <= client.delivery.back_off(0, True) <= 60 for _ in range(100)))

    def test_wrong_options(self) -> None:
        """rejects invalid options in the constructor"""
        for options in (
            {"url": "ftp://x"}, {"url": "http://u:p@x"}, {"url": "http://x/?token=1"}, {"url": "nonsense"},
            {"token": "two words"}, {"project": ""}, {"runner": "x" * 401},
        ):
            given = {"url": UNREACHABLE, "token": None, "project": "p", "runner": "r", **options}
            with self.assertRaises(ValueError):
                b.Client(queue_folder=self.folder, **given)


class QueueTests(ClientCase):
    def stopped_server(self) -> FakeServer:
        server = FakeServer()
        server.close()
        return server

    def run_until_killed(self, url: str, count: int) -> List[int]:
        """Run a process that prints the seq of each item. Kill it after `count` seqs."""
        program = (
            "import sys, barograph as b\n"
            f"options = {{'queue_folder': {self.folder!r}, 'timing': {QUICK!r}}}\n"
            f"client = b.Client({url!r}, None, project='p', runner='r', **options)\n"
            "session = client.session('s')\n"
            "for turn in range(1, 100000):\n"
            "    sys.stdout.write(f\"{session.turn({'input': turn}, call=f'c{turn}')}\\n\")\n"
            "    sys.stdout.flush()\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=HERE, env={"PATH": os.environ.get("PATH", "")}
        )
        assert child.stdout is not None
        seqs = [int(child.stdout.readline()) for _ in range(count)]
        child.send_signal(signal.SIGKILL)
        seqs += [int(line) for line in child.stdout.read().splitlines() if line.strip()]
        child.stdout.close()
        child.wait()
        return seqs

    def test_kill(self) -> None:
        """loses and doubles nothing after `kill -9`, with and without a server"""
        for stopped in (True, False):
            server = self.stopped_server() if stopped else self.serve()
            seqs = self.run_until_killed(server.url, 300 if stopped else 2_000)
            server = self.serve(server.port) if stopped else server
            heir = self.connect(server.url)
            server.wait_for(lambda: len(server.stored) >= len(seqs))
            self.assertTrue(heir.close(60).delivered)
            self.assertEqual(sorted(seq for _, seq in server.stored)[: len(seqs)], seqs)
            self.assertEqual(len({stream for stream, _ in server.stored}), 1)
            self.assertEqual((server.conflicts, self.left_behind()), ([], []))

    def test_next_client(self) -> None:
        """delivers the items of the previous client first, with their stream and seqs"""
        server, other = self.stopped_server(), self.connect(UNREACHABLE)
        other.session("other").end()
        other.close(0)
        waiting = self.connect(server.url)
        for turn in range(5):
            waiting.session("s").turn({"input": turn})
        stream = waiting.stats()["stream"]
        waiting.close(0)
        self.assertEqual(len(self.left_behind()), 2)
        late = self.serve(server.port)
        heir = self.connect(late.url)
        heir.session("s").turn({"input": 5})
        self.assertTrue(heir.close(60).delivered)
        self.assertEqual([item["usage"]["input"] for item in late.items], [0, 1, 2, 3, 4, 5])
        self.assertEqual([hello["stream"] for hello in late.hellos][0], stream)
        # The queue for the other server is still there.
        self.assertEqual(len(self.left_behind()), 1)

    def test_damaged(self) -> None:
        """delivers what is readable of a damaged queue, with a gap, and keeps the file"""
        def change_byte(data: bytes) -> bytes:
            at = data.index(b'"input":77}')
            return data[:at] + b"X" + data[at + 1:]

        def zero_page(data: bytes) -> bytes:
            at = data.index(b'"input":77}') // 4096 * 4096
            return data[:at] + bytes(4096) + data[at + 4096:]

        changes = {
            "byte": change_byte, "page": zero_page, "half": lambda data: data[:len(data) // 2],
            "header": lambda data: bytes(100) + data[100:],
        }
        for name, change in changes.items():
            with self.subTest(name):
                folder = os.path.join(self.folder, name)
                server = self.stopped_server()
                waiting = self.connect(server.url, queue_folder=folder)
                for turn in range(200):
                    waiting.session("s").turn({"input": turn})
                waiting.close(0)
                [path] = Path(folder).glob("*.sqlite")
                path.write_bytes(change(path.read_bytes()))
                server = self.serve(server.port)
                with self.assertLogs("barograph", "WARNING"):
                    heir = self.connect(server.url, queue_folder=folder)
                    server.wait_for(lambda: any(item["type"] == "gap" for item in server.items))
                heir.close(60)
                turns = [item for item in server.items if item["type"] == "turn"]
                [gap] = [item for item in server.items if item["type"] == "gap"]
                self.assertGreater(len(turns), 30)
                if name in ("byte", "page"):
                    self.assertEqual(gap["count"], 200 - len(turns))
                self.assertEqual((gap["session"], gap["bound"]), ("s", "about"))
                self.assertEqual(os.listdir(folder), ["damaged"])
                self.assertTrue(Path(folder, "damaged", path.name).exists())

    def test_living_owner(self) -> None:
        """does not take the queue of a living process, and sends no acknowledged item again"""
        server = self.serve()
        is_first = lambda hello, items: hello["runner"]["name"] == "first" and items[0]["seq"] > 500  # noqa: E731
        server.answer = lambda hello, items: (503, {}) if is_first(hello, items) else None
        first = self.connect(server.url, runner="first")
        with first.delivery.lock:
            for turn in range(600):
                first.session("s").turn({"input": turn})
        server.wait_for(lambda: len(server.stored) == 500)
        second = self.connect(server.url, runner="second")
        second.session("t").end()
        self.assertTrue(second.close(60).delivered)
        self.assertEqual(len(server.stored), 501)
        first.close(0)
        server.answer, sent = lambda hello, items: None, len(server.requests)
        heir = self.connect(server.url)
        server.wait_for(lambda: len(server.stored) == 601)
        self.assertTrue(heir.close(60).delivered)
        self.assertEqual(min(item["seq"] for items in server.requests[sent:] for item in items), 501)

    def test_full(self) -> None:
        """keeps restarts in a full queue, and counts the dropped turns in gaps"""
        server = self.stopped_server()
        client = self.connect(server.url, max_queue_bytes=0)
        sessions = [client.session(f"s{number}") for number in range(3)]
        turns = 0
        for round_ in range(6):
            for session in sessions:
                for _ in range(500):
                    session.turn({"input": 1}, call="x" * 200, chain="agent-1" if turns % 5 == 0 else None)
                    turns += 1
                session.restart(continuation=round_ + 1, checkpoint="long " * 200)
        self.assertGreater(client.stats()["dropped"], 0)
        self.assertLess(sum(path.stat().st_size for path in Path(self.folder).iterdir()), 8 * 1024 * 1024)
        client.close(0)
        server = self.serve(server.port)
        heir = self.connect(server.url)
        server.wait_for(lambda: sum(item["type"] == "restart" for item in server.items) == 18)
        self.assertTrue(heir.close(60).delivered)
        # In each context, turns and gaps add up to all turns.
        for session in sessions:
            since = 0
            for item in (item for item in server.items if item["session"] == session.key):
                since += {"turn": 1, "gap": item.get("count"), "restart": -500}[item["type"]]
                self.assertTrue(item["type"] != "restart" or since == 0)

    def test_no_disk(self) -> None:
        """keeps items in memory and delivers them if the disk cannot be written or is full"""
        server = self.serve()
        Path(self.folder, "file").write_text("")
        client = self.connect(server.url, queue_folder=os.path.join(self.folder, "file", "queue"))
        client.session("s").turn({"input": -1})
        self.assertFalse(client.stats()["durable"])
        self.assertTrue(client.close(60).delivered)
        outcome = self.run_program(
            "import resource\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))\n"
            "with client.delivery.lock:\n"
            "    for turn in range(500):\n"
            "        assert session.turn({'input': turn}, call='x' * 100) == turn + 1\n"
            "durable = client.stats()['durable']\n"
            "print(durable, client.close(30).delivered)\n", server.url
        )
        self.assertEqual(outcome.stdout.strip(), "False True", outcome.stderr)
        self.assertEqual([item["usage"]["input"] for item in server.items], list(range(-1, 500)))

    @unittest.skipUnless(hasattr(os, "fork"), "this system cannot fork")
    def test_fork(self) -> None:
        """gives a forked process its own stream, and leaves the queue to the parent, even during a slow import"""
        server = self.serve()
        outcome = self.run_program(
            "import time\n"
            "class Slow:\n"
            "    def find_spec(self, name, *_): time.sleep(0.5 if name == 'http.client' else 0)\n"
            "sys.meta_path.insert(0, Slow())\n"
            "session.turn({'input': 1})\n"
            "time.sleep(0.1)\n"
            "pid = os.fork()\n"
            "session.turn({'input': 2 if pid else 3})\n"
            "result = client.close(60)\n"
            "if pid: os.waitpid(pid, 0)\n"
            "sys.exit(0 if result.delivered else 1)\n", server.url
        )
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertEqual(sorted(item["usage"]["input"] for item in server.items), [1, 2, 3])
        self.assertEqual((len({stream for stream, _ in server.stored}), server.conflicts), (2, []))

    def test_end_of_program(self) -> None:
        """delivers the items of a program that ends without closing"""
        server = self.serve()
        outcome = self.run_program("session.turn({'input': 1})\n", server.url)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertEqual((len(server.items), self.left_behind()), (1, []))


class ExampleTests(ClientCase):
    def run_example(self, **env: str) -> str:
        child = subprocess.run(
            [sys.executable, str(HERE.parent / "examples" / "python_agent.py")], capture_output=True, text=True,
            env={"HOME": self.folder, "BAROGRAPH_DATA_DIR": self.folder, **env}, cwd=self.folder, timeout=60,
        )
        self.assertEqual((child.returncode, child.stderr), (0, ""))
        return child.stdout

    def test_alone(self) -> None:
        """runs the example without a server, with the documented output"""
        output = self.run_example()
        lines = (HERE.parent / "examples" / "python_agent.py").read_text(encoding="utf-8").splitlines()
        begin = next(index for index, line in enumerate(lines) if line.startswith("    turn 1:"))
        said = [line.strip() for line in lines[begin : begin + 6]]
        for line, promised in zip(output.splitlines(), said):
            for part in promised.replace("python-…", "…").split("…"):
                self.assertIn(part, line)
        self.assertIn("Nothing was reported: no server is known.", output)

    def test_with_server(self) -> None:
        """reports the session, turns and restart of the example"""
        server = self.serve()
        self.assertIn("Everything was stored.", self.run_example(BAROGRAPH_URL=server.url, BAROGRAPH_TOKEN="bg_x"))
        types = [item["type"] for item in server.items]
        self.assertEqual(types, ["session_start", "session_start", *["turn"] * 4, "restart", "turn", "session_end"])
        self.assertEqual(server.hellos[0]["project"], "examples")


if __name__ == "__main__":
    unittest.main()
