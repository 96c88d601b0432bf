import type { TranscriptRow } from '@/core/api/transcripts';

/** A stored transcript. @param change fields to override */
export function transcriptFixture(change: Partial<TranscriptRow> = {}): TranscriptRow {
  return {
    id: '0190b0a0-0000-7000-8000-000000000001',
    archive: '0190b0a0-0000-4000-8000-0000000000bb',
    state: 'stored',
    reason: null,
    project: 'harbour',
    sessionId: '0190b0a0-0000-7000-8000-0000000000aa',
    sessionTitle: 'Line-level attribution',
    sessionKey: 'harbour/attribution',
    eventId: null,
    trigger: 'auto',
    version: 'hook',
    at: '2026-11-22T13:51:07Z',
    format: 'claude-code',
    fileName: 'session.jsonl',
    host: 'pier',
    path: '/home/dev/.config/barograph/runs/harbour/archives/session.jsonl',
    bytes: 3_700_000,
    lines: 870,
    messages: 308,
    sha256: 'ab'.repeat(32),
    verifiedAt: '2026-11-22T13:51:09Z',
    secrets: 2,
    deletedAt: null,
    ...change,
  };
}
