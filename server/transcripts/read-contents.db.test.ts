import { afterAll, describe, expect, it } from 'vitest';
import type {
  TranscriptEntry,
  TranscriptOutline,
  TranscriptSource,
} from '../../core/api/transcript-contents';
import {
  answered,
  boundary,
  said,
  summary,
  toLines,
  toolResult,
  toolUse,
} from '../../core/transcript/testing-transcripts';
import { listTranscripts } from '../../db/queries/transcripts/list-transcripts';
import { createTestDatabase } from '../../db/testing/test-database';
import { transact } from '../../db/transact';
import { lockProject } from '../../db/transcripts/change-transcript';
import { removeFiles } from '../../db/transcripts/chunk-store';
import { claimContents } from '../../db/transcripts/contents/claim-contents';
import { inProcessWork } from '../../db/transcripts/contents/contents-work';
import {
  answerMessages,
  answerOutline,
  type ContentsRow,
  findContents,
  loadSource,
  revealSecrets,
} from '../../db/transcripts/contents/load-contents';
import { loadLost } from '../../db/transcripts/contents/load-lost';
import { searchArchives, searchTranscript } from '../../db/transcripts/contents/search-contents';
import { makeProject } from '../../db/transcripts/transcripts-testing';
import { readContents } from './read-contents';
import { inProcess } from './testing/in-process';
import { keepTranscript } from './testing/keep-transcript';
import { startContentsThread } from './thread-pools';

const OWNER = '0190b0a0-0000-7000-8000-00000000000a';

const database = await createTestDatabase();
const { sql } = database;
const projectId = await makeProject(sql);
afterAll(() => database.close());

type Kept = Awaited<ReturnType<typeof keepTranscript>>;
const keep = (text: string, about = {}) => keepTranscript(sql, projectId, text, about);

async function readAllWaiting(startThread = inProcess): Promise<void> {
  for (;;) {
    const claimed = await claimContents(sql, OWNER);
    if (claimed === null) return;
    await readContents(sql, claimed, startThread);
  }
}

async function contentsOf({ publicId }: Kept) {
  const row = await findContents(sql, publicId);
  if (row === null) throw new Error('the transcript is known');
  return row;
}

const parse = (json: Uint8Array) => JSON.parse(new TextDecoder().decode(json));
const messages = async (kept: Kept, more: object = {}) => {
  const window = { from: 0, count: 100, raw: false, full: false, ...more };
  const { entries, ...answer } = await answerMessages(sql, await contentsOf(kept), window);
  return { ...answer, entries: parse(entries) as TranscriptEntry[] };
};
const loadOutline = async (row: ContentsRow): Promise<TranscriptOutline> =>
  parse(await answerOutline(sql, row));
/** A search that ends before its budget does, however busy the machine is. */
const budgetMs = Number.POSITIVE_INFINITY;
const search = async (kept: Kept, q: string) =>
  searchTranscript(sql, await contentsOf(kept), { q, limit: 100, budgetMs });

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'}`;

