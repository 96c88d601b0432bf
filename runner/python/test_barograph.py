"""Tests of the library: the shared vectors, and cases that need Python."""
from __future__ import annotations

import json
import math
import os
import pickle
import random
import sys
import tempfile
import threading
import types
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest.mock import MagicMock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import barograph as b  # noqa: E402
from barograph import archive, settings  # noqa: E402

VECTOR_FOLDERS = (HERE.parent.parent / "core" / "vectors", HERE.parent / "dist" / "vectors")
VECTORS = next(folder for folder in VECTOR_FOLDERS if folder.is_dir())


def read_vectors(name: str) -> List[Dict[str, Any]]:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def from_json(value: Any) -> Any:
    """Decode numbers that JSON cannot hold."""
    is_special = isinstance(value, dict) and "$number" in value
    return float(value["$number"].replace("Infinity", "inf")) if is_special else value


class VectorCase(unittest.TestCase):
    """Checks each case of a vector file."""

    vectors = ""

    def test_vectors(self) -> None:
        for case in read_vectors(self.vectors) if self.vectors else []:
            with self.subTest(case["name"]):
                self.check(case)

    def check(self, case: Dict[str, Any]) -> None:
        raise NotImplementedError


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


class ContextUsageVectors(VectorCase):
    vectors = "context-usage"

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


class PressureThresholdVectors(VectorCase):
    vectors = "pressure-threshold"

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


class VendorUsageVectors(VectorCase):
    vectors = "vendor-usage"

    def check(self, case: Dict[str, Any]) -> None:
        vendor, usage = case["given"]["vendor"], case["given"]["usage"]
        shapes: List[Any] = [usage]
        if isinstance(usage, dict):
            # The SDKs of the vendors return objects with these attributes.
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


class StateVectors(VectorCase):
    vectors = "states"

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
        for line in expected["lines"]:
            self.assertEqual(b.tokens_at(line["line"], limit), line["tokensAt"])
            self.assertEqual(b.tokens_until(line["line"], limit, used), line["tokensUntil"])
        # A tracker refuses a window of 0 tokens or less.
        if limit < 1:
            return
        tracker = b.ContextTracker(limit)
        usage = tracker.add_message({"role": "user"}, used)
        self.assertTrue(math.isclose(usage.usage_percent, expected["percent"], rel_tol=1e-12))
        self.assertEqual(usage.tokens_remaining, expected["tokensRemaining"])
        self.assertEqual(usage.tokens_until_warning, expected["tokensUntilWarning"])
        self.assertEqual(usage.tokens_until_redline, expected["tokensUntilRestart"])
        for room in expected["hasRoomFor"]:
            self.assertEqual(usage.has_room_for(room["tokens"]), room["expect"])


EVENT_NAMES = {
    "tokens_used": "used", "max_tokens": "limit", "usage_percent": "percent", "tokens_cleared": "tokensCleared",
    "tokens_before": "before", "tokens_after": "after",
}


class TrackerVectors(VectorCase):
    vectors = "tracker"

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
                advice = [(each.kind, each.messages, each.tokens_saved, each.impact)
                          for each in tracker.compression_suggestions()]
                names = ("kind", "messages", "tokensSaved", "impact")
                self.assertEqual(advice, [tuple(each[name] for name in names) for each in expected["suggestions"]])
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


class ArchiveNameVectors(VectorCase):
    vectors = "archive-name"

    def check(self, case: Dict[str, Any]) -> None:
        given, expected = case["given"], case["expect"]
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


class SettingVectors(VectorCase):
    vectors = "settings"

    def check(self, case: Dict[str, Any]) -> None:
        with self.assertRaises(b.SettingError) as caught:
            settings.refuse_unknown_settings([case["given"]["setting"]], case["given"]["known"])
        self.assertTrue(str(caught.exception).startswith(case["expect"]["begins"]))
        self.assertIn(f'"{case["expect"]["nearest"]}"', str(caught.exception))
        self.assertEqual(caught.exception.nearest, case["expect"]["nearest"])


