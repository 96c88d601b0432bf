"""The sending half of a client: a thread that delivers its spools."""
from __future__ import annotations

import contextlib
import json
import os
import random
import threading
import time
from typing import Any, Callable, NamedTuple, Sequence

from . import lock
from .errors import guard, info, log, warn
from .items import now_ms
from .open_spool import adopt_orphans
from .segments import Line, Range
from .spool import Spool
from .transport import Down, Transport

FRAME_ITEMS, _FRAME_BYTES = 500, 256 * 1024
_MAX_REFUSED = 1_000


class RefusedItem(NamedTuple):
    """An item that will not be stored. `seq` None: refused before it had one. `field`: its path, or empty."""

    seq: int | None
    session: str | None
    type: str | None
    code: str
    field: str
    reason: str


class FlushResult(NamedTuple):
    """`delivered`: all earlier items are acknowledged or refused. `queued`: items on disk for the next client.
    `outstanding`: their seqs as inclusive ranges. `refused`: since the last flush."""

    delivered: bool
    queued: int
    outstanding: list[Range]
    refused: list[RefusedItem]


class Delivery:
    """Delivers spools and retries. `Client` sets the attributes and hands items over."""

    _lock: threading.RLock
    _changed: threading.Condition
    _wake: threading.Event
    _folder: str
    _server: str
    _max_bytes: int
    _timing: dict[str, float]
    _on_refused: Callable[[RefusedItem], Any] | None
    _queue: Spool
    _adopted: list[Spool]
    _transport: Transport
    _stopping: bool
    _hurry: bool
    _is_away: bool
    _status: dict[str, Any]
    _counts: dict[str, int]
    _refused: list[RefusedItem]
    _batch_items: int

    def _refuse(self, refused: RefusedItem) -> None:
        with self._lock:
            self._counts["refused"] += 1
            if len(self._refused) < _MAX_REFUSED:
                self._refused.append(refused)
        warn("An item was refused: %s %s %s (%s)", refused.type, refused.code, refused.field, refused.reason)
        on_refused = self._on_refused
        if on_refused is not None:
            guard(lambda: on_refused(refused), "on_refused failed")

    def _run(self) -> None:
        attempt, retry_at, next_beat, next_sync = 0, 0.0, 0.0, 0.0
        while not self._stopping:
            try:
                now = time.monotonic()
                if now >= next_beat:
                    next_beat = now + lock.HEARTBEAT
                    self._beat()
                if now >= next_sync:
                    next_sync = now + 1.0
                    self._sync()
                self._wake.clear()
                queue = self._next_queue(now)
                hurry, self._hurry = self._hurry, False
                if self._stopping:
                    break
                is_early = now < retry_at and not (hurry and self._status.get("reason") != "unauthorized")
                if queue is None or is_early:
                    is_dirty = any(each.is_dirty for each in self._queues())
                    self._rest(min(next_beat, next_sync if is_early or is_dirty else next_beat), retry_at)
                    continue
                self._deliver(queue)
                attempt, retry_at = 0, 0.0
            except Down as down:
                retry_at = time.monotonic() + self._back_off(attempt, down.slow)
                attempt += 1
                self._note_down(down, retry_at)
            except Exception:  # This thread must survive.
                guard(lambda: log.warning("The client's thread failed", exc_info=True), "")
                retry_at = time.monotonic() + self._timing["cap"]
        self._transport.drop()

    def _queues(self) -> list[Spool]:
        """Adopted ones first: they are older."""
        with self._lock:
            return [*self._adopted, self._queue]

    def _rest(self, until: float, retry_at: float) -> None:
        """Wait for new items or a flush; while the server is away only for a flush."""
        now = time.monotonic()
        if retry_at > now:
            until = min(until, retry_at)
            self._is_away = True
        self._wake.wait(max(0.0, until - now))
        self._is_away = False

    def _sync(self) -> None:
        """Sync to the disk, outside of the lock."""
        with self._lock:
            files = [queue.unsynced_file() for queue in self._queues()]
            for queue in self._queues():
                if queue.progress_dirty:
                    queue.save_progress()
        for descriptor in files:
            if descriptor is not None:
                with contextlib.suppress(OSError):
                    os.fsync(descriptor)
                os.close(descriptor)

    def _beat(self) -> None:
        adopted = adopt_orphans(self._folder, self._server, self._max_bytes)
        if adopted:
            info("Draining %d queues of other processes", len(adopted))
        with self._lock:
            self._adopted += adopted
            for queue in self._queues():
                if queue.folder is not None:
                    lock.touch(queue.folder)

    def _next_queue(self, now: float) -> Spool | None:
        with self._lock:
            for queue in [queue for queue in self._adopted if queue.pending == 0]:
                queue.close()
                self._adopted.remove(queue)
            return next((queue for queue in self._queues() if queue.pending and now >= queue.blocked_until), None)

    def _back_off(self, attempt: int, slow: bool) -> float:
        """Seconds, with full jitter, so that a fleet does not return all at once."""
        if slow:
            return self._timing["slow"] * (1 + random.random())
        return random.random() * min(self._timing["cap"], self._timing["base"] * 2.0 ** min(attempt, 30))

    def _note_down(self, down: Down, retry_at: float) -> None:
        if down.slow:
            warn("The server does not take items: %s", down.detail)
        at = now_ms() + int((retry_at - time.monotonic()) * 1000)
        with self._lock:
            if not self._stopping:
                self._status = {"status": "waiting", "reason": down.reason, "detail": down.detail, "retry_at": at}

    def _deliver(self, queue: Spool) -> None:
        """Send one batch. Raises Down."""
        from http.client import HTTPException

        was_open = self._transport.connection is not None
        try:
            # First, so that only items that can be sent are reserved.
            self._transport.open()
            if self._stopping:
                return
            with self._lock:
                batch = queue.next_batch(self._batch_items, _FRAME_BYTES)
            if not batch:
                return
            code, body = self._transport.post(queue.identity, queue.stream, [text for _, text in batch])
            if code == 200 and isinstance(body, dict) and body.get("type") == "ack":
                self._settle(queue, batch, body)
            else:
                self._handle_failure(queue, batch, code, body if isinstance(body, dict) else {})
        except (OSError, HTTPException) as error:
            self._transport.drop()
            # Servers close idle lines, which does not mean that they are down.
            if not was_open or self._stopping:
                raise Down("unreachable", f"{type(error).__name__}: {error}") from None

    def _settle(self, queue: Spool, batch: Sequence[Line], ack: dict[str, Any]) -> None:
        ranges = [[int(first), int(last)] for first, last in ack.get("settled", [])]
        texts = dict(batch)
        with self._lock:
            count = queue.settle(ranges)
            self._counts["acknowledged"] += count
            self._counts["duplicates"] += len(ack.get("duplicate", []))
            self._counts["amended"] += len(ack.get("amended", []))
            self._status = {"status": "connected"}
            self._batch_items = min(FRAME_ITEMS, self._batch_items * 2)
        for refusal in ack.get("refused", []):
            item = json.loads(texts.get(refusal.get("seq"), b"{}"))
            code, name, reason = (str(refusal.get(key) or "") for key in ("code", "field", "reason"))
            self._refuse(RefusedItem(refusal.get("seq"), item.get("session"), item.get("type"), code, name, reason))
        with self._changed:
            self._changed.notify_all()
        if count == 0:
            raise Down("unavailable", "The server acknowledged none of the items.")

    def _handle_failure(self, queue: Spool, batch: Sequence[Line], code: int, body: dict[str, Any]) -> None:
        """Raises Down unless the next batch may be sent at once."""
        error, reason = str(body.get("code") or ""), str(body.get("reason") or f"The server answered {code}.")
        if error == "stream_taken":
            with self._lock:
                queue.renew_stream()
            raise Down("unavailable", reason)
        if code in (401, 403):
            raise Down("unauthorized", reason, slow=True)
        if error == "unsupported_version":
            raise Down("unsupported_version", reason, slow=True)
        if error not in ("bad_message", "too_large"):
            raise Down("unavailable" if code == 503 else "unreachable", reason)
        if len(batch) > 1:
            self._batch_items = max(1, len(batch) // 4)
            return
        if error == "bad_message":
            # Is it the item or the hello?
            self._transport.open()
            if self._transport.post(queue.identity, queue.stream, [])[0] != 200:
                queue.blocked_until = time.monotonic() + self._timing["slow"]
                raise Down("bad_message", reason, slow=queue is self._queue)
        seq, text = batch[0]
        item = json.loads(text)
        with self._lock:
            queue.settle([[seq, seq]])
        self._refuse(RefusedItem(seq, item.get("session"), item.get("type"), "invalid_message", "", reason))
        with self._changed:
            self._changed.notify_all()
