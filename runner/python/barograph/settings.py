"""Settings of the environment, and the connection file of a server on this machine."""
from __future__ import annotations

import difflib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from .errors import SettingError

VERSION = "0.1.0"
SETTINGS = (
    "BAROGRAPH_PORT", "BAROGRAPH_HOST", "BAROGRAPH_DATA_DIR", "BAROGRAPH_DATABASE_CONNECTIONS", "BAROGRAPH_LOG_LEVEL",
    "BAROGRAPH_IDLE_AFTER_MINUTES", "BAROGRAPH_COMMANDS", "BAROGRAPH_ROLE", "BAROGRAPH_ALERT_PRIVATE_TARGETS",
    "BAROGRAPH_URL", "BAROGRAPH_TOKEN", "BAROGRAPH_TOKEN_FILE", "BAROGRAPH_PROJECT", "BAROGRAPH_CONTENT",
    "BAROGRAPH_QUEUE_DIR", "BAROGRAPH_CONFIG_DIR", "BAROGRAPH_UPLOAD_ARCHIVES", "BAROGRAPH_AUTH",
    "BAROGRAPH_OIDC_CLIENT_ID", "BAROGRAPH_OIDC_CLIENT_SECRET", "BAROGRAPH_OIDC_ISSUER", "BAROGRAPH_PUBLIC_URL",
    "BAROGRAPH_SECRETS_KEY", "BAROGRAPH_TLS_CERT", "BAROGRAPH_TLS_KEY", "BAROGRAPH_TLS_LISTEN",
    "BAROGRAPH_TRUSTED_PROXIES",
    "BAROGRAPH_STATEMENT_SECONDS", "BAROGRAPH_LIMIT_CONNECTIONS", "BAROGRAPH_LIMIT_LIVE_SOCKETS",
    "BAROGRAPH_LIMIT_RUNNER_SOCKETS", "BAROGRAPH_LIMIT_OPEN_OFFERS", "BAROGRAPH_LIMIT_BYTES", "BAROGRAPH_LIMIT_ITEMS",
    "BAROGRAPH_LIMIT_SESSIONS", "BAROGRAPH_LIMIT_SUB_AGENTS", "BAROGRAPH_LIMIT_STREAMS", "BAROGRAPH_LIMIT_PROJECTS",
    "BAROGRAPH_LIMIT_LATE_TURNS", "BAROGRAPH_LIMIT_OFFERS", "BAROGRAPH_LIMIT_ARCHIVE_MS",
    "BAROGRAPH_LIMIT_REQUESTS", "BAROGRAPH_LIMIT_READS", "BAROGRAPH_LIMIT_LIVE_REQUESTS",
    "BAROGRAPH_ARCHIVE_STORE", "BAROGRAPH_S3_ENDPOINT", "BAROGRAPH_S3_REGION", "BAROGRAPH_S3_PATH_STYLE",
)
"""Every environment variable of Barograph, including the server's."""


def refuse_unknown_settings(given: Iterable[str], known: Sequence[str]) -> None:
    """Raise SettingError for the first unknown name, with the most similar known name."""
    for name in given:
        if name not in known:
            plain = {re.sub(r"[-_]", "", each).lower(): each for each in known}
            [found] = difflib.get_close_matches(re.sub(r"[-_]", "", name).lower(), plain, 1, 0)
            raise SettingError(name, f'Unknown setting "{name}". Did you mean "{plain[found]}"?', plain[found])


@dataclass
class Settings:
    """The settings of a runner. `secret`: the server must prove that it knows this; None if the token is given."""

    url: str | None
    token: str | None = field(repr=False)
    project: str | None
    content: bool
    queue_folder: str
    secret: str | None = field(default=None, repr=False)


