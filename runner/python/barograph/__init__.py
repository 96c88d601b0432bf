"""Barograph for Python: the context pressure of agents, measured and reported.

Needs no packages, and no server: pass a `Session` to report.

    usage      ContextUsage, UsageProcessor, ContextPressureError, read_usage
    snapshots  ContextSnapshot
    messages   ContextTracker
    restarts   extract_checkpoint
    archives   make_precompact_hook, precompact_hook, archive_transcript, archive_sub_agents, `python3 -m barograph hook`
    reporting  connect, Client, Session

Counts are tokens, at most 2^53-1. A percent is of 100; ratio, pressure and threshold are shares of the limit. Times are
milliseconds since 1970-01-01T00:00Z, durations seconds.
"""
from .archive import ArchiveEntry, archive_sub_agents, archive_transcript
from .checkpoint import extract_checkpoint
from .client import Client
from .make_client import connect
from .delivery import FlushResult, RefusedItem
from .errors import MAX_COUNT, ContextPressureError, CountError, SettingError, UnknownSettingError
from .events import Subscription
from .hook import make_precompact_hook, precompact_hook
from .names import extension_of, repo_key, session_name
from .messages import CompressionSuggestion
from .pressure import (
    ContextSnapshot, UsageSnapshot, is_concerning, needs_reset, pressure_of, state_of, tokens_at, tokens_until,
)
from .session import Session
from .settings import SETTINGS, Settings, read_settings, refuse_unknown_settings
from .tracker import ContextTracker
from .usage import DEFAULT_LIMIT, DEFAULT_THRESHOLD, TRACKING_DISABLED, TRACKING_ENABLED, ContextUsage, UsageProcessor
from .vendors import VENDORS, TurnUsage, read_usage
from .version import VERSION as __version__

__all__ = [
    "ArchiveEntry", "Client", "CompressionSuggestion", "ContextPressureError", "ContextSnapshot", "ContextTracker",
    "ContextUsage", "CountError", "DEFAULT_LIMIT", "DEFAULT_THRESHOLD", "FlushResult", "MAX_COUNT", "RefusedItem",
    "SETTINGS", "Session", "SettingError", "Settings", "Subscription", "TRACKING_DISABLED", "TRACKING_ENABLED",
    "TurnUsage", "UnknownSettingError", "UsageProcessor", "UsageSnapshot", "VENDORS", "__version__",
    "archive_sub_agents", "archive_transcript", "connect", "extension_of", "extract_checkpoint", "is_concerning",
    "make_precompact_hook", "needs_reset", "precompact_hook", "pressure_of", "read_settings", "read_usage",
    "refuse_unknown_settings", "repo_key", "session_name", "state_of", "tokens_at", "tokens_until",
]
