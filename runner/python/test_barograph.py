"""The library's own answers: the shared vectors, and what they cannot show. Run by `run_tests.py`, or by unittest."""
from __future__ import annotations

import json
import logging
import math
import os
import pickle
import random
import sys
import tempfile
import threading
import time
import types
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import barograph as b  # noqa: E402

VECTOR_FOLDERS = (HERE.parent.parent / "core" / "vectors", HERE.parent / "dist" / "vectors")
VECTORS = next(folder for folder in VECTOR_FOLDERS if folder.is_dir())


def read_vectors(name: str) -> List[Dict[str, Any]]:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def with_vectors(name: str) -> Callable[[type], type]:
    """Gives a class a test for each case of a file, which calls its `check(case)`; the sentence is the case's name."""

    def decorate(cls: type) -> type:
        for number, case in enumerate(read_vectors(name)):

            def run(self: Any, case: Dict[str, Any] = case) -> None:
                self.check(case)

            run.__doc__ = case["name"]
            setattr(cls, f"test_{number:03d}", run)
        return cls

    return decorate


def from_json(value: Any) -> Any:
    """What JSON cannot hold."""
    is_special = isinstance(value, dict) and "$number" in value
    return float(value["$number"].replace("Infinity", "inf")) if is_special else value


class Recorder:
    """A session that records its calls."""

    key = "recorded"

    def __init__(self) -> None:
        self.calls: List[Any] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **fields: self.calls.append((name, args, fields))


class BrokenSession:
    key = "broken"

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no such luck")


@with_vectors("context-usage")
class ContextUsageVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        usage = b.ContextUsage()
        for step in case["steps"]:
            expected = step["expect"]
            refused = None
            if step["op"] == "addTurn":
                names = {"input": "input_tokens", "output": "output_tokens", "cacheRead": "cache_read_tokens"}
                given = {names[name]: from_json(step[name]) for name in names if name in step}
                try:
                    usage.add_turn(**given)
                except b.CountError as error:
                    refused = {"code": error.code, "field": error.field}
            elif step["op"] == "reset":
                usage.reset()
            else:
                usage.disable_tracking()
            self.assertEqual(refused, expected.get("refused"))
            totals = {"input": usage.input_tokens, "output": usage.output_tokens, "cacheRead": usage.cache_read_tokens}
            self.assertEqual(totals, expected["totals"])
            self.assertEqual(usage.is_tracking_enabled(), expected["tracking"])
            self.assertEqual([usage.pressure_ratio(limit) for limit in case["given"]["limits"]], expected["pressure"])


@with_vectors("pressure-threshold")
class PressureThresholdVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        given = case["given"]
        processor = b.UsageProcessor(
            limit=given["limit"], threshold=given["threshold"], session_id=given["sessionId"], vendor="anthropic"
        )
        for step in case["steps"]:
            raised = None
            if step["op"] == "restart":
                processor.reset()
            else:
                try:
                    processor.process({"usage": step["usage"]})
                except b.ContextPressureError as error:
                    raised = {
                        "sessionId": error.session_id, "inputTokens": error.input_tokens,
                        "outputTokens": error.output_tokens, "cacheReadTokens": error.cache_read_tokens,
                        "pressureRatio": error.pressure_ratio,
                    }
            usage, expected = processor.usage, step["expect"]
            totals = {"input": usage.input_tokens, "output": usage.output_tokens, "cacheRead": usage.cache_read_tokens}
            self.assertEqual(raised, expected["error"])
            self.assertEqual(totals, expected["totals"])
            self.assertEqual(usage.is_tracking_enabled(), expected["tracking"])
            self.assertEqual(processor.pressure_ratio, expected["pressure"])


