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
import {
  answered,
  boundary,
  said,
  summary,
  toLines,
  toolResult,
  toolUse,
} from '../../core/transcript/testing-transcripts';
import { claimContents } from '../../db/transcripts/contents/claim-contents';
import { makeProject } from '../../db/transcripts/transcripts-testing';
import { readContents } from '../transcripts/read-contents';
import { inProcess } from '../transcripts/testing/in-process';
import { keepTranscript } from '../transcripts/testing/keep-transcript';
import { bodyOf, startTestApi } from './testing/test-api';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'}`;
const OWNER = '0190b0a0-0000-7000-8000-00000000000a';

const api = await startTestApi();
afterAll(() => api.close());
const { get } = api;
const { sql } = api.database;
let id: string;

beforeAll(async () => {
  const projectId = await makeProject(sql, 'atlas');
  const text = toLines([
    said(`The token is ${TOKEN}.`),
    answered(toolUse('t', 'Read', { file_path: '/srv/a.ts' }), { call: 'a', input: 5_000 }),
    toolResult('t', 'x'.repeat(50_000)),
    boundary(),
    summary('All is well.'),
  ]);
  id = (await keepTranscript(sql, projectId, text, { session: 'one', version: 'completed' })).publicId;
  const claimed = await claimContents(sql, OWNER);
  if (claimed === null) throw new Error('the transcript waits to be read');
  await readContents(sql, claimed, inProcess);
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
    expect(JSON.stringify(entries)).not.toContain(TOKEN);
    expect(await asked('/secrets', transcriptSecrets)).toMatchObject({ secrets: [{ secret: 0, entry: 0 }] });
    expect(await asked('/lost', transcriptLost)).toMatchObject({
      foundIn: { id },
      lost: { gone: { messages: 3 } },
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
    expect(shown.secrets).toEqual([{ secret: 0, rule: 'GitHub token', entry: 0, line: 0, value: TOKEN }]);
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
      `/transcripts?q=where+is+${TOKEN}`,
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
    expect(JSON.stringify(log)).not.toContain(TOKEN);
  });

  it.each(['outline', 'messages', 'lost', 'secrets', 'search?q=x'])(
    'answers 404 without a transcript: %s',
    async (path) => {
      expect((await get(`/transcripts/${randomUUID()}/${path}`)).status).toBe(404);
      expect((await get(`/transcripts/none/${path}`)).status).toBe(404);
    },
  );
});