class UsageTests(unittest.TestCase):
    def test_order(self) -> None:
        """computes the same sums for any order of turns"""
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

    def test_numbers(self) -> None:
        """accepts all whole numbers of Python; cache reads do not count as pressure"""
        whole = type("Whole", (), {"__index__": lambda self: 5})()
        usage = b.ContextUsage()
        usage.add_turn(input_tokens=3.0, output_tokens=whole, cache_read_tokens=None)
        self.assertEqual((usage.input_tokens, usage.output_tokens, usage.cache_read_tokens), (3, 5, 0))
        for cache_reads in (0, 1_000_000, 2**53 - 1):
            self.assertEqual(b.ContextUsage(1000, 2000, cache_reads).pressure_ratio(10_000), 0.3)

    def test_enabling(self) -> None:
        """enables tracking only if a reset followed the last turn without usage"""
        usage = b.ContextUsage()
        usage.disable_tracking()
        self.assertFalse(usage.enable_tracking())
        usage.reset()
        self.assertFalse(usage.is_tracking_enabled())
        usage.disable_tracking()
        self.assertFalse(usage.enable_tracking())
        usage.reset()
        self.assertTrue(usage.enable_tracking())

    def test_assumptions(self) -> None:
        """warns once of an assumed limit, which is not reported, and of a usage with only unknown fields"""
        recorder = Recorder()
        processor = b.UsageProcessor(session=recorder)
        with self.assertLogs("barograph", "WARNING") as logs:
            for usage in ({"input_tokens": 10}, {"input_tokens": 10}, {"tokens_in": 5, "tokens_out": 7}):
                processor.process({"usage": usage})
        limit, unknown = logs.output
        self.assertIn("The context window is unknown, so 200000 tokens are assumed; set `limit`", limit)
        self.assertIn("A usage has only unknown fields (tokens_in, tokens_out): context tracking disabled", unknown)
        self.assertEqual([fields["limit"] for name, _, fields in recorder.calls if name == "turn"], [None] * 3)
        self.assertEqual(processor.pressure_ratio, 0)
        for message, cause in (({"type": "result"}, "A result message has no usage"), ({"tokens_in": 5}, "(tokens_in)")):
            with self.assertLogs("barograph", "WARNING") as logs:
                b.UsageProcessor(limit=1_000).process(message)
            self.assertIn(cause, logs.output[0])

    def test_log(self) -> None:
        """logs each turn with its sums, each reset with the continuation, and missing usage only once"""
        processor = b.UsageProcessor(limit=200_000, session_id="task-42")
        with self.assertLogs("barograph", "DEBUG") as logs:
            for usage in ({"input_tokens": 10, "output_tokens": 20}, {"input_tokens": 1, "output_tokens": 2}, None, None):
                processor.process({"usage": usage})
            processor.reset(3)
        counts = "turn=(input=1 output=2 cache_read=0) cumulative=(input=11 output=22 cache_read=0)"
        self.assertIn(counts, logs.output[1])
        self.assertEqual(len([line for line in logs.output if line.startswith("WARNING")]), 1)
        self.assertIn("Session task-42: resetting context usage for restart (continuation #3)", logs.output[-1])

    def test_report(self) -> None:
        """reports turns, the scope of side calls, and None for missing usage"""
        recorder = Recorder()
        processor = b.UsageProcessor(limit=1_000, session=recorder)
        turn = processor.process({"usage": {"input_tokens": 1, "output_tokens": 2}}, call="msg_1", model="m")
        processor.process({"usage": {"input_tokens": 999, "output_tokens": 9}}, scope="side")
        processor.process({"usage": None}, scope="side")
        self.assertEqual((processor.usage.input_tokens, processor.usage.is_tracking_enabled()), (1, True))
        processor.process({"usage": None})
        self.assertEqual(recorder.calls.pop(0), ("start", (), {"lens": "cumulative"}))
        self.assertEqual([(name, fields["scope"]) for name, _, fields in recorder.calls],
                         [("turn", None), ("turn", "side"), ("turn", "side"), ("turn", None)])
        (name, args, fields), *_, last = recorder.calls
        self.assertEqual((args[0], fields["call"], fields["limit"], last[1][0]), (turn, "msg_1", 1_000, None))

    def test_lens(self) -> None:
        """declares the snapshot lens for calls of a provider, and takes pressure from the last call"""
        for message, lens, pressure in (
            ({"object": "chat.completion", "usage": {"prompt_tokens": 400, "completion_tokens": 10}}, "snapshot", 0.41),
            ({"type": "assistant", "message": {"usage": {"input_tokens": 400, "output_tokens": 10}}}, "snapshot", 0.41),
            ({"type": "result", "usage": {"input_tokens": 200, "output_tokens": 5}}, "cumulative", 0.41),
        ):
            recorder = Recorder()
            processor = b.UsageProcessor(limit=1_000, session=recorder)
            processor.process(message)
            processor.process(message)
            self.assertEqual([name for name, *_ in recorder.calls], ["start", "turn", "turn"])
            self.assertEqual((recorder.calls[0][2], processor.pressure_ratio), ({"lens": lens}, pressure))
        self.assertRaises(ValueError, b.UsageProcessor, lens="snap")

    def test_refused_report(self) -> None:
        """reports a turn with an invalid count as a gap, and raises"""
        recorder = Recorder()
        with self.assertRaises(b.CountError):
            b.UsageProcessor(session=recorder).process({"usage": {"input_tokens": "many", "output_tokens": 2}})
        self.assertEqual(recorder.calls, [("gap", (), {"count": 1, "reason": "invalid_count: input"})])

    def test_broken_session(self) -> None:
        """ignores errors of the session"""
        processor = b.UsageProcessor(limit=100, threshold=0.5, session=BrokenSession())
        processor.process({"usage": {"input_tokens": 1, "output_tokens": 2}})
        with self.assertRaises(b.ContextPressureError) as caught:
            processor.process({"usage": {"input_tokens": 50, "output_tokens": 2}})
        # Pickling keeps the fields.
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((error.input_tokens, error.pressure_ratio, str(error)), (51, 0.55, str(caught.exception)))

    def test_detection(self) -> None:
        """detects the vendor from the fields, and finds no usage in unknown fields"""
        for case in read_vectors("vendor-usage"):
            usage = case["given"]["usage"]
            if not usage or "refused" in case["expect"] or case["given"]["vendor"] in ("codex", "openai-agents"):
                continue
            found = b.read_usage(usage)
            assert found is not None
            self.assertEqual(found.output, case["expect"]["usage"]["output"], case["name"])
        self.assertIsNone(b.read_usage({"words": 5}))
        self.assertIsNone(b.read_usage(None))
        with self.assertRaises(ValueError):
            b.read_usage({"input_tokens": 1}, "acme")

    def test_options(self) -> None:
        """rejects an invalid threshold or limit, and warns of a percentage"""
        for options in (
            *({"threshold": threshold} for threshold in (0, -1, float("nan"))),
            *({"limit": limit} for limit in (float("nan"), float("inf"), 10.5, True, "200000")),
        ):
            with self.assertRaises(ValueError):
                b.UsageProcessor(**options)  # type: ignore[arg-type]
        with self.assertLogs("barograph", "WARNING") as logs:
            self.assertEqual(b.UsageProcessor(threshold=90).threshold, 90)
        self.assertIn("90 is never reached", logs.output[0])

    def test_empty_message(self) -> None:
        """reads None as missing usage, an empty usage as a turn of 0, and an empty message as no report"""
        processor = b.UsageProcessor()
        self.assertIsNotNone(processor.process({"usage": {}}))
        self.assertIsNone(processor.process({}))
        self.assertTrue(processor.usage.is_tracking_enabled())
        self.assertIsNone(processor.process(None))
        self.assertFalse(processor.usage.is_tracking_enabled())


