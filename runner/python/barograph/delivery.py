"""The sending half of a client: a thread that delivers the spools of one process, and retries."""
from __future__ import annotations

import json
import random
import threading
import time
from typing import Any, Callable, NamedTuple

from .errors import log
from .items import now_ms
from .spool import Spool, adopt_orphans, open_spool
from .transport import Down, Transport

_FRAME_ITEMS, _FRAME_BYTES = 500, 256 * 1024
_ADOPT_EVERY = 30.0


class RefusedItem(NamedTuple):
    """An item that will not be stored. `seq` None: the item was refused before it got a seq. `field`: path of the field, or empty."""

    seq: int | None
    session: str | None
    type: str | None
    code: str
    field: str
    reason: str


class Delivery:
    """Owns the connection, the process's own spool and those adopted from dead processes. `lock` guards them."""

    def __init__(
        self, folder: str, identity: dict[str, Any], max_bytes: int, transport: Transport, timing: dict[str, float],
        refuse: Callable[[RefusedItem], Any],
    ) -> None:
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.spool, self.transport, self.is_stopping = open_spool(folder, identity, max_bytes), transport, False
        self.status: dict[str, Any] = {"status": "connecting"}
        self.counts = {"acknowledged": 0, "duplicates": 0}
        self._folder, self._server, self._timing, self._refuse = folder, identity["url"], timing, refuse
        self._adopted: list[Spool] = []
        #: `_urgent`: a flush or the end of the client, which do not wait for the next retry.
        self.new_items, self._urgent = threading.Event(), threading.Event()
        self._batch_items, self._sync_at = _FRAME_ITEMS, 0.0
        self._thread = threading.Thread(target=self._run, name="barograph", daemon=True)
        self._thread.start()

    def wait_until_settled(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds. Returns whether all items so far are acknowledged or refused."""
        with self.changed:
            through = self.spool.next_seq - 1
            self._urgent.set()
            self.changed.wait_for(lambda: self.is_stopping or self.spool.first_waiting() > through, timeout)
            return self.spool.first_waiting() > through

    def stop(self) -> None:
        with self.changed:
            self.is_stopping = True
            self.status = {"status": "closed"}
            self.changed.notify_all()
        self.new_items.set()
        self._urgent.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(0.2)
            # The thread may be waiting for a server that does not respond.
            self.transport.cut()
            self._thread.join(1.0)
        with self.lock:
            for spool in self.spools():
                spool.close()
            self._adopted = []

    def pause(self) -> None:
        """Prepare a fork: two processes must not share a connection to a spool."""
        # Wait for imports of the thread, because the child would inherit their locks.
        import encodings.idna, http.client  # noqa: E401, F401
        self.lock.acquire()
        for spool in self.spools():
            spool.pause()

    def resume(self) -> None:
        for spool in self.spools():
            spool.resume()
        self.lock.release()

    def _run(self) -> None:
        attempt, retry_at, adopt_at, is_slow = 0, 0.0, 0.0, False
        while not self.is_stopping:
            try:
                now = time.monotonic()
                if now >= adopt_at:
                    adopt_at = now + _ADOPT_EVERY
                    with self.lock:
                        self._adopted += adopt_orphans(self._folder, self._server)
                if now >= self._sync_at:
                    self._sync_at = now + 1.0
                    for spool in self.spools():
                        spool.sync()
                self.new_items.clear()
                waiting = self._next_spool()
                is_urgent = self._urgent.is_set() and not is_slow
                self._urgent.clear()
                if now < retry_at and not is_urgent:
                    # New items do not end this wait, but are synced within a second.
                    self._urgent.wait(min(1.0, retry_at - now))
                elif waiting is None:
                    self.new_items.wait(adopt_at - now)
                else:
                    self._deliver(waiting)
                    attempt, retry_at, is_slow = 0, 0.0, False
            except Down as down:
                is_slow = down.slow
                pause = self.back_off(attempt, is_slow)
                retry_at, attempt = time.monotonic() + pause, attempt + 1
                if is_slow:
                    log.warning("The server does not take items: %s", down.detail)
                facts = {"reason": down.reason, "detail": down.detail, "retry_at": now_ms() + int(pause * 1000)}
                with self.lock:
                    self.status = self.status if self.is_stopping else {"status": "waiting", **facts}
            except Exception:  # This thread must survive.
                log.warning("The client's thread failed", exc_info=True)
                retry_at = time.monotonic() + self._timing["cap"]
        self.transport.drop()

    def spools(self) -> list[Spool]:
        """All spools, the adopted ones first because they are older."""
        with self.lock:
            return [*self._adopted, self.spool]

    def _next_spool(self) -> Spool | None:
        with self.lock:
            for spool in [spool for spool in self._adopted if not spool.waiting]:
                spool.close()
                self._adopted.remove(spool)
            return next((spool for spool in self.spools() if spool.waiting), None)

    def back_off(self, attempt: int, slow: bool) -> float:
        """Seconds until the next attempt, with full jitter, so that a fleet does not reconnect at once."""
        if slow:
            return self._timing["slow"] * (1 + random.random())
        return random.random() * min(self._timing["cap"], self._timing["base"] * 2.0 ** min(attempt, 30))

    def _deliver(self, spool: Spool) -> None:
        """Send one batch. Raises Down."""
        from http.client import HTTPException

        was_open = self.transport.connection is not None
        try:
            self.transport.open()
            with self.lock:
                batch = spool.next_batch(self._batch_items, _FRAME_BYTES)
            if self.is_stopping or not batch:
                return
            code, body = self.transport.post(spool.identity, spool.stream, [text for _, text in batch])
            if code == 200 and isinstance(body, dict) and body.get("type") == "ack":
                self._settle(spool, dict(batch), body)
            else:
                self._handle_failure(spool, batch, code, body if isinstance(body, dict) else {})
        except (OSError, HTTPException) as error:
            self.transport.drop()
            # A closed idle connection does not mean that the server is down.
            if not was_open or self.is_stopping:
                raise Down("unreachable", f"{type(error).__name__}: {error}") from None

    def _settle(self, spool: Spool, batch: dict[int, bytes], ack: dict[str, Any]) -> None:
        ranges = [[int(first), int(last)] for first, last in ack.get("settled", [])]
        for refusal in ack.get("refused", []):
            seq = refusal.get("seq")
            code, name, reason = (str(refusal.get(key) or "") for key in ("code", "field", "reason"))
            item = json.loads(batch.get(seq, b"{}"))
            self._refuse(RefusedItem(seq, item.get("session"), item.get("type"), code, name, reason))
        with self.changed:
            count = spool.settle(ranges)
            self.counts["acknowledged"] += count
            self.counts["duplicates"] += len(ack.get("duplicate", []))
            self.status = {"status": "connected"}
            self._batch_items = min(_FRAME_ITEMS, self._batch_items * 2)
            self.changed.notify_all()
        if count == 0:
            raise Down("unavailable", "The server acknowledged none of the items.")

    def _handle_failure(self, spool: Spool, batch: list[tuple[int, bytes]], code: int, body: dict[str, Any]) -> None:
        """Raises Down unless the next batch may be sent at once."""
        error, reason = str(body.get("code") or ""), str(body.get("reason") or f"The server answered {code}.")
        if error == "stream_taken":
            with self.lock:
                spool.rename(spool.identity)
            raise Down("unavailable", reason)
        if code in (401, 403) or error == "unsupported_version":
            raise Down("unauthorized" if code in (401, 403) else error, reason, slow=True)
        if error not in ("bad_message", "too_large"):
            raise Down("unavailable" if code == 503 else "unreachable", reason)
        if len(batch) > 1:
            self._batch_items = max(1, len(batch) // 4)
            return
        if error == "bad_message":
            # An empty request shows whether the server refuses the item or the hello.
            self.transport.open()
            if self.transport.post(spool.identity, spool.stream, [])[0] != 200:
                if spool in self._adopted:
                    # An adopted spool must not delay the others.
                    spool.close()
                    self._adopted.remove(spool)
                raise Down("bad_message", reason, slow=spool is self.spool)
        seq = batch[0][0]
        refusal = {"seq": seq, "code": "invalid_message", "reason": reason}
        self._settle(spool, dict(batch), {"settled": [[seq, seq]], "refused": [refusal]})