describe('a processed transcript', () => {
  it('returns the messages of a document of Gemini CLI with masked secrets', async () => {
    const toolCall = { id: 'run_1', name: 'shell', args: { command: 'ls' }, status: 'success', result: [] };
    const said = { id: 'a1', type: 'user', content: `Use ${TOKEN}` };
    const made = { id: 'a2', type: 'gemini', content: 'Done.', toolCalls: [toolCall] };
    const document = { sessionId: 's', projectHash: 'p', messages: [said, made] };
    const kept = await keep(JSON.stringify(document, null, 2), { fileName: 'session-1_transcript.json' });
    await readAllWaiting();
    const { entries } = await messages(kept);
    expect(entries.map(({ kind, line }) => [kind, line])).toEqual([
      ['record', 0],
      ['user', 4],
      ['assistant', 9],
    ]);
    expect(entries[1]?.blocks).toMatchObject([{ type: 'text', text: 'Use [secret 0: GitHub token]' }]);
    expect(entries[2]?.blocks).toMatchObject([
      { type: 'text', text: 'Done.' },
      { type: 'tool_call', name: 'shell' },
      { type: 'tool_result' },
    ]);
  });

  it('returns a matching outline and messages, read in a thread', async () => {
    const kept = await keep(
      toLines([
        said('Please look into the harbour report.'),
        answered(toolUse('t1', 'Read', { file_path: '/srv/report.md' }), { call: 'm1', input: 2_000 }),
        toolResult('t1', 'Tide tables follow.'),
        answered({ type: 'text', text: 'It is about tides.' }, { call: 'm2', input: 2_500 }),
        'not json at all',
      ]),
    );
    await readAllWaiting(startContentsThread);
    const row = await contentsOf(kept);
    expect(row.state).toBe('read');
    const outline = await loadOutline(row);
    expect(outline).toMatchObject({ entries: 5, lines: 5, messages: 4, format: 'claude-code', reason: null });
    expect(outline.columns.pair).toEqual([null, 2, 1, null, null]);
    expect(outline.calls.map(({ contextTokens }) => contextTokens)).toEqual([2_010, 2_510]);
    const { entries, next } = await messages(kept);
    expect(next).toBeNull();
    expect(entries.map(({ kind }) => kind)).toEqual(['user', 'tool_call', 'tool_result', 'assistant', 'raw']);
    expect(entries[1]).toMatchObject({
      contextTokens: 2_010,
      usage: { input: 2_000, output: 10 },
      model: 'm',
    });
    expect(entries[1]?.blocks[0]).toMatchObject({
      type: 'tool_call',
      name: 'Read',
      label: '/srv/report.md',
      result: 2,
    });
    expect(entries[4]?.raw).toEqual({ text: 'not json at all', characters: 15 });
    const window = await messages(kept, { from: 1, count: 2 });
    expect(window.entries.map(({ entry }) => entry)).toEqual([1, 2]);
    expect(window.next).toBe(3);
    const rows = await sql`select format, messages, secrets from transcripts where id = ${kept.id}`;
    expect(rows[0]).toEqual({ format: 'claude-code', messages: 4, secrets: 0 });
  });

  it('masks secrets until they are revealed, and a search for a secret finds nothing', async () => {
    const nested = JSON.stringify({ env: `A=1\nGITHUB=${TOKEN}\n` });
    const kept = await keep(
      toLines([said(`my token is ${TOKEN} ok`), answered(toolUse('t', 'Bash', { command: nested }))]),
    );
    await readAllWaiting();
    const row = await contentsOf(kept);
    expect(row.secrets).toBe(2);
    const all = await messages(kept, { raw: true });
    expect(JSON.stringify(all)).not.toContain(TOKEN.slice(4, 20));
    expect(all.entries[0]?.blocks[0]).toMatchObject({ text: 'my token is [secret 0: GitHub token] ok' });
    expect(all.entries[1]?.secrets).toEqual([{ secret: 1, rule: 'GitHub token', entry: 1, line: 1 }]);
    expect((await search(kept, TOKEN)).hits).toEqual([]);
    const asked = { actor: 'ada', reason: 'rotation' };
    const revealed = await revealSecrets(sql, row, asked);
    expect(revealed?.next).toBeNull();
    await revealSecrets(sql, row, asked);
    expect(revealed?.secrets.map(({ value }) => value)).toEqual([TOKEN, TOKEN]);
    const log = await sql`select actor, action, detail from audit_log where transcript = ${kept.publicId}`;
    expect(log).toEqual([
      { actor: 'ada', action: 'transcript_revealed', detail: { secrets: 2, reason: 'rotation' } },
    ]);
  });

  it('may contain no words at all, or any punctuation between words', async () => {
    const marks = await keep('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ … “”\n'.repeat(40), {
      fileName: 'marks.txt',
    });
    const quoted = await keep("it's 'quoted' and \\escaped\\ as '' nothing:1A\n", { fileName: 'quotes.txt' });
    await readAllWaiting();
    expect((await contentsOf(marks)).state).toBe('read');
    expect((await search(quoted, "'quoted' and \\escaped")).hits).toHaveLength(1);
  });

  it('is searched by phrases across punctuation, with the line of each match', async () => {
    const kept = await keep(
      toLines([
        said('The quick_brown fox'),
        said('a quick fox, brown'),
        said(`${'far '.repeat(30_000)} quick-Brown FOX`),
      ]),
    );
    await readAllWaiting();
    const { hits, total } = await search(kept, 'quick brown fox');
    expect(total).toBe(2);
    expect(hits.map(({ entry, line }) => [entry, line])).toEqual([
      [0, 0],
      [2, 2],
    ]);
    const [from, to] = hits[0]?.marks[0] ?? [0, 0];
    expect(hits[0]?.excerpt.slice(from, to)).toBe('quick_brown fox');
    expect((await search(kept, 'brown quick')).total).toBe(0);
  });
});

