"""A client's HTTP connection. A server on this machine proves its identity first."""
from __future__ import annotations

import contextlib
import hmac
import json
import re
import secrets
import socket
from typing import Any, Sequence
from urllib.parse import urlsplit

from .items import dump, now_ms

_MAX_ANSWER = 8 * 1024 * 1024


class Down(Exception):
    """Why a batch was not delivered. `slow`: retrying soon does not help."""

    def __init__(self, reason: str, detail: str, slow: bool = False) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.slow = reason, detail, slow


class Transport:
    """Raises ValueError for an invalid address."""

    def __init__(self, url: str, token: str | None, secret: str | None, patience: float, agent: str) -> None:
        parts = urlsplit(url)
        secure = {"http": False, "ws": False, "https": True, "wss": True}.get(parts.scheme.lower())
        if secure is None or not parts.hostname:
            raise ValueError(f'The server\'s address must begin with http:// or https://, not "{url}".')
        if parts.username or parts.password or parts.query:
            raise ValueError("The server's address must have no user, password or query: give the token separately.")
        default = 443 if secure else 80
        self._host, self._port, self._secure = parts.hostname.lower(), parts.port or default, secure
        self._base = re.sub(r"/v1/ingest$", "", parts.path.rstrip("/"))
        place = re.sub(rf":({default})?$", "", parts.netloc.lower())
        # All clients write the server's address into their queues in this form.
        self.address = f"{'wss' if secure else 'ws'}://{place}{self._base}/v1/ingest"
        self._secret, self._patience = secret, patience
        self._headers = {"User-Agent": agent, **({} if token is None else {"Authorization": f"Bearer {token}"})}
        self.connection: Any = None

    def open(self) -> None:
        """Connect unless connected. Raises OSError, HTTPException, Down."""
        # Imported late, because a hook that only archives must be fast.
        from http.client import HTTPConnection, HTTPSConnection

        if self.connection is None:
            kind = HTTPSConnection if self._secure else HTTPConnection
            connection = kind(self._host, self._port, timeout=self._patience)
            connection.connect()
            self.connection = connection
            if self._secret is not None:
                self._require_proof(self._secret)

    def post(self, identity: dict[str, Any], stream: str, items: Sequence[bytes]) -> tuple[int, Any]:
        """Send items. Returns status and JSON body, or None for another body. Raises OSError, HTTPException."""
        about = {name: value for name, value in identity.items() if name != "url"}
        hello = {"type": "hello", "v": 1, **about, "stream": stream, "now": now_ms()}
        return self._request("/v1/ingest", b"[" + b",".join([dump(hello), *items]) + b"]", self._headers)

    def drop(self) -> None:
        connection, self.connection = self.connection, None
        with contextlib.suppress(Exception):
            connection.close()

    def cut(self) -> None:
        """Interrupt a request of another thread."""
        with contextlib.suppress(Exception):
            self.connection.sock.shutdown(socket.SHUT_RDWR)

    def _request(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
        self.connection.request("POST", self._base + path, body, {"Content-Type": "application/json", **headers})
        response = self.connection.getresponse()
        text = response.read(_MAX_ANSWER)
        if response.will_close:
            self.drop()
        with contextlib.suppress(ValueError):
            return response.status, json.loads(text)
        return response.status, None

    def _require_proof(self, secret: str) -> None:
        """Verify the server on the connection that will carry the items. Raises Down."""
        challenge = secrets.token_hex(32)
        status, answer = self._request("/v1/identity", dump({"challenge": challenge}), {})
        server, proof = (str(answer.get(name)) if isinstance(answer, dict) else "" for name in ("server", "proof"))
        signed = f"barograph server proof 1\n{challenge}\n{server}\n{self._port}"
        expected = hmac.new(secret.encode(), signed.encode("utf-8", "replace"), "sha256").hexdigest()
        is_proven = hmac.compare_digest(expected.encode(), proof.encode("utf-8", "replace"))
        if status != 200 or not is_proven or self.connection is None:
            self.drop()
            place = f"{self._host}:{self._port}"
            raise Down("unreachable", f"The program at {place} did not prove to be the server of this machine.")
