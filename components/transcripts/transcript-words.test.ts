import { describe, expect, it } from 'vitest';
import { transcriptFixture } from './testing-transcripts';
import {
  agentWords,
  checksumTitle,
  checksumWords,
  isBeyondLimit,
  limitsHref,
  momentWords,
  outcomeWords,
  placeWords,
  stateWords,
  triggerWords,
} from './transcript-words';

const NOW = Date.parse('2026-11-22T16:00:00Z');
const words = (change: Parameters<typeof transcriptFixture>[0]) =>
  checksumWords(transcriptFixture(change), 'UTC', NOW);

describe('what is said of a transcript', () => {
  it('is "read back and hashed" only once it was', () => {
    expect(words({ state: 'stored', verifiedAt: '2026-11-22T14:03:00Z' })).toBe(
      'stored, read back and hashed 14:03',
    );
    expect(words({ state: 'stored', verifiedAt: '2026-11-20T14:03:00Z' })).toBe(
      'stored, read back and hashed 20 Nov 14:03',
    );
    expect(words({ state: 'stored', verifiedAt: null })).toBe('stored, not read back yet');
    expect(words({ state: 'uploading', verifiedAt: null })).toBe('on its way; not complete yet');
    expect(words({ state: 'announced', verifiedAt: null })).toBe('announced; the runner keeps the copy');
  });

  it('gives what holds it up, since when and when it was tried last, before anything else', () => {
    const heldUp = {
      reason: "The disk of the server's database is full.",
      since: '2026-11-22T14:03:00Z',
      lastTriedAt: '2026-11-22T14:05:00Z',
      tries: 3,
    };
    for (const state of ['uploading', 'announced', 'failed'] as const) {
      expect(words({ state, verifiedAt: null, heldUp })).toBe(
        "held up: the disk of the server's database is full; since 14:03; tried again 14:05 by the runner",
      );
      expect(stateWords({ state, heldUp })).toBe('held up');
    }
    expect(words({ state: 'uploading', heldUp: { ...heldUp, tries: 1 } })).toMatch(
      /; since 14:03; the runner comes again$/,
    );
    expect(words({ state: 'uploading', reason: 'The disk is full. The runner comes again.' })).toBe(
      'on its way, held up: the disk is full. The runner comes again',
    );
    expect(stateWords({ state: 'uploading', heldUp: null })).toBe('on its way');
  });

  it('names the sub-agent whose own file it is', () => {
    expect(agentWords(transcriptFixture({ agent: 'a5f3\u202e' }))).toMatch(/^sub-agent a5f3/);
    expect(agentWords(transcriptFixture({ agent: 'a5f3\u202e' }))).not.toContain('\u202e');
    expect(agentWords(transcriptFixture({ agent: null }))).toBeNull();
    expect(agentWords({})).toBeNull();
  });

  it('gives the reason where there is no copy', () => {
    expect(words({ state: 'failed', reason: 'the disk is full' })).toBe('failed: the disk is full');
    expect(words({ state: 'skipped', reason: null })).toBe('skipped: no reason stated');
    expect(words({ state: 'deleted', reason: 'personal data', deletedAt: '2026-11-22T09:00:00Z' })).toBe(
      'deleted 09:00: personal data',
    );
  });

  it('leads to the project’s limits where one of them refused it', () => {
    const failed = (reason: string) => isBeyondLimit(transcriptFixture({ state: 'failed', reason }));
    expect(failed('the project has 5 transcripts, and takes at most 5 (maxArchives)')).toBe(true);
    expect(failed('the disk is full')).toBe(false);
    expect(limitsHref('a b')).toBe('/settings?project=a%20b#transcripts');
  });

  it('says why bytes are not whole', () => {
    expect(words({ state: 'damaged', reason: '1 of its 2 chunks went bad at rest' })).toBe(
      'damaged: 1 of its 2 chunks went bad at rest',
    );
  });

  it('says of a compaction that never was what became of it, and of all others nothing', () => {
    const compaction = { state: 'blocked', reason: 'a hook said no\u202e' } as const;
    expect(triggerWords({ trigger: 'auto', compaction })).toMatch(
      /^before an auto compaction that was blocked: a hook said no./,
    );
    expect(triggerWords({ trigger: 'auto', compaction })).not.toContain('\u202e');
    expect(triggerWords({ trigger: null, compaction: { state: 'failed', reason: null } })).toBe(
      'before a compaction that failed',
    );
    for (const state of ['pending', 'confirmed'] as const) {
      expect(outcomeWords({ state, reason: null })).toBeNull();
      expect(triggerWords({ trigger: 'manual', compaction: { state, reason: null } })).toBe(
        'before a manual compaction',
      );
    }
    expect(outcomeWords(null)).toBeNull();
  });

  it('names the day as soon as a clock alone could mean another one', () => {
    expect(momentWords('2025-11-22T14:03:00Z', 'UTC', NOW)).toBe('22 Nov 14:03');
    expect(momentWords('2026-11-21T23:30:00Z', 'UTC', NOW)).toBe('21 Nov 23:30');
    expect(momentWords('2026-11-21T23:30:00Z', 'Asia/Tokyo', NOW)).toBe('22 Nov 08:30');
  });

  it('says where else the copy lies, and the whole hash on hover', () => {
    expect(placeWords(transcriptFixture({ state: 'stored', host: 'pier' }))).toBe(
      'in this server’s database, and on pier',
    );
    expect(placeWords(transcriptFixture({ state: 'announced', host: 'pier' }))).toBe('on pier');
    expect(placeWords(transcriptFixture({ state: 'announced', host: null, path: null }))).toBe('');
    expect(checksumTitle(transcriptFixture({ sha256: 'ab'.repeat(32) }), 'UTC')).toContain('ab'.repeat(32));
  });
});