describe('a transcript with unreadable content', () => {
  it('is shown in pieces, with secrets masked across their borders', async () => {
    const around = 64 * 1024 - 20;
    const text = `${'x'.repeat(around)} ${TOKEN} ${'y '.repeat(40_000)}\nthe last line`;
    const kept = await keep(text, { fileName: 'failed.jsonl' });
    const row = { ...(await contentsOf(kept)), state: 'failed' as const };
    const pieces: string[] = [];
    let from: number | null = 0;
    while (from !== null) {
      const piece: TranscriptSource = await loadSource(sql, row, from);
      expect(piece.from).toBe(from);
      pieces.push(piece.text);
      from = piece.next;
    }
    const all = pieces.join('');
    expect(pieces.length).toBeGreaterThan(2);
    expect(all).not.toContain(TOKEN.slice(4, 20));
    expect(all).toContain('[masked: GitHub token]');
    expect(all.replaceAll('[masked: GitHub token]', '')).toBe(text.replace(TOKEN, ''));
  });
});

describe('a search that exceeds its time', () => {
  const page = (n: number): object => said(`the pilot cutter number${n} ${`filler${n} `.repeat(8_000)}`);

  it('continues within a transcript, and finds every match once', async () => {
    const kept = await keep(toLines(Array.from({ length: 40 }, (_, n) => page(n))));
    await readAllWaiting();
    const row = await contentsOf(kept);
    const lines: number[] = [];
    let from = 0;
    let answers = 0;
    for (;;) {
      const asked = { q: 'pilot cutter', limit: 1_000, from, budgetMs: 0 };
      const answer = await searchTranscript(sql, row, asked);
      lines.push(...answer.hits.map(({ line }) => line));
      answers += 1;
      expect(answer.isMore).toBe(answer.next !== null);
      if (answer.next === null) break;
      expect(answer.next).toBeGreaterThan(from);
      from = answer.next;
    }
    expect(answers).toBeGreaterThan(1);
    expect(lines).toEqual(Array.from({ length: 40 }, (_, n) => n));
    const few = await searchTranscript(sql, row, { q: 'pilot cutter', limit: 3, budgetMs });
    expect([few.hits.length, few.isMore]).toEqual([3, true]);
  });

  it('continues over all archives, from the newest to the oldest', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const text = toLines(
        Array.from({ length: 20 }, (_, i) => said(`dredger ${n}.${i} ${`f${n}x${i} `.repeat(12_000)}`)),
      );
      ids.push((await keep(text, { session: `dredger${n}` })).id);
    }
    await readAllWaiting();
    const found: number[] = [];
    let before: number | undefined;
    let answers = 0;
    for (;;) {
      const answer = await searchArchives(sql, { q: 'dredger', before, budgetMs: 0 });
      answers += 1;
      expect(answer.isComplete).toBe(answer.next === null);
      for (const [id, { hitCount }] of answer.found) for (let i = 0; i < hitCount; i += 1) found.push(id);
      if (answer.next === null) break;
      before = answer.next;
    }
    expect(answers).toBeGreaterThan(2);
    expect(ids.map((id) => found.filter((one) => one === id).length)).toEqual([20, 20, 20]);
    const first = await listTranscripts(sql, { q: 'dredger' }, { work: inProcessWork });
    expect(first.isSearchComplete).toBe(first.searchCursor === null);
  });
});

describe('a transcript of very many compactions', () => {
  it('is written in parts, with the total number of compactions', async () => {
    const many = 2_300;
    const kept = await keep(toLines(Array.from({ length: many }, () => boundary())), {
      version: 'completed',
    });
    await readAllWaiting();
    const outline = await loadOutline(await contentsOf(kept));
    expect([outline.boundaries, outline.compactions.length, outline.entries]).toEqual([many, 2_000, many]);
    const { lost } = await loadLost(sql, await contentsOf(kept));
    expect(lost?.compaction.entry).toBe(many - 1);
  });
});

