"""Reported calls: the counts of each vendor, and failures, which never reach the program."""
from __future__ import annotations

import json
import os
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace as N
from typing import Any, Dict, List
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import barograph as b  # noqa: E402


class Server(HTTPServer):
    """Stores requests, and gives `answer`: status, body and headers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: List[Any] = []
        self.answer: Any = (200, b"{}", {})
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append((self.path, dict(self.headers), json.loads(body or b"{}")))
        status, text, headers = self.server.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST

    def log_message(self, *args: Any) -> None:
        pass


def values(attributes: Any) -> Dict[str, Any]:
    read = {"intValue": int, "stringValue": str}
    return {each["key"]: read[kind](value) for each in attributes for kind, value in each["value"].items()}


class ReportCase(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.serve()
        environ = {"BAROGRAPH_URL": f"{self.server.url}/", "BAROGRAPH_TOKEN": "bg_1"}
        self.start_patch(mock.patch.dict(os.environ, environ))

    def start_patch(self, patch: Any) -> None:
        patch.start()
        self.addCleanup(patch.stop)

    def serve(self) -> Server:
        server = Server()
        self.addCleanup(server.close)
        return server

    def warning_of(self, *args: Any, function: Any = b.report, **fields: Any) -> str:
        """The only line that a report logs."""
        with self.assertLogs("barograph") as logs:
            self.assertIsNone(function("s", "planner", *args, **fields))
        [line] = logs.output
        self.assertTrue(line.startswith("WARNING:"), line)
        return line

    def counts(self) -> List[Any]:
        """Call, model, input, output, cache read and cache creation of the last request."""
        [resource] = self.server.requests[-1][2]["resourceSpans"]
        facts = values(resource["scopeSpans"][0]["spans"][0]["attributes"])
        names = (
            "response.id", "response.model", "usage.input_tokens", "usage.output_tokens", "usage.cache_read.input_tokens",
            "usage.cache_creation.input_tokens",
        )
        return [facts.get(f"gen_ai.{name}") for name in names]


class CountTests(ReportCase):
    def test_request(self) -> None:
        """sends one span with the token, the project, the session and the agent"""
        with mock.patch.dict(os.environ, {"BAROGRAPH_PROJECT": "Häfen"}):
            b.report("s", "planner", {"id": "call-1", "model": "m"}, 1_000, 300, 900, 50)
        [(path, headers, body)] = self.server.requests
        self.assertEqual((path, headers["Authorization"]), ("/v1/traces", "Bearer bg_1"))
        [resource] = body["resourceSpans"]
        self.assertEqual(values(resource["resource"]["attributes"]), {"barograph.project": "Häfen"})
        [span] = resource["scopeSpans"][0]["spans"]
        facts = values(span["attributes"])
        self.assertEqual(facts["gen_ai.conversation.id"], "s")
        self.assertEqual(facts["gen_ai.agent.name"], "planner")
        self.assertRegex(f"{span['traceId']} {span['spanId']}", r"^[0-9a-f]{32} [0-9a-f]{16}$")
        self.assertEqual(self.counts(), ["call-1", "m", 1_000, 300, 900, 50])

    def test_anthropic(self) -> None:
        """adds Anthropic's cached tokens to the input; absent counts are 0"""
        usage = N(input_tokens=40, output_tokens=25, cache_read_input_tokens=900, cache_creation_input_tokens=60)
        b.report_anthropic("s", "planner", N(id="msg_1", model="claude-test-1", usage=usage))
        self.assertEqual(self.counts(), ["msg_1", "claude-test-1", 1_000, 25, 900, 60])
        b.report_anthropic("s", "planner", {"id": "msg_2", "usage": {"input_tokens": 3, "cache_read_input_tokens": None}})
        self.assertEqual(self.counts(), ["msg_2", None, 3, 0, 0, 0])

    def test_openai(self) -> None:
        """reads chat completions and responses, and their input includes the cached tokens"""
        details = N(cached_tokens=1_000, cache_write_tokens=64)
        usage = N(prompt_tokens=1_200, completion_tokens=300, prompt_tokens_details=details)
        b.report_openai("s", "planner", N(id="chatcmpl-1", model="gpt-test-1", usage=usage))
        self.assertEqual(self.counts(), ["chatcmpl-1", "gpt-test-1", 1_200, 300, 1_000, 64])
        usage = N(input_tokens=1_100, output_tokens=30, input_tokens_details=N(cached_tokens=1_000))
        b.report_openai("s", "planner", N(id="resp_1", model="gpt-test-1", usage=usage))
        self.assertEqual(self.counts(), ["resp_1", "gpt-test-1", 1_100, 30, 1_000, 0])
        usage = N(prompt_tokens=90, completion_tokens=10, prompt_tokens_details=None)
        b.report_openai("s", "planner", N(id="chatcmpl-2", model="gpt-test-1", usage=usage))
        self.assertEqual(self.counts(), ["chatcmpl-2", "gpt-test-1", 90, 10, 0, 0])

    def test_langchain(self) -> None:
        """reads LangChain's cached tokens as part of the input, and prefers the provider's id"""
        details = {"cache_read": 18_000, "cache_creation": 1_500}
        usage = {"input_tokens": 20_018, "output_tokens": 300, "total_tokens": 20_318, "input_token_details": details}
        about = {"id": "chatcmpl-1", "model_name": "gpt-test-1"}
        b.report_langchain("s", "planner", N(id="run-1", response_metadata=about, usage_metadata=usage))
        self.assertEqual(self.counts(), ["chatcmpl-1", "gpt-test-1", 20_018, 300, 18_000, 1_500])
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        b.report_langchain("s", "planner", N(id="run-2", response_metadata={"model": "m"}, usage_metadata=usage))
        self.assertEqual(self.counts(), ["run-2", "m", 10, 5, 0, 0])

    def test_langchain_lifetimes(self) -> None:
        """adds the tokens that LangChain states by their lifetime in Anthropic's cache"""
        details = {
            "cache_read": 10, "cache_creation": 0, "ephemeral_5m_input_tokens": 80, "ephemeral_1h_input_tokens": 70,
        }
        usage = {"input_tokens": 360, "output_tokens": 30, "input_token_details": details}
        b.report_langchain("s", "planner", N(id="msg_1", response_metadata={}, usage_metadata=usage))
        self.assertEqual(self.counts(), ["msg_1", None, 360, 30, 10, 150])

    def test_cache_above_input(self) -> None:
        """limits the cached tokens to the input, which includes them"""
        details = {"cache_read": 36_000, "cache_creation": 100}
        usage = {"input_tokens": 20_018, "output_tokens": 300, "input_token_details": details}
        b.report_langchain("s", "planner", N(id="run-1", response_metadata={}, usage_metadata=usage))
        self.assertEqual(self.counts(), ["run-1", None, 20_018, 300, 20_018, 0])


