"""The client: hands items to a durable spool, which a thread delivers."""
from __future__ import annotations

import atexit
import contextlib
import os
import re
import socket
import sys
import threading
import weakref
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple

from .delivery import Delivery, RefusedItem
from .errors import SettingError, guard, log
from .items import MAX_KEY, MAX_LABEL, Refused, Session, is_key, prepare_item, storable
from .settings import VERSION, absolute_path, read_settings
from .transport import Transport

_MIN_QUEUE_BYTES, _DEFAULT_QUEUE_BYTES = 1024 * 1024, 64 * 1024 * 1024
_MAX_REFUSED = 1_000
_clients: weakref.WeakSet[Client] = weakref.WeakSet()


class FlushResult(NamedTuple):
    """`delivered`: all earlier items are acknowledged or refused. `queued`: the number of waiting items.
    `outstanding`: their seqs as inclusive ranges. `refused`: items refused since the last flush."""

    delivered: bool
    queued: int
    outstanding: list[list[int]]
    refused: list[RefusedItem]


class Client:
    """Delivers telemetry to a server, for any number of threads. Sending costs one write to a file and never raises.

    `url`: http or https. `token`: of scope ingest; None if the server requires none. `secret`: from
    `connection.json`; the server must prove this secret; default: none. `project`, `runner`: names, shown with each
    session. `host`: the machine's name; default: that of this machine. `version`: of the runner; default: not shown.
    `queue_folder`: keeps items until the server has them. `source`: sdk (default), transcript, hook or otlp.
    `client`: the agent program, such as claude-code, if the sessions' keys are its own session ids, with or without
    its name and a colon before; default: none. `project_source`: folder, setting or name; how the program knows the
    project; default: setting. `content` False: never store or send titles, checkpoints and prompts; default: True.
    `max_queue_bytes`: default 64 MiB, at least 1 MiB; a full queue replaces new turns with gaps. `on_refused`: called
    with each refused item. `timing`: base, cap, slow and patience of retries, seconds; default 0.25, 30, 30 and 15.
    Raises ValueError for invalid options.
    """

    def __init__(
        self, url: str, token: str | None, *, secret: str | None = None, project: str, runner: str,
        queue_folder: str | Path, source: str = "sdk", client: str | None = None,
        project_source: str | None = None, host: str | None = None, version: str | None = None,
        content: bool = True, max_queue_bytes: int = _DEFAULT_QUEUE_BYTES,
        on_refused: Callable[[RefusedItem], Any] | None = None, timing: Mapping[str, float] | None = None,
    ) -> None:
        for name, value in (("project", project), ("runner", runner)):
            if not is_key(value):
                raise ValueError(f"The client's {name} must be a text of 1 to {MAX_KEY} characters.")
        if token is not None and not re.fullmatch(r"[!-~]{1,200}", token):
            raise ValueError("The token must be one word of at most 200 printable characters.")
        pace = {"base": 0.25, "cap": 30.0, "slow": 30.0, "patience": 15.0, **(timing or {})}
        connect_to = lambda: Transport(url, token, secret, pace["patience"], f"barograph-python/{VERSION}")  # noqa: E731
        details = {"host": host or socket.gethostname(), "version": version}
        named = {"name": runner, **{key: storable(value, MAX_LABEL) for key, value in details.items() if value}}
        identity = {"url": connect_to().address, "project": project, "runner": named, "source": source}
        identity.update({key: value for key, value in (("client", client), ("projectSource", project_source)) if value})
        self._prefix = f"{client}:" if client else ""
        size = max(_MIN_QUEUE_BYTES, max_queue_bytes)
        self._begin = lambda: Delivery(str(queue_folder), identity, size, connect_to(), pace, self._refuse)
        self._content, self._on_refused = content, on_refused
        self._closed, self._refusals = False, 0
        self._refused: list[RefusedItem] = []
        self._lock = threading.Lock()
        self._delivery: Delivery | None = self._begin()
        _clients.add(self)

    @property
    def delivery(self) -> Delivery:
        """The sending half of this process. A forked process creates its own with its first item."""
        with self._lock:
            if self._delivery is None:
                self._delivery = self._begin()
            return self._delivery

    def _forget_parent(self) -> None:
        # A thread of the parent may have held the lock.
        self._lock = threading.Lock()
        self._delivery = None

    def session(self, key: str, **start: Any) -> Session:
        """A handle for a session. With `start`, the fields of `Session.start`, also report the session's start."""
        session = Session(self, key)
        if start:
            session.start(**start)
        return session

    def send(self, item: Mapping[str, Any]) -> int | None:
        """Queue an item with the field names of PROTOCOL.md. Returns its seq, or None if it was refused or dropped."""
        try:
            return self._take(item)
        except Exception as error:
            reason = error.args if isinstance(error, Refused) else ("invalid_message", "", str(error))
            self._refuse(RefusedItem(None, None, None, *reason))
            return None

    def _take(self, given: Mapping[str, Any]) -> int | None:
        links = {name: given.get(name) for name in ("session", "previous", "forkedFrom")}
        own = {name: key.removeprefix(self._prefix) for name, key in links.items() if isinstance(key, str)}
        given, delivery = {**given, **own}, self.delivery
        with delivery.lock:
            if self._closed:
                raise Refused("client_closed", "", "The client is closed.")
            try:
                seq = delivery.spool.append(prepare_item(given, self._content))
            except (TypeError, ValueError, RecursionError):
                if given.get("type") == "turn":
                    # The gap marks the context's sums as a lower bound.
                    gap = {"type": "gap", "session": given["session"], "count": 1, "reason": "invalid_message"}
                    delivery.spool.append(prepare_item(gap, True))
                raise
        delivery.new_items.set()
        return seq

    def _refuse(self, refused: RefusedItem) -> None:
        self._refusals += 1
        if len(self._refused) < _MAX_REFUSED:
            self._refused.append(refused)
        log.warning("An item was refused: %s %s %s (%s)", refused.type, refused.code, refused.field, refused.reason)
        on_refused = self._on_refused
        if on_refused is not None:
            guard(lambda: on_refused(refused), "on_refused failed")

    def flush(self, timeout: float = 10.0) -> FlushResult:
        """Wait up to `timeout` seconds until everything is acknowledged. In asyncio use `asyncio.to_thread`."""
        delivery = self.delivery
        delivered = delivery.wait_until_settled(timeout)
        with delivery.lock:
            refused, self._refused = self._refused, []
            left = [] if delivered else delivery.spool.outstanding()
            return FlushResult(delivered, delivery.spool.waiting, left, refused)

    def close(self, timeout: float = 5.0) -> FlushResult:
        """Flush for up to `timeout` seconds, then release the queue. The next client sends the rest."""
        delivery = self.delivery
        with delivery.lock:
            if self._closed:
                return FlushResult(delivery.spool.waiting == 0, delivery.spool.waiting, [], [])
            self._closed = True
            delivery.spool.write_gaps()
        result = self.flush(timeout)
        delivery.stop()
        return result

    def stats(self) -> dict[str, Any]:
        """State, stream, queued items and counts. `durable` False: some items are only in memory."""
        delivery = self.delivery
        with delivery.lock:
            spool = delivery.spool
            return {
                "state": dict(delivery.status), "stream": spool.stream, "queued": spool.waiting,
                **delivery.counts, "refused": self._refusals, "dropped": spool.dropped, "durable": spool.durable,
            }

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def connect(
    project: str | None = None, runner: str | None = None, *, url: str | None = None, token: str | None = None,
    queue_folder: str | Path | None = None, content: bool | None = None, environ: Mapping[str, str] | None = None,
    **options: Any,
) -> Client:
    """A client with the settings of the environment and of the server on this machine; arguments override them.

    `project` defaults to BAROGRAPH_PROJECT or the name of the working folder, `runner` to the program's name, `url` and
    `token` to BAROGRAPH_URL and BAROGRAPH_TOKEN or the server on this machine, `queue_folder` to BAROGRAPH_QUEUE_DIR,
    `content` to BAROGRAPH_CONTENT, and `environ` to `os.environ`. `options`: further options of `Client`.
    Raises SettingError if no server is known or a setting is wrong, ValueError as `Client`.
    """
    settings = read_settings(environ, url=url)
    if settings.url is None:
        reason = "BAROGRAPH_URL is not set, and there is no connection file of a server on this machine."
        raise SettingError("BAROGRAPH_URL", reason)
    program = os.path.basename((sys.argv or [""])[0]) or "python"
    if token is None:
        token, options["secret"] = settings.token, settings.secret
    return Client(
        settings.url, token, runner=runner or program, queue_folder=queue_folder or settings.queue_folder,
        project=project or settings.project or os.path.basename(absolute_path(".")) or "default",
        content=settings.content if content is None else content, **options,
    )


def _close_all() -> None:
    """At exit: deliver if the server answers at once; otherwise leave the items on disk."""
    for client in list(_clients):
        if client._delivery is not None and not client._closed:
            with contextlib.suppress(Exception):
                client.close(0.0 if client._delivery.status.get("status") == "waiting" else 1.0)


_paused: list[Delivery] = []


def _before_fork() -> None:
    _paused[:] = [client._delivery for client in list(_clients) if client._delivery is not None]
    for delivery in _paused:
        delivery.pause()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: [delivery.resume() for delivery in _paused],
        after_in_child=lambda: [client._forget_parent() for client in list(_clients)],
    )
