"""The client and its queue: nothing is lost, nothing is doubled, and the agent never waits."""
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
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import barograph as b  # noqa: E402
from barograph.transport import Transport  # noqa: E402
from fake_server import SECRET, FakeServer  # noqa: E402

QUICK = {"base": 0.01, "cap": 0.05, "slow": 0.05, "patience": 5.0}
UNREACHABLE = "http://127.0.0.1:9"


class ClientCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="h6-client-")
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


class ProofTests(ClientCase):
    def test_proven(self) -> None:
        """a server of this machine proves itself on the same connection, without token or secret in the request"""
        server = self.serve()
        client = self.connect(server.url, secret=SECRET)
        client.session("s1", title="private")
        self.assertTrue(client.close().delivered)
        self.assertEqual(len(server.asked), 1)
        headers, body = server.asked[0]
        self.assertNotIn("Authorization", headers)
        self.assertNotIn(SECRET.encode(), body)
        self.assertEqual(server.headers[0]["Authorization"], "Bearer bg_test")

    def test_stranger(self) -> None:
        """another server at that address gets neither token nor item; they wait until the true one is back"""
        stranger = FakeServer(secret="ab" * 32)
        client = self.connect(stranger.url, secret=SECRET)
        client.session("s1", title="private")
        stranger.wait_for(lambda: len(stranger.asked) > 2)
        stranger.close()
        self.assertEqual((stranger.requests, stranger.headers), ([], []))
        self.assertNotIn(b"private", b"".join(body for _, body in stranger.asked))
        server = self.serve(stranger.port)
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual(server.items[0]["title"], "private")

    def test_no_answer(self) -> None:
        """what answers with anything else is no server of this machine"""
        server = self.serve()
        for answer in ((200, {}), (200, []), (200, {"server": 1, "proof": "\u00e9"}), (404, b"no"), (500, b"")):
            server.prove = lambda headers, body, answer=answer: answer
            client = self.connect(server.url, secret=SECRET, queue_folder=tempfile.mkdtemp(dir=self.folder))
            client.session("s1", title="private")
            self.assertFalse(client.flush(0.3).delivered)
            self.assertEqual(client.stats()["state"]["status"], "waiting")
            client.close(0)
        self.assertEqual(server.requests, [])

    def test_secret(self) -> None:
        """a secret that is none is refused"""
        with self.assertRaises(ValueError):
            b.Client(UNREACHABLE, None, secret="short", project="p", runner="r", queue_folder=self.folder)