def read_settings(environ: Mapping[str, str] | None = None, *, url: str | None = None) -> Settings:
    """Read the BAROGRAPH_ variables; address and token default to `connection.json` in the data folder.

    `url` overrides them. Raises SettingError.
    """
    env = os.environ if environ is None else environ
    refuse_unknown_settings(sorted(name for name in env if name.startswith("BAROGRAPH_")), SETTINGS)
    data = _data_folder(env)
    files = (os.path.join(data, name) for name in ("connection.json", "last-connection.json"))
    connection = next(filter(None, map(_read_connection, files)), None)
    url = url or text_of(env, "BAROGRAPH_URL") or (connection["url"] if connection else None)
    token, secret = _given_token(env), None
    # Use the file's token only for the server that the file names.
    if token is None and connection and url and _place(url) == _place(connection["url"]):
        token, secret = connection["ingestToken"], connection["secret"]
    content = (text_of(env, "BAROGRAPH_CONTENT") or "on").lower()
    if content not in ("on", "off"):
        raise SettingError("BAROGRAPH_CONTENT", f'BAROGRAPH_CONTENT: "{content}" is neither on nor off.')
    queue = _path_of(env, "BAROGRAPH_QUEUE_DIR") or os.path.join(data, "queue")
    return Settings(url, token, text_of(env, "BAROGRAPH_PROJECT"), content == "on", queue, secret)


def _given_token(env: Mapping[str, str]) -> str | None:
    path = _path_of(env, "BAROGRAPH_TOKEN_FILE")
    if path is None:
        return text_of(env, "BAROGRAPH_TOKEN")
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except OSError:
        token = ""
    if not token:
        raise SettingError("BAROGRAPH_TOKEN_FILE", f'BAROGRAPH_TOKEN_FILE: "{path}" contains no token.')
    return token


def text_of(env: Mapping[str, str], name: str) -> str | None:
    return (env.get(name) or "").strip() or None


def absolute_path(path: str | Path) -> str:
    try:
        absolute = os.path.abspath(str(path))
    except OSError:  # The working folder was deleted.
        absolute = os.path.normpath(os.path.join("/", str(path)))
    # POSIX keeps two leading slashes.
    return re.sub(r"^//+", "/", absolute)


def config_folder(env: Mapping[str, str]) -> str:
    return _path_of(env, "BAROGRAPH_CONFIG_DIR") or _below(env, "XDG_CONFIG_HOME", ".config")


def _data_folder(env: Mapping[str, str]) -> str:
    default = "/var/lib/barograph" if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    return _path_of(env, "BAROGRAPH_DATA_DIR") or default or _below(env, "XDG_DATA_HOME", ".local/share")


def _below(env: Mapping[str, str], name: str, default: str) -> str:
    base = text_of(env, name)
    if base is None or not base.startswith("/"):
        home = env.get("HOME") or os.path.expanduser("~")
        if not os.path.isabs(home):
            raise SettingError("HOME", "HOME: this account has no home folder.")
        base = os.path.join(home, default)
    return os.path.join(base.rstrip("/"), "barograph")


def _path_of(env: Mapping[str, str], name: str) -> str | None:
    value = text_of(env, name)
    if value is not None and not os.path.isabs(value):
        raise SettingError(name, f'{name}: "{value}" is not an absolute path.')
    return value and (value.rstrip("/") or "/")


def _read_connection(path: str) -> dict[str, str] | None:
    """None if there is no such file. Raises SettingError."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        return {name: content[name].strip() for name in ("url", "ingestToken", "secret")}
    except PermissionError:
        reason = "this account may not read it. Set BAROGRAPH_URL and BAROGRAPH_TOKEN instead."
    except OSError:
        return None
    except (ValueError, LookupError, TypeError, AttributeError):
        reason = "the file is damaged or from an older server. Restart the server to write a new one."
    raise SettingError(path, f"{path}: {reason}") from None


def _place(url: str) -> str:
    return re.sub(r"^localhost(?=:|$)", "127.0.0.1", urlsplit(url).netloc.lower())
