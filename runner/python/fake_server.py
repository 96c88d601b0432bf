"""A server for the client's tests: implements `POST /v1/ingest`, stores items and fails on demand."""
from __future__ import annotations

import hmac
import errno
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

Answer = Tuple[int, Any]


SECRET = "5e" * 32


def listen_below_system_ports(listen: Callable[[int], Any]) -> Any:
    """Choose a port that the system never gives away, so that a stopped server can start again at its address."""
    while True:
        try:
            return listen(random.SystemRandom().randrange(10_000, 32_000))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise


class FakeServer:
    """`answer` returns the response to hello and items; None acknowledges them."""

    def __init__(self, port: int = 0, secret: str = SECRET) -> None:
        self.secret = secret
        #: Headers and bodies of identity requests.
        self.asked: List[Tuple[Dict[str, str], bytes]] = []
        self.hellos: List[Dict[str, Any]] = []
        self.requests: List[List[Dict[str, Any]]] = []
        self.headers: List[Dict[str, str]] = []
        self.paths: List[str] = []
        self.bodies: List[bytes] = []
        # Items by stream and seq, in order of first arrival.
        self.stored: Dict[Tuple[str, int], Dict[str, Any]] = {}
        self.conflicts: List[Dict[str, Any]] = []
        self.answer: Callable[[Dict[str, Any], List[Dict[str, Any]]], Optional[Answer]] = lambda hello, items: None
        self.changed = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                code, content = outer.take(self.path, dict(self.headers), body)
                if code == 0:
                    self.close_connection = True
                    return
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: Any) -> None:
                """Ignore errors: tests kill clients during requests."""

        self._server = Server(("127.0.0.1", port), Handler) if port else listen_below_system_ports(
            lambda free: Server(("127.0.0.1", free), Handler)
        )
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def prove(self, headers: Dict[str, str], body: bytes) -> Answer:
        with self.changed:
            self.asked.append((headers, body))
            self.changed.notify_all()
        server = "00000000-0000-4000-8000-000000000001"
        signed = f"barograph server proof 1\n{json.loads(body)['challenge']}\n{server}\n{self.port}"
        return 200, {"server": server, "proof": hmac.new(self.secret.encode(), signed.encode(), "sha256").hexdigest()}

    def take(self, path: str, headers: Dict[str, str], body: bytes) -> Answer:
        if path == "/v1/identity":
            return self.prove(headers, body)
        hello, *items = json.loads(body)
        with self.changed:
            self.paths.append(path)
            self.headers.append(headers)
            self.bodies.append(body)
            self.hellos.append(hello)
            self.requests.append(items)
            self.changed.notify_all()
        answer = self.answer(hello, items)
        if answer is None:
            self.store(hello, items)
            answer = 200, self.ack(items)
        with self.changed:
            self.changed.notify_all()
        return answer

    def store(self, hello: Dict[str, Any], items: List[Dict[str, Any]]) -> None:
        with self.changed:
            for item in items:
                key = (hello["stream"], item["seq"])
                if self.stored.setdefault(key, item) != item:
                    self.conflicts.append(item)

    def ack(self, items: List[Dict[str, Any]], refused: Any = ()) -> Dict[str, Any]:
        settled = [[item["seq"], item["seq"]] for item in items]
        return {"type": "ack", "settled": settled, "duplicate": [], "amended": [], "refused": list(refused)}

    @property
    def items(self) -> List[Dict[str, Any]]:
        """In order of first arrival."""
        with self.changed:
            return list(self.stored.values())

    def wait_for(self, reached: Callable[[], Any], timeout: float = 60.0) -> None:
        with self.changed:
            if not self.changed.wait_for(reached, timeout):
                raise AssertionError("The server did not get the expected items.")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