class DeliveryTests(ClientCase):
    def test_order(self) -> None:
        """what is handed over arrives in order, and nothing of the queue is left"""
        server = self.serve()
        client = self.connect(server.url)
        session = client.session("s1", title="A task", limit=200_000, lens="cumulative")
        for turn in range(1, 300):
            self.assertEqual(session.turn({"input": turn}, call=f"c{turn}"), turn + 1)
        session.end(reason="done")
        result = client.close()
        self.assertEqual(result, (True, 0, [], []))
        self.assertEqual([item["seq"] for item in server.items], list(range(1, 302)))
        self.assertEqual([item["type"] for item in server.items][::300], ["session_start", "session_end"])
        self.assertEqual(server.items[1], {**server.items[1], "usage": {"input": 1}, "call": "c1", "session": "s1"})
        self.assertEqual(self.left_behind(), [])

    def test_hello(self) -> None:
        """a request says hello with project, runner, stream and source, and shows the token in its header alone"""
        server = self.serve()
        client = self.connect(server.url + "/base/", "bg_secret", source="hook", host="h", version="1.2")
        client.session("s").end()
        stream = client.stats()["stream"]
        client.close()
        hello = server.hellos[0]
        self.assertLess(abs(hello.pop("now") - time.time() * 1000), 60_000)
        runner = {"name": "r", "host": "h", "version": "1.2"}
        expected = {"type": "hello", "v": 1, "project": "p", "runner": runner, "stream": stream, "source": "hook"}
        self.assertEqual(hello, expected)
        self.assertEqual(server.paths, ["/base/v1/ingest"])
        self.assertEqual(server.headers[0]["Authorization"], "Bearer bg_secret")
        self.assertNotIn(b"bg_secret", b"".join(server.bodies))

    def test_no_token_on_disk(self) -> None:
        """the token is nowhere in the queue's folder, and its files are for their owner alone"""
        client = self.connect(UNREACHABLE, "bg_secret")
        client.session("s").restart(checkpoint="private")
        for path in Path(self.folder).rglob("*"):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600, path)
            if path.is_file():
                self.assertNotIn(b"bg_secret", path.read_bytes())
        self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)

    def test_all_items(self) -> None:
        """every kind of item goes over the wire by the names of the protocol"""
        server = self.serve()
        client = self.connect(server.url)
        session = client.session("s")
        at = datetime(2026, 1, 5, 12, tzinfo=timezone.utc)
        session.start(client_session_id="c", restart_line=0.9, forked_from="f", backfill=True, at=at)
        made_of = {"roles": [], "suggestions": []}
        session.turn(b.TurnUsage(1, 2, 3, 4, 10), scope="side", chain="agent-1", composition=made_of)
        session.turn(None)
        session.reading(5_000, basis="input")
        session.restart(continuation=1, pressure=0.9, checkpoint="Goal", prompt="Go on")
        session.compaction("auto", "confirmed", pre_tokens=5, post_tokens=2, duration_ms=7, boundary="b")
        session.clear(tokens_cleared=4)
        session.compress(9, 5, removed=2)
        session.alias("claude-code", "77")
        session.archive("stored", trigger="manual", path="/a", bytes=3, lines=1, sha256="0" * 64)
        session.gap(3, from_=1, to=5, reason="lost")
        session.end(reason="done")
        self.assertEqual(client.close()[::3], (True, []))
        by_type = {item["type"]: item for item in server.items}
        self.assertEqual(len(by_type), 11)
        self.assertEqual(by_type["session_start"]["at"], 1767614400000)
        self.assertEqual(by_type["session_start"]["restartLine"], 0.9)
        turn = server.items[1]
        self.assertEqual(turn["usage"], {"input": 1, "output": 2, "cacheRead": 3, "cacheCreation": 4})
        self.assertEqual((turn["contextTokens"], turn["scope"], turn["chain"]), (10, "side", "agent-1"))
        self.assertIsNone(server.items[2]["usage"])
        self.assertEqual(by_type["compaction"]["durationMs"], 7)
        self.assertEqual(by_type["gap"]["from"], 1)

    def test_no_content(self) -> None:
        """with content off titles, checkpoints and prompts touch neither disk nor wire"""
        server = self.serve()
        server.answer = lambda hello, items: (503, {"type": "error", "code": "unavailable", "reason": "not yet"})
        client = self.connect(server.url, content=False)
        client.session("s", title="SECRET").restart(checkpoint="SECRET", prompt="SECRET", reason="threshold")
        server.wait_for(lambda: server.bodies)
        files = b"".join(path.read_bytes() for path in Path(self.folder).rglob("*") if path.is_file())
        self.assertIn(b"threshold", files)
        self.assertNotIn(b"SECRET", files + b"".join(server.bodies))

    def test_threads(self) -> None:
        """eight threads hand over at once: every seq is given out once and everything arrives"""
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
        self.assertTrue(client.close(20).delivered)
        self.assertEqual(sorted(seqs), list(range(1, 2001)))
        self.assertEqual([item["seq"] for item in server.items], list(range(1, 2001)))
        for number in range(8):
            own = [item["usage"]["input"] for item in server.items if item["session"] == f"s{number}"]
            self.assertEqual(own, list(range(250)))

    def test_later_server(self) -> None:
        """a server that comes later gets everything, in order"""
        server = FakeServer()
        server.close()
        client = self.connect(server.url)
        for turn in range(50):
            client.session("s").turn({"input": turn})
        late = self.serve(server.port)
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual([item["usage"]["input"] for item in late.items], list(range(50)))

    def test_idle_line(self) -> None:
        """a connection that the server closed while idle is reopened without waiting"""
        server = self.serve()
        client = self.connect(server.url, timing={**QUICK, "base": 60, "cap": 60})
        session = client.session("s")
        session.turn({"input": 1})
        self.assertTrue(client.flush().delivered)
        self.assertIsNotNone(client._transport.connection)
        client._transport.cut()
        session.turn({"input": 2})
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual(len(server.items), 2)