@with_vectors("vendor-usage")
class VendorUsageVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        vendor, usage = case["given"]["vendor"], case["given"]["usage"]
        shapes: List[Any] = [usage]
        if isinstance(usage, dict):
            # The vendors' SDKs hand out objects with these names as attributes.
            shapes.append(json.loads(json.dumps(usage), object_hook=lambda fields: types.SimpleNamespace(**fields)))
        for shape in shapes:
            self.assertEqual(self.read(shape, vendor), case["expect"])

    def read(self, usage: Any, vendor: str) -> Dict[str, Any]:
        try:
            turn = b.read_usage(usage, vendor)
        except b.CountError as error:
            return {"refused": {"code": error.code, "field": error.field}}
        if turn is None:
            return {"usage": None, "contextTokens": None}
        counts = {
            "input": turn.input, "output": turn.output, "cacheRead": turn.cache_read,
            "cacheCreation": turn.cache_creation,
        }
        return {"usage": counts, "contextTokens": turn.context_tokens}


@with_vectors("states")
class StateVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        used, limit, expected = case["given"]["used"], case["given"]["limit"], case["expect"]
        pressure = b.pressure_of(used, limit)
        self.assertEqual(pressure, expected["pressure"])
        state = b.state_of(pressure)
        self.assertEqual(state, expected["state"])
        self.assertEqual(b.is_concerning(state), expected["concerning"])
        self.assertEqual(b.needs_reset(state), expected["needsReset"])
        if used is None:
            return
        tracker = b.ContextTracker(limit)
        usage = tracker.add_message({"role": "user"}, used)
        self.assertTrue(math.isclose(usage.usage_percent, expected["percent"], rel_tol=1e-12))
        self.assertEqual(usage.tokens_remaining, expected["tokensRemaining"])
        self.assertEqual(usage.tokens_until_warning, expected["tokensUntilWarning"])
        self.assertEqual(usage.tokens_until_redline, expected["tokensUntilRestart"])
        for room in expected["hasRoomFor"]:
            self.assertEqual(usage.has_room_for(room["tokens"]), room["expect"])
        for line in expected["lines"]:
            self.assertEqual(b.tokens_at(line["line"], limit), line["tokensAt"])
            self.assertEqual(b.tokens_until(line["line"], limit, used), line["tokensUntil"])


EVENT_NAMES = {
    "tokens_used": "used", "max_tokens": "limit", "usage_percent": "percent", "tokens_cleared": "tokensCleared",
    "tokens_before": "before", "tokens_after": "after",
}


@with_vectors("tracker")
class TrackerVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        limit, auto = case["given"]["limit"], case["given"]["autoCompress"]
        options = {"auto_compress": auto["toPercent"], "auto_compress_at": auto["atPercent"]} if auto else {}
        tracker = b.ContextTracker(limit, **options)
        heard: List[Dict[str, Any]] = []
        tracker.subscribe(heard.append)
        for step in case["steps"]:
            heard.clear()
            self.play(tracker, step)
            expected = step["expect"]
            self.assertEqual(tracker.current_usage().tokens_used, expected["used"])
            self.assertEqual([message["id"] for message in tracker.messages], expected["messages"])
            self.assertEqual(tracker.message_count, len(expected["messages"]))
            self.assertEqual((tracker.state, tracker.is_redlined), (expected["state"], expected["redlined"]))
            self.assertEqual([self.spelled(event) for event in heard], expected["events"])
            if "suggestions" in expected:
                advice = tracker.composition()["suggestions"]
                self.assertEqual(advice, expected["suggestions"])
                saved = [suggestion.tokens_saved for suggestion in tracker.compression_suggestions()]
                self.assertEqual(saved, [suggestion["tokensSaved"] for suggestion in advice])
            if "roles" in expected:
                roles = {role.pop("role"): role for role in tracker.composition()["roles"]}
                self.assertEqual(roles, expected["roles"])
        self.assertEqual([usage.tokens_used for usage in tracker.history], case["expect"]["history"])

    def play(self, tracker: b.ContextTracker, step: Dict[str, Any]) -> None:
        if step["op"] == "addMessage":
            tracker.add_message({"id": step["id"], "role": step["role"]}, step["tokens"])
        elif step["op"] == "clear":
            tracker.clear()
        elif step["op"] == "compressToThreshold":
            tracker.compress_to_threshold(step["percent"])

    def spelled(self, event: Dict[str, Any]) -> Dict[str, Any]:
        first, *rest = event["type"].split("_")
        renamed = {EVENT_NAMES.get(name, name): value for name, value in event.items()}
        return {**renamed, "type": first + "".join(part.capitalize() for part in rest)}