class FailureTests(ReportCase):
    def test_no_usage(self) -> None:
        """ignores a message without usage, with one line in the log"""
        for function in (b.report_anthropic, b.report_openai, b.report_langchain):
            for message in (N(id="1", model="m", usage=None, usage_metadata=None), N(), {}, None):
                self.assertIn("without usage", self.warning_of(message, function=function))
        self.assertEqual(self.server.requests, [])

    def test_dead_server(self) -> None:
        """logs that the server is unreachable"""
        self.server.close()
        self.assertIn("refused", self.warning_of(N(id="1", model="m"), 1, 2))

    def test_silent_server(self) -> None:
        """gives up a server that does not answer"""
        silent = HTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(silent.server_close)
        self.start_patch(mock.patch("barograph.calls._TIMEOUT_SECONDS", 0.1))
        with mock.patch.dict(os.environ, {"BAROGRAPH_URL": f"http://127.0.0.1:{silent.server_port}"}):
            self.assertIn("timed out", self.warning_of(N(id="1", model="m"), 1, 2))

    def test_refusals(self) -> None:
        """logs a refused token, an answer that is no JSON, and the reason of a refused call"""
        refused = b'{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "The limit is reached."}}'
        for status, body, expected in (
            (401, b"", "401"), (500, b"", "500"), (200, b"<html>", "not reported"), (200, refused, "The limit is reached."),
        ):
            self.server.answer = (status, body, {})
            self.assertIn(expected, self.warning_of(N(id="1", model="m"), 1, 2))

    def test_redirect(self) -> None:
        """does not send the token to another address"""
        other = self.serve()
        self.server.answer = (302, b"", {"Location": f"{other.url}/v1/traces"})
        b.report("s", "planner", N(id="1", model="m"), 1, 2)
        self.assertEqual([headers.get("Authorization") for _, headers, _ in other.requests], [None])

    def test_settings(self) -> None:
        """names missing settings, and logs an address that is none"""
        with mock.patch.dict(os.environ, {"BAROGRAPH_TOKEN": ""}):
            self.assertIn("BAROGRAPH_TOKEN must be set", self.warning_of(N(id="1", model="m"), 1, 2))
        with mock.patch.dict(os.environ, {"BAROGRAPH_URL": "nowhere"}):
            self.assertIn("unknown url type", self.warning_of(N(id="1", model="m"), 1, 2))

    def test_odd_messages(self) -> None:
        """logs a message that cannot be read"""

        class Trap:
            @property
            def usage(self) -> Any:
                raise RuntimeError("no such luck")

        self.assertIn("no such luck", self.warning_of(Trap(), function=b.report_openai))
        odd = N(id="1", model="m", usage={"input_tokens": "many"})
        self.assertIn("not reported", self.warning_of(odd, function=b.report_anthropic))
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    unittest.main()