describe('archives of a growing transcript', () => {
  const grown = (lines: number): string =>
    toLines(Array.from({ length: lines }, (_, i) => said(`tide number${i} ${'water '.repeat(400)}`)));

  it('share the index of equal parts, which finds a phrase in all archives', async () => {
    const count = async (): Promise<number> => {
      const [row] = await sql<{ count: number }[]>`select count(*)::int as count from transcript_segments`;
      return row?.count ?? 0;
    };
    const before = await count();
    const small = await keep(grown(200), { session: 'grown' });
    await readAllWaiting();
    const first = (await count()) - before;
    const large = await keep(grown(220), { session: 'grown' });
    await readAllWaiting();
    expect(first).toBeGreaterThan(4);
    expect((await count()) - before).toBeLessThanOrEqual(first + 2);
    const { found, isComplete } = await searchArchives(sql, { q: 'tide number7', budgetMs });
    expect(isComplete).toBe(true);
    expect([...found.keys()].sort()).toEqual([small.id, large.id].sort());
    expect(found.get(small.id)?.hits[0]).toMatchObject({ line: 7 });
  });

  it('keep a shared index until the last archive is deleted', async () => {
    const phrase = 'soundings of the second basin';
    const text = toLines([said(phrase)]);
    const [one, two] = [await keep(text, { session: 'basin' }), await keep(text, { session: 'basin' })];
    await readAllWaiting();
    const remove = (id: number) =>
      transact(sql, async (tx) => {
        await lockProject(tx, projectId);
        await removeFiles(tx, [id]);
      });
    await remove(one.id);
    expect([...(await searchArchives(sql, { q: phrase, budgetMs })).found.keys()]).toEqual([two.id]);
    await remove(two.id);
    const left = await sql`select from transcript_segments where terms @@ '''soundings'''::tsquery`;
    expect(left).toHaveLength(0);
  });

  it('are compared to list what a compaction dropped', async () => {
    const before = [
      said('Rename the pilot service.'),
      answered(toolUse('t1', 'Edit', { file_path: '/srv/pilot.ts' }), { call: 'a', input: 100_000 }),
      toolResult('t1', 'done'),
      answered(toolUse('t2', 'Bash', { command: 'npm run lint' }), { call: 'b', input: 110_000 }),
      toolResult('t2', 'all good'),
    ];
    const after = [
      boundary({ trigger: 'manual', preTokens: 110_500, postTokens: 900 }),
      summary('Renamed pilot.ts.'),
    ];
    const first = await keep(toLines(before), { session: 'lost' });
    await readAllWaiting();
    const alone = await loadLost(sql, await contentsOf(first));
    expect(alone).toMatchObject({ foundIn: null, lost: null });
    const next = answered({ type: 'text', text: 'Going on.' }, { call: 'c', input: 20_000 });
    const later = await keep(toLines([...before, ...after, next]), { session: 'lost' });
    await readAllWaiting();
    const { foundIn, lost } = await loadLost(sql, await contentsOf(first));
    expect(foundIn?.id).toBe(later.publicId);
    expect(lost).toMatchObject({
      from: 0,
      summary: { text: 'Renamed pilot.ts.' },
      tokens: { before: 110_010, preTokens: 110_500, kept: 900, after: 20_010 },
      gone: { messages: 5, kinds: { user: 1, tool_call: 2, tool_result: 2 }, ranges: [[0, 4]] },
      filesNamed: [{ path: '/srv/pilot.ts', changes: 1 }],
      filesNotNamed: [],
      toolsNotNamed: [{ tool: 'Bash', label: 'npm run lint' }],
      toolsTotal: 2,
    });
  });

  describe('an archive that ends with the line of its compaction', () => {
    const work = [
      said('Rename the pilot service.'),
      answered(toolUse('t1', 'Edit', { file_path: '/srv/pilot.ts' }), { call: 'a', input: 100_000 }),
      toolResult('t1', 'done'),
      answered(toolUse('t2', 'Edit', { file_path: '/srv/harbour.ts' }), { call: 'b', input: 110_000 }),
      toolResult('t2', 'done'),
      boundary({ trigger: 'auto', preTokens: 110_500 }),
    ];

    it('lists losses against the uploaded summary, secrets masked', async () => {
      const kept = await keep(toLines(work), {
        session: 'with-summary',
        version: 'completed',
        summary: `Renamed pilot.ts with ${TOKEN}.`,
      });
      await readAllWaiting(startContentsThread);
      const { foundIn, lost } = await loadLost(sql, await contentsOf(kept));
      expect(foundIn?.id).toBe(kept.publicId);
      expect(lost?.summary?.text).toBe('Renamed pilot.ts with [masked: GitHub token].');
      expect(lost).toMatchObject({
        filesNamed: [{ path: '/srv/pilot.ts' }],
        filesNotNamed: [{ path: '/srv/harbour.ts' }],
        tokens: { before: 110_010, after: null },
      });
    });

    it('lists losses against the text after that line in a later archive', async () => {
      const session = 'then-later';
      const kept = await keep(toLines(work), { session, version: 'completed' });
      await readAllWaiting();
      const alone = await loadLost(sql, await contentsOf(kept));
      expect(alone).toMatchObject({ foundIn: { id: kept.publicId }, lost: { summary: null } });
      const next = answered({ type: 'text', text: 'Going on.' }, { call: 'c', input: 20_000 });
      const later = await keep(toLines([...work, summary('Renamed harbour.ts.'), next]), { session });
      await readAllWaiting();
      const { foundIn, lost } = await loadLost(sql, await contentsOf(kept));
      expect(foundIn?.id).toBe(later.publicId);
      expect(lost).toMatchObject({
        summary: { text: 'Renamed harbour.ts.' },
        filesNamed: [{ path: '/srv/harbour.ts' }],
        tokens: { after: 20_010 },
      });
    });
  });
});