@with_vectors("checkpoint")
class CheckpointVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        self.assertEqual(b.extract_checkpoint(case["given"]["text"]), case["expect"]["checkpoint"])


@with_vectors("archive-name")
class ArchiveNameVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        given, expected = case["given"], case["expect"]
        if given["kind"] == "session":
            name, safe = b.session_name(given.get("sessionId")), r"(?!\.)[A-Za-z0-9._-]{1,150}"
        elif given["kind"] == "repo":
            name, safe = b.repo_key(given["path"]), r""
        else:
            name, safe = b.extension_of(given["path"]), r"\.[A-Za-z0-9._~+-]{1,31}"
        if "equals" in expected:
            self.assertEqual(name, expected["equals"])
        else:
            self.assertRegex(name, rf"^{safe}\Z")


@with_vectors("snapshot")
class SnapshotVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        snapshot = b.ContextSnapshot(case["given"]["limit"])
        for step in case["steps"]:
            if step["op"] == "boundary":
                snapshot.boundary(step["kind"])
            else:
                snapshot.record_call(step["totalTokens"], characters=step["characters"], scope=step["scope"])
            state = {"contextTokens": snapshot.context_tokens, "basis": snapshot.basis, "pressure": snapshot.pressure}
            self.assertEqual(state, step["expect"])


@with_vectors("settings")
class SettingVectors(unittest.TestCase):
    def check(self, case: Dict[str, Any]) -> None:
        with self.assertRaises(b.UnknownSettingError) as caught:
            b.refuse_unknown_settings([case["given"]["setting"]], case["given"]["known"])
        self.assertTrue(str(caught.exception).startswith(case["expect"]["begins"]))
        self.assertIn(f'"{case["expect"]["nearest"]}"', str(caught.exception))
        self.assertEqual(caught.exception.nearest, case["expect"]["nearest"])


