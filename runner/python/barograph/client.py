"""The client: a durable spool, and a thread that delivers it."""
from __future__ import annotations

import re
import socket
import threading
import weakref
from pathlib import Path
from typing import Any, Callable, Mapping

from .delivery import FRAME_ITEMS, Delivery, FlushResult, RefusedItem
from .items import MAX_KEY, MAX_LABEL, ItemFault, dump, is_key, prepare_item, storable
from .open_spool import open_spool
from .session import Session
from .settings import HEX_64
from .transport import Transport
from .version import VERSION

_MIN_QUEUE_BYTES, _DEFAULT_QUEUE_BYTES = 1024 * 1024, 64 * 1024 * 1024
clients: weakref.WeakSet[Client] = weakref.WeakSet()


class Client(Delivery):
    """Delivers telemetry to a server. Safe to use from any thread.

    Sending costs one write to a file and never raises; refused items go to `on_refused`. A thread delivers the spool
    and retries until the server acknowledges it; the next client with the same queue folder delivers what a dead
    process left.

    `url`: http or https. `token`: of scope ingest. `secret`: of `connection.json`; the server must prove to know it.
    `source`: sdk, transcript, hook or otlp. `content` False: titles, checkpoints and prompts are never stored or sent.
    `max_queue_bytes`: at least 1 MiB; beyond it the oldest turns become gaps. `timing`: base, cap, slow and patience of
    retries, seconds. Raises ValueError for options that cannot work.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        secret: str | None = None,
        project: str,
        runner: str,
        queue_folder: str | Path,
        source: str = "sdk",
        host: str | None = None,
        version: str | None = None,
        content: bool = True,
        max_queue_bytes: int = _DEFAULT_QUEUE_BYTES,
        on_refused: Callable[[RefusedItem], Any] | None = None,
        timing: Mapping[str, float] | None = None,
    ) -> None:
        for name, value in (("project", project), ("runner", runner)):
            if not is_key(value):
                raise ValueError(f"The client's {name} must be a text of 1 to {MAX_KEY} characters.")
        if token is not None and not re.fullmatch(r"[!-~]{1,200}", token):
            raise ValueError("The token must be one word of at most 200 printable characters.")
        if secret is not None and not HEX_64.fullmatch(secret):
            raise ValueError("The secret must be 64 hexadecimal digits, as in connection.json.")
        if source not in ("transcript", "sdk", "hook", "otlp"):
            raise ValueError("The client's source must be one of transcript, sdk, hook, otlp.")
        self._timing = {"base": 0.25, "cap": 30.0, "slow": 30.0, "patience": 15.0, **(timing or {})}
        agent = f"barograph-python/{VERSION}"
        self._new_transport = lambda: Transport(url, token, secret, self._timing["patience"], agent)
        self._server = self._new_transport().address
        details = {"host": host or socket.gethostname(), "version": version}
        named = {"name": runner, **{key: storable(value, MAX_LABEL) for key, value in details.items() if value}}
        self._identity = {"url": self._server, "project": project, "runner": named, "source": source}
        self._folder = str(queue_folder)
        self._content = content
        self._max_bytes = max(_MIN_QUEUE_BYTES, max_queue_bytes)
        self._on_refused = on_refused
        self._closed = False
        self._make_locks()
        self._begin()
        clients.add(self)

    def _make_locks(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._wake = threading.Event()

    def _reset_in_child(self) -> None:
        """A forked process has no thread, the spool is its parent's, and locks may be held forever."""
        self._make_locks()
        self._begun = False

    def _ensure_begun(self) -> None:
        with self._lock:
            if not self._begun and not self._closed:
                self._begin()

    def _begin(self) -> None:
        """Create everything that belongs to one process."""
        self._begun = True
        self._queue = open_spool(self._folder, self._identity, self._max_bytes)
        self._adopted = []
        self._transport = self._new_transport()
        self._stopping = self._hurry = self._is_away = False
        self._status = {"status": "connecting"}
        self._counts = {"acknowledged": 0, "duplicates": 0, "amended": 0, "refused": 0}
        self._refused = []
        self._batch_items = FRAME_ITEMS
        self._thread = threading.Thread(target=self._run, name="barograph", daemon=True)
        self._thread.start()

    def session(self, key: str, **start: Any) -> Session:
        """A handle for a session. With fields of `Session.start`, also report its start."""
        session = Session(self, key)
        if start:
            session.start(**start)
        return session

    def send(self, item: Mapping[str, Any]) -> int | None:
        """Queue an item by its names on the wire. Returns its seq, or None if it was refused."""
        try:
            return self._take(dict(item))
        except Exception as error:
            self._refuse(RefusedItem(None, None, None, "invalid_message", "", str(error)))
            return None

    def _take(self, item: dict[str, Any]) -> int | None:
        session, kind = item.get("session"), item.get("type")
        names = [value[:MAX_KEY] if isinstance(value, str) else None for value in (session, kind)]
        self._ensure_begun()
        with self._lock:
            if self._closed:
                result: int | ItemFault = ItemFault("client_closed", "", "The client is closed.")
            else:
                result = self._enqueue(item)
                if isinstance(result, ItemFault) and kind == "turn":
                    # A gap makes the context's sums a lower bound instead of wrong.
                    gap = {"type": "gap", "session": session, "count": 1, "reason": f"{result.code} {result.name}"}
                    extra = {"chain": item.get("chain"), "at": item.get("at")}
                    if isinstance(self._enqueue({**gap, **extra}), ItemFault):
                        self._enqueue(gap)
        if not self._closed and not self._is_away:
            self._wake.set()
        if isinstance(result, int):
            return result
        self._refuse(RefusedItem(None, names[0], names[1], result.code, result.name, result.reason))
        return None

    def _enqueue(self, item: dict[str, Any]) -> int | ItemFault:
        try:
            return self._queue.append(dump(prepare_item(item, self._queue.next_seq, self._content)))
        except ItemFault as fault:
            return fault
        except (TypeError, ValueError) as error:
            return ItemFault("invalid_message", "", str(error))

    def flush(self, timeout: float = 10.0) -> FlushResult:
        """Wait until everything is acknowledged, at most so many seconds. In asyncio use `asyncio.to_thread`."""
        self._ensure_begun()
        with self._lock:
            through = self._queue.next_seq - 1
            self._hurry = True
        self._wake.set()
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._queue.first_outstanding() > through, timeout)
            delivered = self._queue.first_outstanding() > through
            refused, self._refused = self._refused, []
            left = [] if delivered else self._queue.outstanding()
            return FlushResult(delivered, self._queue.pending, left, refused)

    def close(self, timeout: float = 5.0) -> FlushResult:
        """Flush for at most so many seconds, then release the folder. The next client sends the rest."""
        self._ensure_begun()
        with self._lock:
            was_closed, self._closed = self._closed, True
        result = self.flush(timeout)
        with self._changed:
            self._stopping = True
            self._status = {"status": "closed"}
            self._changed.notify_all()
        self._wake.set()
        if was_closed:
            return result
        if threading.current_thread() is not self._thread:
            self._thread.join(0.2)
            if self._thread.is_alive():
                # It waits for a server that does not answer.
                self._transport.cut()
                self._thread.join(1.0)
        with self._lock:
            for queue in [self._queue, *self._adopted]:
                queue.close()
            self._adopted = []
        return result

    def stats(self) -> dict[str, Any]:
        """State, stream, queued items and bytes, counts. `durable` False: later items are in memory only."""
        self._ensure_begun()
        with self._lock:
            queue = self._queue
            return {
                "state": dict(self._status), "stream": queue.stream, "queued": queue.pending,
                "queued_bytes": queue.size, **self._counts, "dropped": queue.dropped, "durable": queue.durable,
                "adopted": {"queues": len(self._adopted), "items": sum(q.pending for q in self._adopted)},
            }

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