class FailureTests(ClientCase):
    def test_dead_server(self) -> None:
        """a dead server costs the agent nothing, and flush says what waits"""
        client = self.connect(UNREACHABLE)
        session = client.session("s")
        began = time.perf_counter()
        for turn in range(2_000):
            session.turn({"input": turn})
        # The slowest machine writes a line in a millisecond; a single attempt to connect in its path would show.
        self.assertLess((time.perf_counter() - began) / 2_000, 0.005)
        result = client.flush(0.05)
        self.assertEqual((result.delivered, result.queued, result.outstanding), (False, 2_000, [[1, 2_000]]))
        state = client.stats()["state"]
        self.assertEqual((state["status"], state["reason"]), ("waiting", "unreachable"))

    def test_silent_server(self) -> None:
        """a server that takes the line and says nothing is waited for in vain, and closing does not hang"""
        server = self.serve()
        release = threading.Event()
        self.addCleanup(release.set)
        server.answer = lambda hello, items: release.wait(30) and None
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        server.wait_for(lambda: server.requests)
        began = time.monotonic()
        self.assertFalse(client.close(0.1).delivered)
        self.assertLess(time.monotonic() - began, 5)

    def test_lost_answer(self) -> None:
        """where the answer is lost the same items are sent again with the same seqs"""
        server = self.serve()

        def lose_first(hello: Dict[str, Any], items: List[Dict[str, Any]]) -> Any:
            server.store(hello, items)
            return (0, b"") if len(server.requests) == 1 else None

        server.answer = lose_first
        client = self.connect(server.url)
        client.session("s").turn({"input": 7})
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual(server.requests[0], server.requests[1])
        self.assertEqual((len(server.items), server.conflicts), (1, []))

    def test_refused(self) -> None:
        """what the server refuses is reported with its session and type, and the rest is stored"""
        server = self.serve()
        refusal = {"seq": 2, "index": 2, "code": "call_conflict", "field": "usage.input", "reason": "another figure"}
        server.answer = lambda hello, items: (200, server.ack(items, [refusal] if len(items) > 1 else []))
        refusals: List[b.RefusedItem] = []
        client = self.connect(UNREACHABLE.replace(":9", f":{server.port}"), on_refused=refusals.append)
        with client._lock:
            for turn in range(3):
                client.session("s").turn({"input": turn})
        result = client.flush(20)
        expected = b.RefusedItem(2, "s", "turn", "call_conflict", "usage.input", "another figure")
        self.assertEqual((result.delivered, result.refused, refusals), (True, [expected], [expected]))
        self.assertEqual(client.stats()["refused"], 1)

    def test_invalid(self) -> None:
        """what cannot be stored is refused before it has a seq, and a refused turn leaves a gap"""
        server = self.serve()
        refusals: List[b.RefusedItem] = []
        client = self.connect(server.url, on_refused=refusals.append)
        session = client.session("s")
        self.assertIsNone(session.turn({"input": 1.5}))
        self.assertIsNone(session.turn({"input": "many"}, chain="agent-1"))
        self.assertIsNone(session.turn({"input": 1}, call="x" * 401))
        self.assertIsNone(session.turn({"input": 1}, at="yesterday"))
        self.assertIsNone(session.reading(-5))
        self.assertIsNone(session.archive("half"))
        self.assertIsNone(client.send({"type": "novel", "session": "s"}))
        self.assertIsNone(client.session("").end())
        self.assertIsNone(client.session("\ud800").end())
        self.assertTrue(client.flush(20).delivered)
        codes = [(refused.code, refused.field) for refused in refusals]
        self.assertEqual(codes[:3], [("invalid_count", "usage.input")] * 2 + [("invalid_field", "call")])
        self.assertEqual(codes[3:7], [
            ("invalid_field", "at"), ("invalid_count", "contextTokens"), ("invalid_field", "state"),
            ("invalid_message", "type"),
        ])
        gaps = [(item["type"], item["count"], item.get("chain")) for item in server.items]
        self.assertEqual(gaps, [("gap", 1, None), ("gap", 1, "agent-1"), ("gap", 1, None), ("gap", 1, None)])

    def test_long_texts(self) -> None:
        """a title that is too long or cut through a character is shortened, and the item is kept"""
        server = self.serve()
        client = self.connect(server.url)
        client.session("s", title="🚀" * 600, branch="half \ud83d", model="nul \x00", folder=None)
        self.assertTrue(client.flush(20).delivered)
        item = server.items[0]
        self.assertEqual(len(item["title"].encode("utf-16-le")) // 2, 1_000)
        self.assertEqual((item["branch"], item["model"]), ("half \ufffd", "nul \ufffd"))

    def test_never_raises(self) -> None:
        """nothing that a program hands over raises"""
        client = self.connect(UNREACHABLE, on_refused=lambda refused: 1 / 0)
        session = client.session("s")

        class Trap(dict):  # type: ignore[type-arg]
            def get(self, *_: Any) -> Any:
                raise RuntimeError("no such luck")

        for act in (
            lambda: session.turn(Trap(input=1)), lambda: session.turn(object()), lambda: session.turn(5),
            lambda: session.turn({"input": 10**400}), lambda: session.turn({"input": float("nan")}),
            lambda: session.turn({}, composition={1: object()}), lambda: session.start(title=object()),
            lambda: session.restart(pressure=float("inf")), lambda: client.send(None), lambda: client.send(5),
            lambda: client.session(None).end(),
        ):
            self.assertIsNone(act())

    def test_closed(self) -> None:
        """a closed client refuses, and closing twice is closing once"""
        server = self.serve()
        client = self.connect(server.url)
        client.close()
        result = client.close()
        self.assertTrue(result.delivered)
        self.assertIsNone(client.session("s").end())
        self.assertEqual(client.stats()["state"], {"status": "closed"})

    def test_unauthorized(self) -> None:
        """a token that is no good is tried again slowly, and nothing is lost"""
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
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual(len(server.items), 1)

    def test_too_large(self) -> None:
        """a request that is too large is split, and an item that is too large alone is given up"""
        server = self.serve()
        too_large = (413, {"type": "error", "code": "too_large", "reason": "A body may have at most 3000 bytes."})
        server.answer = lambda hello, items: too_large if len(json.dumps(items)) > 3_000 else None
        refusals: List[b.RefusedItem] = []
        client = self.connect(server.url, on_refused=refusals.append)
        session = client.session("s")
        with client._lock:
            for turn in range(100):
                session.turn({"input": turn})
            session.restart(checkpoint="x" * 5_000)
            session.end()
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual([item["seq"] for item in server.items], [*range(1, 101), 102])
        self.assertEqual([(refused.seq, refused.type) for refused in refusals], [(101, "restart")])

    def test_bad_message(self) -> None:
        """the one item that the server cannot read is found and given up, and its neighbours are stored"""
        server = self.serve()
        bad = (400, {"type": "error", "code": "bad_message", "reason": "no JSON"})
        server.answer = lambda hello, items: bad if any(item.get("call") == "bad" for item in items) else None
        refusals: List[b.RefusedItem] = []
        client = self.connect(server.url, on_refused=refusals.append)
        with client._lock:
            for turn in range(30):
                client.session("s").turn({"input": turn}, call="bad" if turn == 17 else f"c{turn}")
        self.assertTrue(client.flush(20).delivered)
        self.assertEqual((len(server.items), [refused.seq for refused in refusals]), (29, [18]))

    def test_bad_hello(self) -> None:
        """a server that cannot read the hello makes the client wait and give up nothing"""
        server = self.serve()
        bad = (400, {"type": "error", "code": "bad_message", "reason": "The hello's project"})
        server.answer = lambda hello, items: bad
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        server.wait_for(lambda: [] in server.requests)
        self.assertEqual(client.flush(0.1).queued, 1)
        self.assertEqual(client.stats()["refused"], 0)

    def test_stream_taken(self) -> None:
        """a stream that the server knows as another runner's is given a new id"""
        server = self.serve()
        taken = (409, {"type": "error", "code": "stream_taken", "reason": "This stream belongs to another runner."})
        server.answer = lambda hello, items: taken if len(server.requests) == 1 else None
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        self.assertTrue(client.flush(20).delivered)
        self.assertNotEqual(server.hellos[0]["stream"], server.hellos[1]["stream"])

    def test_nonsense(self) -> None:
        """answers of something that is no Barograph server are survived"""
        server = self.serve()
        wrong = {"type": "ack", "settled": 5}
        answers = iter([(502, b"<html>"), (200, b"OK"), (200, {"type": "ack"}), (302, b""), (200, wrong)])
        server.answer = lambda hello, items: next(answers, None)
        client = self.connect(server.url)
        client.session("s").turn({"input": 1})
        self.assertTrue(client.flush(30).delivered)
        self.assertEqual(len(server.items), 1)

    def test_back_off(self) -> None:
        """waiting grows from nothing to a bound that doubles up to 30 seconds, and a person's fault is tried slowly"""
        client = self.connect(UNREACHABLE, timing={})
        for attempt, bound in ((0, 0.25), (1, 0.5), (3, 2.0), (7, 30.0), (5_000, 30.0)):
            waits = [client._back_off(attempt, False) for _ in range(300)]
            self.assertLessEqual(max(waits), bound)
            self.assertGreater(max(waits), bound * 0.8)
            self.assertLess(min(waits), bound * 0.2)
        self.assertTrue(all(30 <= client._back_off(0, True) <= 60 for _ in range(100)))

    def test_wrong_options(self) -> None:
        """options that can never work are refused when the client is made"""
        for options in (
            {"url": "ftp://x"}, {"url": "http://u:p@x"}, {"url": "http://x/?token=1"}, {"url": "nonsense"},
            {"token": "two words"}, {"project": ""}, {"runner": "x" * 401}, {"source": "guess"},
        ):
            given = {"url": UNREACHABLE, "token": None, "project": "p", "runner": "r", **options}
            with self.assertRaises(ValueError):
                b.Client(queue_folder=self.folder, **given)


class QueueTests(ClientCase):
    def test_next_client(self) -> None:
        """what a client could not deliver the next one delivers first, under its own stream and seqs"""
        waiting = self.connect(UNREACHABLE)
        for turn in range(5):
            waiting.session("s").turn({"input": turn})
        stream = waiting.stats()["stream"]
        waiting.close(0)
        self.assertEqual(self.left_behind(), [stream])
        # The same server, reachable by now.
        late = self.serve()
        self.move_queues(late.url)
        heir = self.connect(late.url)
        heir.session("s").turn({"input": 5})
        self.assertTrue(heir.flush(20).delivered)
        self.assertEqual([item["usage"]["input"] for item in late.items], [0, 1, 2, 3, 4, 5])
        self.assertEqual([hello["stream"] for hello in late.hellos][0], stream)
        heir.close()
        self.assertEqual(self.left_behind(), [])

    def move_queues(self, url: str) -> None:
        """Delivers queues without an address to a server."""
        for path in Path(self.folder).glob("*/queue.json"):
            content = json.loads(path.read_text())
            path.write_text(json.dumps({**content, "url": Transport(url, None, None, 1, "").address}))

    def test_other_server(self) -> None:
        """a queue for another server is left alone"""
        waiting = self.connect(UNREACHABLE)
        waiting.session("s").turn({"input": 1})
        stream = waiting.stats()["stream"]
        waiting.close(0)
        server = self.serve()
        client = self.connect(server.url)
        client.session("s").end()
        self.assertTrue(client.close(20).delivered)
        self.assertEqual((len(server.items), self.left_behind()), (1, [stream]))

    def test_living_owner(self) -> None:
        """a queue whose owner lives is left alone"""
        server = self.serve()
        server.answer = lambda hello, items: (503, {}) if hello["runner"]["name"] == "first" else None
        first = self.connect(server.url, runner="first")
        first.session("s").turn({"input": 1})
        second = self.connect(server.url, runner="second")
        second.session("s").turn({"input": 2})
        self.assertTrue(second.flush(20).delivered)
        self.assertEqual([item["usage"]["input"] for item in server.items], [2])
        self.assertEqual(second.stats()["adopted"], {"queues": 0, "items": 0})

    def run_until_killed(self, url: str, count: int) -> List[int]:
        """A process that hands over and says each seq; it is killed after so many."""
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
        """a process killed with -9 before it reached the server loses nothing that it handed over"""
        seqs = self.run_until_killed(UNREACHABLE, 300)
        server = self.serve()
        self.move_queues(server.url)
        heir = self.connect(server.url)
        server.wait_for(lambda: len(server.stored) >= len(seqs))
        heir.close()
        stored = [item["seq"] for item in server.items]
        self.assertEqual(stored[: len(seqs)], seqs)
        self.assertEqual(self.left_behind(), [])

    def test_kill_while_sending(self) -> None:
        """a process killed with -9 while it sends loses nothing and doubles nothing"""
        server = self.serve()
        seqs = self.run_until_killed(server.url, 2_000)
        heir = self.connect(server.url)
        server.wait_for(lambda: len(server.stored) >= len(seqs))
        self.assertTrue(heir.close(20).delivered)
        self.assertEqual(sorted(seq for _, seq in server.stored)[: len(seqs)], seqs)
        self.assertEqual(len({stream for stream, _ in server.stored}), 1)
        self.assertEqual(server.conflicts, [])

    def test_torn_line(self) -> None:
        """a line that a loss of power left in part costs itself and no other"""
        waiting = self.connect(UNREACHABLE)
        for turn in range(3):
            waiting.session("s").turn({"input": turn})
        waiting.close(0)
        segment = next(Path(self.folder).glob("*/*.seg"))
        lines = segment.read_bytes().splitlines(keepends=True)
        lines[2] = lines[2][:20] + b"\n"
        # Still JSON, but not what was written.
        lines[1] = lines[1].replace(b'"input":0', b'"input":5')
        segment.write_bytes(b"".join(lines) + b"0000")
        server = self.serve()
        self.move_queues(server.url)
        heir = self.connect(server.url)
        server.wait_for(lambda: server.stored)
        heir.close()
        self.assertEqual([(item["seq"], item["usage"]["input"]) for item in server.items], [(3, 2)])

    def test_settled_are_not_sent_again(self) -> None:
        """what was acknowledged before the end is not sent again by the next client"""
        server = self.serve()
        server.answer = lambda hello, items: (503, {}) if items[0]["seq"] > 500 else None
        client = self.connect(server.url)
        with client._lock:
            for turn in range(700):
                client.session("s").turn({"input": turn})
        server.wait_for(lambda: any(items and items[0]["seq"] > 500 for items in server.requests))
        client.close(0)
        server.answer = lambda hello, items: None
        count = len(server.requests)
        heir = self.connect(server.url)
        server.wait_for(lambda: len(server.stored) == 700)
        self.assertTrue(heir.close(20).delivered)
        again = [item["seq"] for items in server.requests[count:] for item in items]
        self.assertEqual(min(again), 501)

    def test_progress(self) -> None:
        """what was acknowledged is noted beside the queue within seconds, so that a kill has little sent again"""
        server = self.serve()
        server.answer = lambda hello, items: (503, {}) if items[0]["seq"] > 500 else None
        client = self.connect(server.url)
        with client._lock:
            for turn in range(600):
                client.session("s").turn({"input": turn})
        noted = Path(self.folder, client.stats()["stream"], "progress.json")
        deadline = time.monotonic() + 30
        while not noted.exists() or json.loads(noted.read_text())["settled"] != [[1, 500]]:
            self.assertLess(time.monotonic(), deadline, "The progress was not noted.")
            time.sleep(0.02)

    def test_full(self) -> None:
        """a full queue keeps what begins and ends contexts, and gaps stand for the turns that made room"""
        client = self.connect(UNREACHABLE, max_queue_bytes=0)
        sessions = [client.session(f"s{number}") for number in range(3)]
        turns = 0
        for round_ in range(6):
            for session in sessions:
                for _ in range(500):
                    session.turn({"input": 1}, call="x" * 200, chain="agent-1" if turns % 5 == 0 else None)
                    turns += 1
                session.restart(continuation=round_ + 1, checkpoint="long " * 200)
        stats = client.stats()
        self.assertGreater(stats["dropped"], 0)
        self.assertLess(stats["queued_bytes"], 1.2 * 1024 * 1024)
        on_disk = sum(path.stat().st_size for path in Path(self.folder).rglob("*.seg"))
        self.assertLess(on_disk, 1.2 * 1024 * 1024)
        server = self.serve()
        client.close(0)
        self.move_queues(server.url)
        heir = self.connect(server.url)
        server.wait_for(lambda: len(server.stored) == stats["queued"])
        heir.close()
        items = server.items
        self.assertEqual([item["seq"] for item in items], sorted(item["seq"] for item in items))
        self.assertEqual(sum(item["type"] == "restart" for item in items), 18)
        counts = {"turn": lambda item: 1, "gap": lambda item: item["count"], "restart": lambda item: 0}
        self.assertEqual(sum(counts[item["type"]](item) for item in items), turns)
        # In each context of each chain exactly as many turns are known or missing as there were.
        for session in sessions:
            since = 0
            for item in items:
                if item["session"] != session.key:
                    continue
                if item["type"] == "restart":
                    self.assertEqual(since, 500)
                    since = 0
                else:
                    since += item.get("count", 1)

    def test_gap_never_takes_a_sent_seq(self) -> None:
        """a full queue drops nothing that may be on the wire"""
        server = self.serve()
        server.answer = lambda hello, items: (503, {})
        client = self.connect(server.url, max_queue_bytes=0)
        session = client.session("s")
        session.turn({"input": 0}, call="first")
        server.wait_for(lambda: server.requests)
        for turn in range(1, 8_000):
            session.turn({"input": turn}, call="x" * 200)
        self.assertGreater(client.stats()["dropped"], 0)
        server.answer = lambda hello, items: None
        self.assertTrue(client.flush(30).delivered)
        sent = server.requests[0][0]
        self.assertEqual(server.items[0], sent)
        self.assertEqual(server.conflicts, [])
        counted = sum(1 if item["type"] == "turn" else item["count"] for item in server.items)
        self.assertEqual(counted, 8_000)

    def test_no_disk(self) -> None:
        """where no folder can be made items wait in memory and are delivered"""
        blocked = Path(self.folder, "file")
        blocked.write_text("")
        server = self.serve()
        client = self.connect(server.url, queue_folder=str(blocked / "queue"))
        client.session("s").turn({"input": 1})
        self.assertFalse(client.stats()["durable"])
        self.assertTrue(client.close(20).delivered)
        self.assertEqual(len(server.items), 1)

    def test_full_disk(self) -> None:
        """on a full disk items wait in memory and are delivered"""
        program = (
            "import resource, sys, barograph as b\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
            f"client = b.Client(sys.argv[1], None, project='p', runner='r', queue_folder={self.folder!r})\n"
            "with client._lock:\n"
            "    for turn in range(500):\n"
            "        assert client.session('s').turn({'input': turn}, call='x' * 100) == turn + 1\n"
            "durable = client.stats()['durable']\n"
            "print(durable, client.close(30).delivered)\n"
        )
        server = self.serve()
        child = subprocess.run(
            [sys.executable, "-c", program, server.url], capture_output=True, text=True, cwd=HERE, timeout=60,
            env={"PATH": os.environ.get("PATH", "")},
        )
        self.assertEqual(child.stdout.strip(), "False True", child.stderr)
        self.assertEqual([item["usage"]["input"] for item in server.items], list(range(500)))

    @unittest.skipUnless(hasattr(os, "fork"), "this system cannot fork")
    def test_fork(self) -> None:
        """a forked process reports on a stream of its own, and the parent's queue is left to it"""
        server = self.serve()
        program = (
            "import os, sys, barograph as b\n"
            f"client = b.Client(sys.argv[1], None, project='p', runner='r', queue_folder={self.folder!r})\n"
            "session = client.session('s')\n"
            "session.turn({'input': 1})\n"
            "pid = os.fork()\n"
            "session.turn({'input': 2 if pid else 3})\n"
            "result = client.close(20)\n"
            "if pid: os.waitpid(pid, 0)\n"
            "os._exit(0 if result.delivered else 1)\n"
        )
        child = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program, server.url], cwd=HERE, timeout=60, capture_output=True,
            env={"PATH": os.environ.get("PATH", "")},
        )
        self.assertEqual((child.returncode, child.stderr), (0, b""))
        self.assertEqual(sorted(item["usage"]["input"] for item in server.items), [1, 2, 3])
        self.assertEqual(len({stream for stream, _ in server.stored}), 2)
        self.assertEqual(server.conflicts, [])

    def test_end_of_program(self) -> None:
        """a program that ends without closing has its items delivered"""
        server = self.serve()
        program = (
            "import sys, barograph as b\n"
            f"client = b.Client(sys.argv[1], None, project='p', runner='r', queue_folder={self.folder!r})\n"
            "client.session('s').turn({'input': 1})\n"
        )
        child = subprocess.run(
            [sys.executable, "-c", program, server.url], cwd=HERE, timeout=60, capture_output=True,
            env={"PATH": os.environ.get("PATH", "")},
        )
        self.assertEqual((child.returncode, child.stderr), (0, b""))
        self.assertEqual((len(server.items), self.left_behind()), (1, []))

    def test_unloaded_segments(self) -> None:
        """a long queue is kept on the disk, not in memory, and arrives whole"""
        client = self.connect(UNREACHABLE, max_queue_bytes=4 * 1024 * 1024)
        session = client.session("s")
        for turn in range(4_000):
            session.turn({"input": turn}, call="x" * 300)
        held = sum(len(segment.lines or []) for segment in client._queue.segments)
        self.assertLess(held, 3_000)
        server = self.serve()
        client.close(0)
        self.move_queues(server.url)
        heir = self.connect(server.url)
        server.wait_for(lambda: len(server.stored) == 4_000, 60)
        heir.close()
        self.assertEqual([item["usage"]["input"] for item in server.items], list(range(4_000)))


