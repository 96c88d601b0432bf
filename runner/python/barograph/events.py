"""Delivers a tracker's events to subscribers and listeners."""
from __future__ import annotations

import collections
import threading
from functools import partial
from typing import Any, Callable, Deque, Iterator

from .errors import guard


class Subscription:
    """One subscriber's events, oldest first, in its own buffer. Iterate over it, or call `get`, from any thread.

    A full buffer loses the oldest events; `{"type": "lagged", "lost": n}` replaces them.
    """

    def __init__(self, capacity: int, on_close: Callable[[Subscription], None]) -> None:
        if capacity < 1:
            raise ValueError('"buffer_size" must be a whole number from 1')
        self._events: Deque[dict[str, Any]] = collections.deque(maxlen=capacity)
        self._ready = threading.Condition()
        self._lost = 0
        self._closed = False
        self._on_close = on_close

    def push(self, event: dict[str, Any]) -> None:
        with self._ready:
            if self._closed:
                return
            if len(self._events) == self._events.maxlen:
                self._lost += 1
            self._events.append(event)
            self._ready.notify()

    def get(self, timeout: float | None = None) -> dict[str, Any] | None:
        """The next event; None after `timeout` seconds, or once it is closed and empty."""
        with self._ready:
            self._ready.wait_for(lambda: self._events or self._lost or self._closed, timeout)
            if self._lost:
                lost, self._lost = self._lost, 0
                return {"type": "lagged", "lost": lost}
            return self._events.popleft() if self._events else None

    def close(self) -> None:
        """Stop receiving; buffered events can still be read."""
        self.end()
        self._on_close(self)

    def end(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify_all()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while (event := self.get()) is not None:
            yield event


class EventHub:
    """Subscriptions and listeners of one tracker. `emit` runs under the tracker's lock, `deliver` outside of it."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._subscriptions: set[Subscription] = set()
        self._listeners: dict[object, Callable[[dict[str, Any]], Any]] = {}
        self._undelivered: Deque[tuple[dict[str, Any], list[Callable[[dict[str, Any]], Any]]]] = collections.deque()
        self._delivering = False

    def open(self, buffer_size: int) -> Subscription:
        subscription = Subscription(buffer_size, self._forget)
        with self._lock:
            self._subscriptions.add(subscription)
        return subscription

    def listen(self, listener: Callable[[dict[str, Any]], Any]) -> Callable[[], None]:
        key = object()
        with self._lock:
            self._listeners[key] = listener

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return unsubscribe

    def emit(self, kind: str, **fields: Any) -> None:
        event = {"type": kind, **fields}
        for subscription in self._subscriptions:
            subscription.push(dict(event))
        if self._listeners:
            self._undelivered.append((event, list(self._listeners.values())))

    def deliver(self) -> None:
        """Call the listeners, one thread at a time, so that they receive the events in order."""
        while True:
            with self._lock:
                if self._delivering or not self._undelivered:
                    return
                self._delivering = True
                event, listeners = self._undelivered.popleft()
            try:
                for listener in listeners:
                    guard(partial(listener, dict(event)), "A subscriber of the context tracker failed")
            finally:
                with self._lock:
                    self._delivering = False

    def close(self) -> None:
        with self._lock:
            subscriptions, self._subscriptions = self._subscriptions, set()
            self._listeners = {}
        for subscription in subscriptions:
            subscription.end()

    def _forget(self, subscription: Subscription) -> None:
        with self._lock:
            self._subscriptions.discard(subscription)
