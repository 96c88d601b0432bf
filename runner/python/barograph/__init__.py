"""Barograph for Python: the context pressure of agents, measured and reported.

Needs no packages, and no server: pass a `Session` to report.

    usage      ContextUsage, UsageProcessor, ContextPressureError, read_usage
    messages   ContextTracker, estimate_tokens
    reporting  connect, Client, Session
    archives   make_precompact_hook, precompact_hook, archive_transcript, `python3 -m barograph hook`

Counts are tokens, at most 2^53-1. A percent is of 100; ratio, pressure and threshold are shares of the limit. Times are
milliseconds since 1970-01-01T00:00Z, durations seconds.
"""
from .archive import ArchiveEntry, archive_transcript
from .client import Client, FlushResult, connect
from .delivery import RefusedItem
from .errors import MAX_COUNT, ContextPressureError, CountError, SettingError
from .estimate import estimate_tokens
from .hook import make_precompact_hook, precompact_hook
from .items import Session
from .settings import SETTINGS, VERSION as __version__
from .tracker import CompressionSuggestion, ContextTracker
from .usage import DEFAULT_LIMIT, DEFAULT_THRESHOLD, TRACKING_DISABLED, TRACKING_ENABLED, ContextUsage, UsageProcessor
from .usage import UsageSnapshot, is_concerning, needs_reset, pressure_of, state_of, tokens_at, tokens_until
from .vendors import VENDORS, TurnUsage, read_usage