class ExampleTests(ClientCase):
    def run_example(self, **env: str) -> str:
        child = subprocess.run(
            [sys.executable, str(HERE.parent / "examples" / "python_agent.py")], capture_output=True, text=True,
            env={"HOME": self.folder, "BAROGRAPH_DATA_DIR": self.folder, **env}, cwd=self.folder, timeout=60,
        )
        self.assertEqual((child.returncode, child.stderr), (0, ""))
        return child.stdout

    def test_alone(self) -> None:
        """the example runs without a server and prints what it says it prints"""
        output = self.run_example()
        lines = (HERE.parent / "examples" / "python_agent.py").read_text(encoding="utf-8").splitlines()
        begin = next(index for index, line in enumerate(lines) if line.startswith("    turn 1:"))
        said = [line.strip() for line in lines[begin : begin + 7]]
        for line, promised in zip(output.splitlines(), said):
            for part in promised.replace("python-…", "…").split("…"):
                self.assertIn(part, line)
        self.assertIn("Nothing was reported: no server is known.", output)

    def test_with_server(self) -> None:
        """the example reports its session, its restart and its turns"""
        server = self.serve()
        self.assertIn("Everything was stored.", self.run_example(BAROGRAPH_URL=server.url, BAROGRAPH_TOKEN="bg_x"))
        types = [item["type"] for item in server.items]
        self.assertEqual(types, ["session_start", *["turn"] * 4, "restart", "turn", "session_end"])
        self.assertEqual(server.hellos[0]["project"], "examples")


if __name__ == "__main__":
    unittest.main()
