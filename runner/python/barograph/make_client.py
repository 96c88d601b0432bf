"""Creates clients from the settings, and ends them with the program."""
from __future__ import annotations

import atexit
import contextlib
import os
import sys
from pathlib import Path
from typing import Any, Mapping

from .client import Client, clients
from .errors import SettingError
from .settings import absolute_path, read_settings


def connect(
    project: str | None = None,
    runner: str | None = None,
    *,
    url: str | None = None,
    token: str | None = None,
    queue_folder: str | Path | None = None,
    content: bool | None = None,
    environ: Mapping[str, str] | None = None,
    **options: Any,
) -> Client:
    """A client with the settings of the environment and of the server on this machine; arguments override them.

    `project` defaults to BAROGRAPH_PROJECT, else the name of the working folder; `runner` to the program's name.
    Raises SettingError if no server is known or a setting is wrong, ValueError as `Client`.
    """
    settings = read_settings(environ, url=url)
    if settings.url is None:
        reason = "BAROGRAPH_URL is not set, and there is no connection file of a server on this machine."
        raise SettingError("BAROGRAPH_URL", reason)
    program = os.path.basename(sys.argv[0] if sys.argv and sys.argv[0] else "") or "python"
    return Client(
        settings.url,
        settings.token if token is None else token,
        secret=settings.secret if token is None else None,
        project=project or settings.project or os.path.basename(absolute_path(".")) or "default",
        runner=runner or program,
        queue_folder=queue_folder or settings.queue_folder,
        content=settings.content if content is None else content,
        **options,
    )


def _close_all() -> None:
    """At exit: deliver if the server answers at once, else leave the rest on disk."""
    for client in list(clients):
        if client._begun and not client._closed:
            with contextlib.suppress(Exception):
                client.close(0.0 if client._status.get("status") == "waiting" else 1.0)


def _reset_all() -> None:
    for client in list(clients):
        client._reset_in_child()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