def counts(input_tokens: int, output_tokens: int, read: int = 0, created: int = 0) -> Dict[str, int]:
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return dict(zip(names, (input_tokens, output_tokens, read, created)))


def count(messages: List[Any], **options: Any) -> Any:
    """Counts a stream. Returns its processor, the sums, and the reported turns."""
    recorder = Recorder()
    processor = b.UsageProcessor(limit=200_000, threshold=2, session=recorder, **options)
    for message in messages:
        processor.process(message)
    usage = processor.usage
    turns = [(fields["call"], args[0] and args[0].output) for name, args, fields in recorder.calls if name == "turn"]
    return processor, [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens], turns


def make(name: str, **fields: Any) -> Any:
    """A message of the Claude Agent SDK for Python. The name of its class is its kind."""
    return type(name, (types.SimpleNamespace,), {})(**fields)


class StreamTests(unittest.TestCase):
    def test_recorded(self) -> None:
        """counts each call of a recorded stream of Claude Code once"""
        for path in sorted((HERE.parent / "fixtures" / "streams").glob("claude-code-*.jsonl")):
            with self.subTest(path.name):
                messages = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
                results = [message["usage"] for message in messages if message["type"] == "result"]
                names = ("input_tokens", "output_tokens", "cache_read_input_tokens")
                processor, sums, _ = count(messages)
                self.assertEqual(sums, [sum(usage[name] for usage in results) for name in names])
                self.assertTrue(processor.usage.is_tracking_enabled())

    def test_agent(self) -> None:
        """counts a call once, and of a result only the output that the messages lack"""
        for as_objects in (False, True):
            def message(kind: str, name: str, **fields: Any) -> Any:
                return make(name, **fields) if as_objects else {"type": kind, **fields}

            def call(id_: str, usage: Any, parent: Any = None) -> Any:
                inner = {"usage": usage, "message_id": id_} if as_objects else {"message": {"id": id_, "usage": usage}}
                return message("assistant", "AssistantMessage", parent_tool_use_id=parent, model="m", **inner)

            processor, sums, turns = count([
                message("system", "SystemMessage", subtype="init", data={}),
                call("msg_1", counts(10, 1, 0, 60_000)),
                call("msg_1", counts(10, 1, 0, 60_000)),
                call("msg_9", counts(7, 7), parent="toolu_1"),
                message("user", "UserMessage", content=[]),
                call("msg_2", counts(5, 1, 60_000, 120_000)),
                message("result", "ResultMessage", session_id="s-1", num_turns=2, usage=counts(15, 400, 60_000, 180_000)),
            ])
            self.assertEqual((sums, turns), ([15, 400, 60_000], [("msg_1", 1), ("msg_2", 1), ("msg_2", 399)]))
            self.assertEqual((processor.session_id, processor.pressure_ratio), ("s-1", (180_005 + 399) / 200_000))

    def test_events(self) -> None:
        """counts a call in the raw events of a stream once, at the event with the whole output"""
        for wrap in (lambda value: value, lambda value: json.loads(json.dumps(value), object_hook=lambda d: types.SimpleNamespace(**d))):
            events = [
                {"type": "message_start", "message": {"id": "msg_1", "type": "message", "usage": counts(3, 2, 1_000, 500)}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 40}},
                {"type": "message_stop"},
            ]
            processor, sums, turns = count([wrap(event) for event in events])
            self.assertEqual((sums, turns), ([3, 40, 1_000], [("msg_1", 40)]))
            self.assertEqual(processor.pressure_ratio, 1_543 / 200_000)

    def test_chunks(self) -> None:
        """counts a call with a running usage in each chunk once"""
        def chunk(id_: str, prompt: int, output: int) -> Dict[str, Any]:
            usage = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
            return {"object": "chat.completion.chunk", "id": id_, "usage": usage}

        start = {"object": "chat.completion.chunk", "id": "chatcmpl-abcdef", "usage": None}
        _, sums, turns = count([start, *(chunk("chatcmpl-abcdef", 100, output) for output in (1, 5, 5, 9))])
        self.assertEqual((sums, turns[-1]), ([100, 9, 0], ("chatcmpl-abcdef", 9)))
        # Some servers repeat an id for another call.
        _, sums, turns = count([chunk("chatcmpl-abcdef", 100, 1), chunk("chatcmpl-abcdef", 200, 1)])
        self.assertEqual((sums, [call for call, _ in turns]), ([300, 2, 0], ["chatcmpl-abcdef", None]))
        self.assertEqual(count([chunk("chatcmpl-417", 100, 1)])[2], [(None, 1)])

    def test_no_report(self) -> None:
        """skips messages that report no usage of the chain"""
        for message in (
            {"type": "system", "subtype": "task_notification", "usage": {"total_tokens": 9}},
            {"type": "stream_event", "event": {"type": "message_delta", "usage": counts(0, 9)}},
            {"type": "assistant", "message": {"model": "<synthetic>", "usage": counts(0, 0)}},
            make("TaskNotificationMessage", usage={"total_tokens": 9}, subtype="task_notification"),
            {"type": "result", "num_turns": 0, "usage": counts(0, 0)},
            {"type": "response.created", "response": {"usage": None}},
            {"role": "assistant", "content": "hello", "reasoning": "Why?"},
            "hello",
        ):
            _, sums, turns = count([message, {"type": "result", "usage": counts(3, 4)}])
            self.assertEqual((sums, turns), ([3, 4, 0], [(None, 4)]), message)
        mock, recorder = MagicMock(usage=counts(3, 4)), Recorder()
        self.assertIsNotNone(b.UsageProcessor(limit=1_000, session=recorder).process(mock))
        self.assertIsNone(recorder.calls[-1][2]["model"])
        for message in (None, {"type": "result"}, {"object": "chat.completion", "id": "c", "choices": []}, {"usage": None}):
            self.assertFalse(count([message])[0].usage.is_tracking_enabled(), message)


