import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import {
  revealed,
  transcriptMessages,
  transcriptOutline,
  transcriptSearch,
  transcriptSecrets,
} from '../../core/api/transcript-contents';
import { transcriptLost } from '../../core/api/transcript-lost';
import { transcriptList } from '../../core/api/transcripts';
import { boundary, said, toLines } from '../../core/transcript/testing-transcripts';
import { compacted, SECRET, storeTranscript } from './testing/read-transcripts';
import { bodyOf, startTestApi } from './testing/test-api';

const api = await startTestApi();
afterAll(() => api.close());
const { get } = api;
const { sql } = api.database;
let id: string;

beforeAll(async () => {
  const text = compacted(`The token is ${SECRET}.`, '/srv/a.ts', 'x'.repeat(50_000));
  id = await storeTranscript(sql, { project: 'atlas', session: 'one', text });
});

async function asked<T extends z.ZodType>(path: string, shape: T): Promise<z.infer<T>> {
  const response = await get(`/transcripts/${id}${path}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const body: unknown = await response.json();
  const parsed = shape.parse(body);
  expect(parsed).toEqual(body);
  return parsed;
}

describe('the content API', () => {
  it('returns its documented shapes without secrets', async () => {
    const outline = await asked('/outline', transcriptOutline);
    expect(outline).toMatchObject({ state: 'read', entries: 5, secrets: 1 });
    const { entries } = await asked('/messages?from=0&count=5&raw=1', transcriptMessages);
    expect(JSON.stringify(entries)).not.toContain(SECRET);
    expect(await asked('/secrets', transcriptSecrets)).toMatchObject({ secrets: [{ secret: 0, entry: 0 }] });
    expect(await asked('/lost', transcriptLost)).toMatchObject({
      foundIn: { id },
      lost: { gone: { messages: 3, kindTokens: { tool_result: expect.any(Number) } } },
    });
    expect((await asked('/search?q=all%20is%20well', transcriptSearch)).hits).toMatchObject([{ entry: 4 }]);
    const list = await bodyOf(transcriptList, get('/transcripts?q=all+is+well'));
    expect(list.transcripts).toMatchObject([{ id, hitCount: 1 }]);
  });

  it('returns the outline of the first entries with their calls', async () => {
    const whole = await asked('/outline', transcriptOutline);
    const first = await asked('/outline?count=2', transcriptOutline);
    const { columns, calls, ...head } = whole;
    const { columns: cut, calls: cutCalls, ...sameHead } = first;
    expect(sameHead).toEqual(head);
    expect(cut).toEqual(
      Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.slice(0, 2)])),
    );
    const named = cut.call.filter((call) => call !== null);
    expect(cutCalls).toEqual(calls.slice(0, Math.max(-1, ...named) + 1));
  });

  it('cuts long texts, and returns one entry in full', async () => {
    const short = await asked('/messages?from=2&count=2', transcriptMessages);
    const whole = await asked('/messages?from=2&count=1&full=1', transcriptMessages);
    const lengthOf = ({ entries }: typeof short) => {
      const [block] = entries[0]?.blocks ?? [];
      const part = block?.type === 'tool_result' ? block.content[0] : undefined;
      return part?.type === 'text' ? [part.text.length, part.characters] : [];
    };
    expect(lengthOf(short)).toEqual([20_000, 50_000]);
    expect(lengthOf(whole)).toEqual([50_000, 50_000]);
  });

  it('reveals secrets to admins only, and records it', async () => {
    const reveal = (scope: 'read' | 'admin') =>
      api.ask('POST', `/transcripts/${id}/reveal`, { reason: 'a check' }, api.bearer(scope));
    expect((await reveal('read')).status).toBe(403);
    const shown = await bodyOf(revealed, reveal('admin'));
    expect(shown.secrets).toEqual([{ secret: 0, rule: 'GitHub token', entry: 0, line: 0, value: SECRET }]);
    const log = await sql`select actor from audit_log where action = 'transcript_revealed'`;
    expect(log).toEqual([{ actor: 'a admin' }]);
  });

  it('records several reads of one actor once', async () => {
    const log = await sql`select actor from audit_log where action = 'transcript_read'`;
    expect(log).toEqual([{ actor: 'a read' }]);
  });

  it('audits each search once, with its words but no secrets', async () => {
    await sql`delete from audit_log where action = 'transcripts_searched'`;
    for (const path of [
      '/transcripts?q=all+is+well',
      '/transcripts?q=all+is+well&limit=1',
      '/transcripts?q=all+is+well&project=none',
      '/transcripts?q=all+is+well&project=none&project=other',
      `/transcripts?q=where+is+${SECRET}`,
      `/transcripts?q=${'k'.repeat(41)}+${id}`,
      '/transcripts?q=+',
      `/transcripts/${id}/search?q=all+is+well`,
      `/transcripts/${id}/search?q=all+is+well`,
      `/transcripts/${id}/search?q=never+written+here`,
    ]) {
      expect((await get(path)).status).toBe(200);
    }
    const log = await sql`
      select a.actor, t.public_id as transcript, a.detail from audit_log a
      left join transcripts t on t.public_id = a.transcript
      where a.action = 'transcripts_searched' order by a.id`;
    const all = { actor: 'a read', transcript: null };
    const one = { actor: 'a read', transcript: id };
    expect([...log]).toEqual([
      { ...all, detail: { words: 'all is well', found: 1 } },
      { ...all, detail: { words: 'all is well', found: 0, projects: ['none', 'other'] } },
      { ...all, detail: { words: 'where is [masked: GitHub token]', found: expect.any(Number) } },
      { ...all, detail: { words: `kkkkkkkk… ${id}`, found: 0 } },
      { ...one, detail: { words: 'all is well', found: 1 } },
      { ...one, detail: { words: 'never written here', found: 0 } },
    ]);
    expect(JSON.stringify(log)).not.toContain(SECRET);
  });

  it.each(['outline', 'messages', 'lost', 'secrets', 'search?q=x'])(
    'answers 404 without a transcript: %s',
    async (path) => {
      expect((await get(`/transcripts/${randomUUID()}/${path}`)).status).toBe(404);
      expect((await get(`/transcripts/none/${path}`)).status).toBe(404);
    },
  );

  it('compares the compaction nearest to a time', async () => {
    const timed = (timestamp: string, more: object) => ({ ...more, timestamp });
    const text = toLines([
      said('First task'),
      timed('2026-03-01T10:10:00.000Z', boundary({ trigger: 'auto', preTokens: 101 })),
      said('Second task'),
      timed('2026-03-01T10:20:00.000Z', boundary({ trigger: 'auto', preTokens: 102 })),
    ]);
    const publicId = await storeTranscript(sql, { project: 'harbour', session: 'two', text });
    const tokensAt = async (query: string) =>
      (await bodyOf(transcriptLost, get(`/transcripts/${publicId}/lost${query}`))).lost?.tokens.preTokens;
    expect(await tokensAt('')).toBe(102);
    expect(await tokensAt('?at=2026-03-01T10:11:00Z')).toBe(101);
    expect(await tokensAt('?at=2026-03-01T10:19:00Z')).toBe(102);
  });
});
