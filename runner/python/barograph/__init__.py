"""Barograph for Python: reports model calls to a server, and archives transcripts before a compaction.

    calls     report, report_anthropic, report_langchain, report_openai
    archives  make_precompact_hook, precompact_hook, archive_transcript, `python3 -m barograph hook`

Nothing here needs a package, and nothing raises because of a server, a file or a setting. Problems are warnings of the
logger `barograph`.
"""
from .archive import ArchiveEntry, archive_transcript
from .hook import make_precompact_hook, precompact_hook
from .calls import report, report_anthropic, report_langchain, report_openai