class TrackerTests(unittest.TestCase):
    def test_threads(self) -> None:
        """loses no message and no token with eight threads; all listeners receive the events in the same order"""
        tracker = b.ContextTracker(10_000_000)
        heard: List[List[Dict[str, Any]]] = [[], []]
        for each in heard:
            tracker.subscribe(each.append)
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
        tracker.clear()
        self.assertEqual(heard[0], heard[1])
        compressed = [event for event in heard[0] if event["type"] == "compressed"]
        self.assertEqual(len(tracker.history), 1000)
        removed = sum(event["tokens_before"] - event["tokens_after"] for event in compressed)
        self.assertEqual(removed + heard[0][-1]["tokens_cleared"], 8 * sum(range(200)))

    def test_listener(self) -> None:
        """keeps the order of events for all listeners if one raises or changes the tracker"""
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

    def test_messages(self) -> None:
        """removes a tool call together with its results, for every vendor"""
        for call, result in (
            ({"role": "assistant", "content": [{"type": "tool_use", "id": "t1"}]},
             {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]}),
            ({"role": "assistant", "tool_calls": [{"id": "t1"}]}, {"role": "tool", "tool_call_id": "t1"}),
            ({"type": "function_call", "call_id": "t1"}, {"type": "function_call_output", "call_id": "t1"}),
            (types.SimpleNamespace(role="model", parts=[types.SimpleNamespace(function_call={"id": "t1"})]),
             {"role": "user", "parts": [{"functionResponse": {"id": "t1"}}]}),
        ):
            tracker = b.ContextTracker(100)
            system, last = {"role": "developer", "content": "be brief"}, {"role": "assistant", "content": "done"}
            for message in (system, {"role": "user", "content": "go"}, call, result, last):
                tracker.add_message(message, 25)
            tracker.compress_to_threshold(90)
            self.assertEqual(tracker.messages, [system, last])

    def test_estimate(self) -> None:
        """estimates the texts of a message by script without a counter"""
        arguments = {"path": "a.ts"}
        for message, tokens in (
            ({"role": "user", "content": "hello world"}, 2),
            ({"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "image", "data": "x" * 999}]}, 1),
            ({"role": "user", "name": "bob", "content": "你好世界!"}, b.estimate_tokens("你好世界!")),
            (
                {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": arguments}]},
                b.estimate_tokens("read") + b.estimate_tokens('{"path":"a.ts"}'),
            ),
            (types.SimpleNamespace(role="assistant", content="The quick brown fox"), 4),
        ):
            self.assertEqual(b.ContextTracker(1000).add_message(message).tokens_used, tokens)

    def test_counter(self) -> None:
        """uses a custom counter, and rejects invalid counts"""
        tracker = b.ContextTracker(1000, lambda message: message["cost"])
        self.assertEqual(tracker.add_message({"role": "user", "cost": 7}).tokens_used, 7)
        for cost in (-1, 1.5, "7", 2**60):
            with self.assertRaises(ValueError):
                tracker.add_message({"role": "user", "cost": cost})
        self.assertEqual((tracker.message_count, tracker.current_usage().tokens_used), (1, 7))

    def test_strange_messages(self) -> None:
        """accepts messages of any kind, also objects with every attribute"""
        tracker = b.ContextTracker(1000)
        endless: Dict[str, Any] = {"role": "user"}
        endless["content"] = [endless, {"text": endless, "input": endless}]
        for message in ("text", 5, None, MagicMock(), {"role": 5, "tool_calls": 7, "content": {"a": 1}}, [1], endless):
            tracker.add_message(message)
        self.assertEqual(tracker.message_count, 7)

    def test_report(self) -> None:
        """reports clearing and compressing; errors of the session have no effect"""
        recorder = Recorder()
        tracker = b.ContextTracker(100, session=recorder, chain="agent-1")
        for _ in range(3):
            tracker.add_message({"role": "user"}, 30)
        tracker.compress_to_threshold(50)
        tracker.clear()
        self.assertEqual(recorder.calls, [
            ("compress", (), {"before": 90, "after": 30, "removed": 2, "chain": "agent-1"}),
            ("clear", (), {"tokens_cleared": 30, "chain": "agent-1"}),
        ])
        b.ContextTracker(100, session=BrokenSession()).clear()

    def test_options(self) -> None:
        """rejects options out of range"""
        for make in (
            lambda: b.ContextTracker("big"), lambda: b.ContextTracker(True), lambda: b.ContextTracker(0),
            lambda: b.ContextTracker(-5), lambda: b.ContextTracker(1, auto_compress=-1),
            lambda: b.ContextTracker(1).compress_to_threshold(float("nan")),
        ):
            with self.assertRaises(ValueError):
                make()

    def test_invariants(self) -> None:
        """keeps system messages and at least one message, and removes the oldest messages first"""
        chance = random.Random(11)
        for _ in range(300):
            tracker = b.ContextTracker(1_000)
            roles = [chance.choice(["system", "user", "assistant"]) for _ in range(chance.randrange(1, 20))]
            for index, role in enumerate(roles):
                tracker.add_message({"role": role, "index": index}, chance.randrange(0, 200))
            percent = chance.randrange(0, 120)
            tracker.compress_to_threshold(percent)
            left = [message["index"] for message in tracker.messages]
            self.assertGreaterEqual(len(left), 1)
            self.assertTrue({index for index, role in enumerate(roles) if role == "system"} <= set(left))
            others = [index for index, role in enumerate(roles) if role != "system"]
            kept = [index for index in left if index in others]
            self.assertEqual(kept, others[len(others) - len(kept) :])
            over = tracker.current_usage().tokens_used * 100 > percent * 1_000
            self.assertTrue(not over or not kept or len(left) == 1)


class SettingTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        content = {"url": "http://127.0.0.1:4680", "ingestToken": "bg_local", "secret": "5e" * 32}
        self.file = Path(self.folder, "connection.json")
        self.file.write_text(json.dumps(content))

    def read(self, url: Any = None, **more: str) -> Any:
        return settings.read_settings({"HOME": self.folder, "BAROGRAPH_DATA_DIR": self.folder, **more}, url=url)

    def test_file(self) -> None:
        """reads address and token from the connection file of a running or stopped server"""
        found = self.read()
        self.assertEqual((found.url, found.token, found.secret), ("http://127.0.0.1:4680", "bg_local", "5e" * 32))
        self.assertEqual(found.queue_folder, os.path.join(self.folder, "queue"))
        self.assertNotRegex(repr(found), "bg_local|5e5e")
        self.assertIsNone(self.read(BAROGRAPH_TOKEN="bg_mine").secret)
        self.file.rename(Path(self.folder, "last-connection.json"))
        self.assertEqual(self.read(), found)

    def test_other_server(self) -> None:
        """uses the file's token only for the server in the file"""
        self.assertIsNone(self.read(BAROGRAPH_URL="http://elsewhere:4680").token)
        self.assertIsNone(self.read("http://elsewhere:4680").token)
        self.assertEqual(self.read(BAROGRAPH_URL="http://localhost:4680/").token, "bg_local")

    def test_environment(self) -> None:
        """prefers the environment to the file"""
        given = {"BAROGRAPH_URL": "https://b.example", "BAROGRAPH_TOKEN": "bg_mine", "BAROGRAPH_CONTENT": "OFF"}
        found = self.read(**given, BAROGRAPH_QUEUE_DIR="/q", BAROGRAPH_PROJECT=" p ")
        self.assertEqual((found.url, found.token, found.content), ("https://b.example", "bg_mine", False))
        self.assertEqual((found.queue_folder, found.project), ("/q", "p"))

    def test_wrong(self) -> None:
        """names unknown, invalid and missing settings"""
        for name, value in (
            ("BAROGRAPH_TOKKEN", "x"), ("BAROGRAPH_CONTENT", "maybe"), ("BAROGRAPH_QUEUE_DIR", "relative"),
        ):
            with self.assertRaisesRegex(b.SettingError, name) as caught:
                self.read(**{name: value})
            self.assertEqual(caught.exception.setting, name)
        self.file.write_text("{")
        with self.assertRaisesRegex(b.SettingError, "connection.json"):
            self.read()
        self.file.unlink()
        with self.assertRaisesRegex(b.SettingError, "BAROGRAPH_URL"):
            b.connect(environ={"HOME": self.folder, "BAROGRAPH_DATA_DIR": self.folder})

    def test_list(self) -> None:
        """has the same list of settings as core/settings"""
        source = HERE.parent.parent / "core" / "settings" / "setting-list.json"
        if not source.exists():
            self.skipTest("the list of settings is not shipped with the package")
        names = [name for name in json.loads(source.read_text()) if name.startswith("BAROGRAPH_")]
        self.assertEqual(sorted(names), sorted(b.SETTINGS))


if __name__ == "__main__":
    unittest.main()