class UsageTests(unittest.TestCase):
    def test_order(self) -> None:
        """sums do not depend on the order of turns"""
        chance = random.Random(7)
        for _ in range(50):
            turns = [[chance.randrange(-50, 10_000) for _ in range(3)] for _ in range(20)]
            sums = set()
            for _ in range(3):
                chance.shuffle(turns)
                usage = b.ContextUsage()
                for turn in turns:
                    usage.add_turn(input_tokens=turn[0], output_tokens=turn[1], cache_read_tokens=turn[2])
                sums.add((usage.input_tokens, usage.output_tokens, usage.cache_read_tokens))
            self.assertEqual(sums, {tuple(sum(max(0, turn[i]) for turn in turns) for i in range(3))})

    def test_constructor(self) -> None:
        """a context that is given its sums reads 0.3 whatever its cache reads"""
        for cache_reads in (0, 1_000_000, 2**53 - 1):
            self.assertEqual(b.ContextUsage(1000, 2000, cache_reads).pressure_ratio(10_000), 0.3)

    def test_numbers(self) -> None:
        """a number that is whole is counted, however Python writes it"""
        usage = b.ContextUsage()

        class Whole:
            def __index__(self) -> int:
                return 5

        usage.add_turn(input_tokens=3.0, output_tokens=Whole(), cache_read_tokens=None)
        self.assertEqual((usage.input_tokens, usage.output_tokens, usage.cache_read_tokens), (3, 5, 0))

    def test_enabling(self) -> None:
        """tracking comes back only after a reset, and not after a turn without usage in the new context"""
        usage = b.ContextUsage()
        usage.disable_tracking()
        self.assertFalse(usage.enable_tracking())
        usage.reset()
        self.assertFalse(usage.is_tracking_enabled())
        usage.disable_tracking()
        self.assertFalse(usage.enable_tracking())
        usage.reset()
        self.assertTrue(usage.enable_tracking())

    def test_reset_log(self) -> None:
        """a reset is logged with the number of the continuation"""
        with self.assertLogs("barograph", "DEBUG") as logs:
            b.ContextUsage(session_id="task-42").reset(3)
        self.assertIn("Session task-42: resetting context usage for restart (continuation #3)", logs.output[0])

    def test_turn_log(self) -> None:
        """a turn is logged with its own counts and the sums"""
        processor = b.UsageProcessor(limit=200_000)
        with self.assertLogs("barograph", "DEBUG") as logs:
            processor.process({"usage": {"input_tokens": 10, "output_tokens": 20}})
            processor.process({"usage": {"input_tokens": 1, "output_tokens": 2}})
        counts = "turn=(input=1 output=2 cache_read=0) cumulative=(input=11 output=22 cache_read=0)"
        self.assertIn(counts, logs.output[1])

    def test_missing_usage_log(self) -> None:
        """a result without usage is warned of once"""
        processor = b.UsageProcessor()
        with self.assertLogs("barograph", "WARNING") as logs:
            processor.process({"usage": None})
            processor.process({"usage": None})
        self.assertEqual(len(logs.output), 1)

    def test_report(self) -> None:
        """turns are reported with what was stated, and null where nothing was"""
        recorder = Recorder()
        processor = b.UsageProcessor(limit=1_000, session=recorder)
        turn = processor.process({"usage": {"input_tokens": 1, "output_tokens": 2}}, call="msg_1", model="m")
        processor.process({"usage": None})
        self.assertEqual([(name, args[0]) for name, args, _ in recorder.calls], [("turn", turn), ("turn", None)])
        self.assertEqual(recorder.calls[0][2]["call"], "msg_1")
        self.assertEqual(recorder.calls[0][2]["limit"], 1_000)

    def test_refused_report(self) -> None:
        """a turn that cannot be counted is reported as a gap and raised"""
        recorder = Recorder()
        with self.assertRaises(b.CountError):
            b.UsageProcessor(session=recorder).process({"usage": {"input_tokens": "many", "output_tokens": 2}})
        self.assertEqual(recorder.calls, [("gap", (), {"count": 1, "reason": "invalid_count: input"})])

    def test_broken_session(self) -> None:
        """errors of the session have no effect"""
        processor = b.UsageProcessor(limit=100, threshold=0.5, session=BrokenSession())
        processor.process({"usage": {"input_tokens": 1, "output_tokens": 2}})
        with self.assertRaises(b.ContextPressureError):
            processor.process({"usage": {"input_tokens": 50, "output_tokens": 2}})

    def test_side(self) -> None:
        """a side call is reported and in no sum"""
        recorder = Recorder()
        processor = b.UsageProcessor(limit=100, session=recorder)
        processor.process({"usage": {"input_tokens": 99, "output_tokens": 9}}, scope="side")
        processor.process({"usage": None}, scope="side")
        self.assertEqual((processor.usage.input_tokens, processor.usage.is_tracking_enabled()), (0, True))
        self.assertEqual([fields["scope"] for _, _, fields in recorder.calls], ["side", "side"])

    def test_detection(self) -> None:
        """the fields tell whose usage it is"""
        for case in read_vectors("vendor-usage"):
            usage = case["given"]["usage"]
            if not usage or "refused" in case["expect"] or case["given"]["vendor"] in ("codex", "openai-agents"):
                continue
            found = b.read_usage(usage)
            assert found is not None
            self.assertEqual(found.output, case["expect"]["usage"]["output"], case["name"])

    def test_unknown_shape(self) -> None:
        """what no vendor writes is no usage"""
        self.assertIsNone(b.read_usage({"words": 5}))
        self.assertIsNone(b.read_usage(None))
        with self.assertRaises(ValueError):
            b.read_usage({"input_tokens": 1}, "acme")

    def test_threshold_option(self) -> None:
        """a threshold of 0 or less is refused"""
        for threshold in (0, -1, float("nan")):
            with self.assertRaises(ValueError):
                b.UsageProcessor(threshold=threshold)

    def test_limit_option(self) -> None:
        """a limit that is no whole number of tokens is refused"""
        for limit in (float("nan"), float("inf"), 10.5, True, "200000"):
            with self.assertRaisesRegex(ValueError, '"limit" must be a whole number of tokens'):
                b.UsageProcessor(limit=limit)  # type: ignore[arg-type]

    def test_unlikely_threshold(self) -> None:
        """a threshold that looks like a percentage is taken as the share that it is, with a warning"""
        with self.assertLogs("barograph", "WARNING") as logs:
            self.assertEqual(b.UsageProcessor(threshold=90).threshold, 90)
        self.assertIn("90 is never reached", logs.output[0])

    def test_empty_message(self) -> None:
        """a message with nothing in it states no usage, a usage with nothing in it is a turn of 0"""
        processor = b.UsageProcessor()
        self.assertIsNotNone(processor.process({"usage": {}}))
        self.assertTrue(processor.usage.is_tracking_enabled())
        self.assertIsNone(processor.process({}))
        self.assertFalse(processor.usage.is_tracking_enabled())

    def test_pickle(self) -> None:
        """a pressure error keeps what it carries on its way between processes"""
        error = pickle.loads(pickle.dumps(b.ContextPressureError("s", 1, 2, 3, 0.9)))
        self.assertEqual((error.session_id, error.input_tokens, error.pressure_ratio), ("s", 1, 0.9))
        self.assertIn("90.0%", str(error))


