import { describe, expect, it } from 'vitest';
import { detailWords } from './audit-words';

describe('an entry of the audit log', () => {
  it('describes unmasked secrets, downloaded bytes and the reason', () => {
    expect(detailWords({ detail: { secrets: [3, 4], reason: 'checking the key' } })).toBe(
      '2\u00a0secrets; checking the key',
    );
    expect(detailWords({ detail: { bytes: 3_700_000 } })).toBe('3.7\u00a0MB');
    expect(detailWords({ detail: { secrets: 1 } })).toBe('1\u00a0secret');
  });

  it('describes searches, changed settings and tokens', () => {
    expect(detailWords({ detail: { words: 'tide tables' } })).toBe('“tide tables”');
    expect(detailWords({ detail: { name: 'build', scope: 'read' } })).toBe('build, read');
    const limited = { name: 'build', scope: 'ingest', project: 'shop' };
    expect(detailWords({ detail: limited })).toBe('build, ingest, shop');
    const set = {
      warning: 0.7,
      restartLine: null,
      keepDays: 90,
      maxArchiveBytes: 1_000_000,
      m: 128_000,
      'a\u202eb': null,
    };
    expect(detailWords({ detail: { set } })).toBe(
      'warning 70\u00a0%, restart line default, days 90, size of one 1 MB, window of m 128\u202f000, window of a⟨RLO⟩b removed',
    );
  });

  it('skips missing details and shows hidden characters of a reason', () => {
    expect(detailWords({ detail: {} })).toBe('');
    expect(detailWords({ detail: { secrets: 'x', bytes: null, reason: 7 } })).toBe('');
    expect(detailWords({ detail: { reason: 'a\u202eb' } })).toBe('a⟨RLO⟩b');
  });
});
