import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchTranscriptsOf, RefusedError } from './fetch-transcripts';
import { transcriptFixture } from './testing-transcripts';

afterEach(() => vi.unstubAllGlobals());

const signal = new AbortController().signal;

describe('The transcripts of a session', () => {
  it('are read to the last page, so that those of its first compaction are reached', async () => {
    const asked: URL[] = [];
    vi.stubGlobal('fetch', (path: string) => {
      const url = new URL(path, 'http://127.0.0.1');
      asked.push(url);
      const place = Number(url.searchParams.get('cursor') ?? 0);
      const transcripts = [{ ...transcriptFixture({ id: `t${place}` }), hits: [], hitCount: null }];
      return Promise.resolve(
        Response.json({ transcripts, total: 3, nextCursor: place < 2 ? String(place + 1) : null }),
      );
    });
    const found = await fetchTranscriptsOf('s 1', signal);
    expect(found.map(({ id }) => id)).toEqual(['t0', 't1', 't2']);
    expect(
      asked.map(({ searchParams }) => [searchParams.get('session'), searchParams.get('cursor')]),
    ).toEqual([
      ['s 1', null],
      ['s 1', '1'],
      ['s 1', '2'],
    ]);
  });

  it('are refused with the server’s words', async () => {
    vi.stubGlobal('fetch', () =>
      Promise.resolve(Response.json({ error: { code: 'x', reason: 'not today' } }, { status: 400 })),
    );
    await expect(fetchTranscriptsOf('s', signal)).rejects.toThrow(new RefusedError(400, 'not today'));
  });
});