class TrackerTests(unittest.TestCase):
    def test_threads(self) -> None:
        """eight threads on one tracker lose no message and no token, and everybody hears one order"""
        tracker = b.ContextTracker(10_000_000)
        subscriptions = [tracker.events(100_000) for _ in range(3)]
        heard: List[Dict[str, Any]] = []
        tracker.subscribe(heard.append)
        ready = threading.Barrier(8)

        def work(number: int) -> None:
            ready.wait()
            for turn in range(200):
                tracker.add_message({"role": "user", "by": number, "turn": turn}, turn)
                if turn % 4 == 3:
                    tracker.compress_to_threshold(0.01)
                    self.assertGreaterEqual(tracker.message_count, 1)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tracker.close()
        self.assertEqual(len(tracker.history), 1000)
        orders = [list(subscription) for subscription in subscriptions]
        self.assertEqual(orders[0], orders[1])
        self.assertEqual(orders[1], orders[2])
        self.assertEqual(heard, orders[0])
        removed = sum(event["removed"] for event in heard if event["type"] == "compressed")
        self.assertEqual(removed + tracker.message_count, 8 * 200)
        self.assertEqual(sum(message["turn"] for message in tracker.messages), tracker.current_usage().tokens_used)
        # Messages of one thread keep their order.
        for number in range(8):
            own = [message["turn"] for message in tracker.messages if message["by"] == number]
            self.assertEqual(own, sorted(own))

    def test_steps(self) -> None:
        """a message added among eight threads is one step: its snapshot counts it and nothing that came later"""
        take_stock = b.ContextTracker._usage

        def yield_and_take_stock(tracker: b.ContextTracker) -> b.UsageSnapshot:
            # Others get their turn in the middle of every step: what is not one is torn apart.
            time.sleep(1e-5)
            return take_stock(tracker)

        tracker = b.ContextTracker(1_000)
        work = lambda: [tracker.add_message({"role": "user"}, 1) for _ in range(100)]  # noqa: E731
        with mock.patch.object(b.ContextTracker, "_usage", yield_and_take_stock):
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual([usage.tokens_used for usage in tracker.history], list(range(1, 801)))

    def test_buffer(self) -> None:
        """a subscriber that is too slow loses the oldest events beyond 100 and gets their count"""
        tracker = b.ContextTracker(100)
        subscription = tracker.events()
        for _ in range(130):
            tracker.clear()
        self.assertEqual(subscription.get(0), {"type": "lagged", "lost": 30})
        tracker.close()
        self.assertEqual(len(list(subscription)), 100)

    def test_wait(self) -> None:
        """a subscriber waits for the next event, and ends when it is closed"""
        tracker = b.ContextTracker(100)
        subscription = tracker.events()
        self.assertIsNone(subscription.get(0.01))
        timer = threading.Timer(0.05, tracker.clear)
        timer.start()
        self.assertEqual(subscription.get(10), {"type": "cleared", "tokens_cleared": 0})
        timer.join()
        subscription.close()
        self.assertIsNone(subscription.get())

    def test_nobody(self) -> None:
        """emitting without subscribers is fine"""
        tracker = b.ContextTracker(10)
        tracker.add_message({"role": "user"}, 20)
        self.assertTrue(tracker.is_redlined)

    def test_listener(self) -> None:
        """a listener that fails or changes the tracker does not affect others, and all get one order"""
        tracker = b.ContextTracker(100)
        first: List[str] = []
        second: List[str] = []

        def clear_when_redlined(event: Dict[str, Any]) -> None:
            first.append(event["type"])
            if event["type"] == "redlined":
                tracker.clear()
            raise RuntimeError("no such luck")

        tracker.subscribe(clear_when_redlined)
        forget = tracker.subscribe(lambda event: second.append(event["type"]))
        tracker.add_message({"role": "user"}, 100)
        self.assertEqual(first, ["state_changed", "approaching_redline", "redlined", "cleared"])
        self.assertEqual(second, first)
        forget()
        tracker.clear()
        self.assertEqual(len(second), 4)

    def test_tool_pairs(self) -> None:
        """a tool call leaves with its results, unless the owner wants it otherwise"""
        messages = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
            {"role": "assistant", "content": "done"},
        ]
        result = messages[2]["content"]
        for pairs, left in (("together", ["done"]), ("apart", [result, "done"])):
            tracker = b.ContextTracker(100, tool_pairs=pairs)
            for message in messages:
                tracker.add_message(message, 25)
            tracker.compress_to_threshold(50)
            self.assertEqual([message["content"] for message in tracker.messages], left)

    def test_roles(self) -> None:
        """roles of any vendor are read: developer is system, tool results of a user are tool"""
        tracker = b.ContextTracker(1000)
        tracker.add_message({"role": "developer", "content": "be brief"})
        tracker.add_message(types.SimpleNamespace(role="model", parts=[types.SimpleNamespace(text="hello")]))
        tracker.add_message({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]})
        self.assertEqual([role["role"] for role in tracker.composition()["roles"]], ["system", "assistant", "tool"])

    def test_estimate(self) -> None:
        """without a counter a message costs a quarter of its characters, rounded up"""
        tracker = b.ContextTracker(1000)
        for message, tokens in (
            ({"role": "user", "content": "12345"}, 2),
            ({"role": "user", "content": [{"type": "text", "text": "1234"}, {"type": "image", "data": "x" * 999}]}, 1),
            ({"role": "user", "name": "bob", "content": "你好世界!"}, 2),
            (types.SimpleNamespace(role="assistant", content="x" * 40), 10),
        ):
            before = tracker.current_usage().tokens_used
            self.assertEqual(tracker.add_message(message).tokens_used - before, tokens)

    def test_counter(self) -> None:
        """a counter of one's own is asked, and its nonsense refused"""
        tracker = b.ContextTracker(1000, lambda message: message["cost"])
        self.assertEqual(tracker.add_message({"role": "user", "cost": 7}).tokens_used, 7)
        for cost in (-1, 1.5, "7", 2**60):
            with self.assertRaises(ValueError):
                tracker.add_message({"role": "user", "cost": cost})
        self.assertEqual((tracker.message_count, tracker.current_usage().tokens_used), (1, 7))

    def test_strange_messages(self) -> None:
        """messages of any kind are taken, also ones that answer to every name"""
        from unittest.mock import MagicMock

        tracker = b.ContextTracker(1000)
        endless: Dict[str, Any] = {"role": "user"}
        endless["content"] = [endless, {"text": endless, "input": endless}]
        for message in ("text", 5, None, MagicMock(), {"role": 5, "tool_calls": 7, "content": {"a": 1}}, [1], endless):
            tracker.add_message(message)
        self.assertEqual(tracker.message_count, 7)

    def test_report(self) -> None:
        """clearing, compressing and turns with their composition are reported; errors of the session have no effect"""
        recorder = Recorder()
        tracker = b.ContextTracker(100, session=recorder, chain="agent-1")
        for _ in range(3):
            tracker.add_message({"role": "user"}, 30)
        tracker.report_turn({"input": 5}, call="c1")
        tracker.compress_to_threshold(50)
        tracker.clear()
        names = [name for name, _, _ in recorder.calls]
        self.assertEqual(names, ["turn", "compress", "clear"])
        turn = recorder.calls[0][2]
        reported = (turn["context_tokens"], turn["basis"], turn["chain"], turn["limit"])
        self.assertEqual(reported, (90, "total", "agent-1", 100))
        self.assertEqual(turn["composition"]["compression"]["tokensLeft"], 30)
        self.assertEqual(recorder.calls[1][2], {"before": 90, "after": 30, "removed": 2, "chain": "agent-1"})
        self.assertEqual(recorder.calls[2][2], {"tokens_cleared": 30, "chain": "agent-1"})
        broken = b.ContextTracker(100, session=BrokenSession())
        broken.clear()
        broken.report_turn()

    def test_options(self) -> None:
        """options out of range are refused"""
        for make in (
            lambda: b.ContextTracker("big"), lambda: b.ContextTracker(True),
            lambda: b.ContextTracker(1, tool_pairs="both"), lambda: b.ContextTracker(1, auto_compress=-1),
            lambda: b.ContextTracker(1).compress_to_threshold(float("nan")),
            lambda: b.ContextTracker(1).composition(101), lambda: b.ContextTracker(1).events(0),
        ):
            with self.assertRaises(ValueError):
                make()

    def test_invariants(self) -> None:
        """whatever is compressed, system messages and one message stay, and the newest go last"""
        chance = random.Random(11)
        for _ in range(300):
            tracker = b.ContextTracker(1_000)
            roles = [chance.choice(["system", "user", "assistant"]) for _ in range(chance.randrange(1, 20))]
            for index, role in enumerate(roles):
                tracker.add_message({"role": role, "index": index}, chance.randrange(0, 200))
            before = tracker.messages
            percent = chance.randrange(0, 120)
            tracker.compress_to_threshold(percent)
            left = [message["index"] for message in tracker.messages]
            systems = [m["index"] for m in before if m["role"] == "system"]
            self.assertGreaterEqual(len(left), 1)
            self.assertTrue(set(systems) <= set(left))
            others = [m["index"] for m in before if m["role"] != "system"]
            kept = [index for index in left if index in others]
            self.assertEqual(kept, others[len(others) - len(kept) :])
            over = tracker.current_usage().tokens_used * 100 > percent * 1_000
            self.assertTrue(not over or not kept or len(left) == 1)


class SettingTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def environment(self, **more: str) -> Dict[str, str]:
        return {"HOME": self.folder, "BAROGRAPH_DATA_DIR": self.folder, **more}

    def connect_file(self, url: str = "http://127.0.0.1:4680") -> None:
        content = {"url": url, "ingestToken": "bg_local", "readToken": "bg_read", "secret": "5e" * 32}
        Path(self.folder, "connection.json").write_text(json.dumps(content))

    def test_file(self) -> None:
        """address and token come from the connection file of the server on this machine"""
        self.connect_file()
        settings = b.read_settings(self.environment())
        self.assertEqual((settings.url, settings.token), ("http://127.0.0.1:4680", "bg_local"))
        self.assertEqual(settings.queue_folder, os.path.join(self.folder, "queue"))
        self.assertEqual(settings.secret, "5e" * 32)
        self.assertNotIn("bg_local", repr(settings))
        self.assertNotIn("5e5e", repr(settings))
        self.assertIsNone(b.read_settings(self.environment(BAROGRAPH_TOKEN="bg_mine")).secret)

    def test_stopped(self) -> None:
        """a server that stopped is known, to queue for"""
        self.connect_file()
        Path(self.folder, "connection.json").rename(Path(self.folder, "last-connection.json"))
        settings = b.read_settings(self.environment())
        self.assertEqual((settings.url, settings.secret), ("http://127.0.0.1:4680", "5e" * 32))

    def test_other_server(self) -> None:
        """the file's token is for the server that it names alone"""
        self.connect_file()
        self.assertIsNone(b.read_settings(self.environment(BAROGRAPH_URL="http://elsewhere:4680")).token)
        self.assertIsNone(b.read_settings(self.environment(), url="http://elsewhere:4680").token)
        self.assertEqual(b.read_settings(self.environment(BAROGRAPH_URL="http://localhost:4680/")).token, "bg_local")

    def test_environment(self) -> None:
        """the environment goes before the file"""
        self.connect_file()
        given = {"BAROGRAPH_URL": "https://b.example", "BAROGRAPH_TOKEN": "bg_mine", "BAROGRAPH_CONTENT": "OFF"}
        settings = b.read_settings(self.environment(**given, BAROGRAPH_QUEUE_DIR="/q", BAROGRAPH_PROJECT=" p "))
        self.assertEqual((settings.url, settings.token, settings.content), ("https://b.example", "bg_mine", False))
        self.assertEqual((settings.queue_folder, settings.project), ("/q", "p"))

    def test_wrong(self) -> None:
        """a setting that is unknown or cannot be used is named"""
        for name, value in (
            ("BAROGRAPH_TOKKEN", "x"), ("BAROGRAPH_CONTENT", "maybe"), ("BAROGRAPH_QUEUE_DIR", "relative"),
        ):
            with self.assertRaises(b.SettingError) as caught:
                b.read_settings(self.environment(**{name: value}))
            self.assertIn(name, str(caught.exception))
            self.assertEqual(caught.exception.setting, name)

    def test_damaged(self) -> None:
        """a damaged connection file is named"""
        Path(self.folder, "connection.json").write_text("{")
        with self.assertRaises(b.SettingError) as caught:
            b.read_settings(self.environment())
        self.assertIn("connection.json", str(caught.exception))

    def test_nowhere(self) -> None:
        """without any server connecting says what to set"""
        with self.assertRaises(b.SettingError) as caught:
            b.connect(environ=self.environment())
        self.assertIn("BAROGRAPH_URL", str(caught.exception))

    def test_list(self) -> None:
        """every setting that the other programs know is known here"""
        source = HERE.parent.parent / "core" / "settings" / "setting-list.ts"
        if not source.exists():
            self.skipTest("the list of settings is not shipped with the package")
        import re

        self.assertEqual(sorted(re.findall(r"name: '(BAROGRAPH_\w+)'", source.read_text())), sorted(b.SETTINGS))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    unittest.main()
