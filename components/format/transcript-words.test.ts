import { describe, expect, it } from 'vitest';
import { transcriptFixture } from './testing/transcript-fixture';
import {
  agentWords,
  checksumTitle,
  checksumWords,
  isBeyondLimit,
  limitsHref,
  momentWords,
  outcomeWords,
  placeWords,
  triggerWords,
} from './transcript-words';

const NOW = Date.parse('2026-11-22T16:00:00Z');

describe('texts about a transcript', () => {
  it.each<[Parameters<typeof transcriptFixture>[0], string]>([
    [{ state: 'stored', verifiedAt: '2026-11-22T14:03:00Z' }, 'Verified 14:03'],
    [{ state: 'stored', verifiedAt: '2026-11-20T14:03:00Z' }, 'Verified 20 Nov 14:03'],
    [{ state: 'stored', verifiedAt: null }, 'Stored, not verified yet'],
    [{ state: 'uploading' }, 'Uploading'],
    [
      { state: 'uploading', reason: 'The disk is full. It retries.' },
      'Upload delayed: the disk is full. It retries',
    ],
    [{ state: 'announced', host: 'ci-runner-3' }, 'Not uploaded; kept on ci-runner-3'],
    [{ state: 'failed', reason: 'the disk is full' }, 'Failed: the disk is full'],
    [{ state: 'skipped', reason: null }, 'Skipped: no reason given'],
    [{ state: 'damaged', reason: '1 of its 2 chunks is corrupt' }, 'Damaged: 1 of its 2 chunks is corrupt'],
    [{ state: 'deleted', reason: 'spam', deletedAt: '2026-11-22T09:00:00Z' }, 'Deleted 09:00: spam'],
  ])('writes %j as "%s"', (change, words) => {
    expect(checksumWords(transcriptFixture(change), 'UTC', NOW)).toBe(words);
  });

  it('names the sub-agent of a sub-agent file', () => {
    expect(agentWords(transcriptFixture({ agent: 'a5f3\u202e' }))).toMatch(/^sub-agent a5f3/);
    expect(agentWords(transcriptFixture({ agent: 'a5f3\u202e' }))).not.toContain('\u202e');
    expect(agentWords(transcriptFixture({ agent: null }))).toBeNull();
    expect(agentWords({})).toBeNull();
  });

  it('links to the project’s limits if a limit refused the transcript', () => {
    const failed = (reason: string) => isBeyondLimit(transcriptFixture({ state: 'failed', reason }));
    expect(failed('the project has 5 transcripts; it accepts at most 5 (maxArchives)')).toBe(true);
    expect(failed('the disk is full')).toBe(false);
    expect(limitsHref('a b')).toBe('/settings?project=a%20b#transcripts');
  });

  it('names the outcome of a compaction that did not happen', () => {
    const compaction = { state: 'blocked', reason: 'a hook said no\u202e' } as const;
    const blocked = triggerWords({ trigger: 'auto', compaction });
    expect(blocked).toMatch(/^before an auto compaction that was blocked: a hook said no./);
    expect(blocked).not.toContain('\u202e');
    const failed = { state: 'failed', reason: null } as const;
    expect(triggerWords({ trigger: null, compaction: failed })).toBe('before a compaction that failed');
    for (const state of ['pending', 'confirmed'] as const) {
      const compaction = { state, reason: null };
      expect(outcomeWords(compaction)).toBeNull();
      expect(triggerWords({ trigger: 'manual', compaction })).toBe('before a manual compaction');
    }
    expect(outcomeWords(null)).toBeNull();
  });

  it('adds the day unless it is today', () => {
    expect(momentWords('2025-11-22T14:03:00Z', 'UTC', NOW)).toBe('22 Nov 14:03');
    expect(momentWords('2026-11-21T23:30:00Z', 'UTC', NOW)).toBe('21 Nov 23:30');
    expect(momentWords('2026-11-21T23:30:00Z', 'Asia/Tokyo', NOW)).toBe('22 Nov 08:30');
  });

  it('names the host of the original, and the hash in the tooltip', () => {
    expect(placeWords(transcriptFixture({ state: 'stored', host: 'pier' }))).toBe('also on host pier');
    expect(placeWords(transcriptFixture({ state: 'failed', host: 'pier' }))).toBe('on host pier');
    expect(placeWords(transcriptFixture({ state: 'announced', host: null, path: null }))).toBe('');
    expect(checksumTitle(transcriptFixture({ sha256: 'ab'.repeat(32) }), 'UTC')).toContain('ab'.repeat(32));
  });
});
