/** Inputs made after public reports of wrong numbers in other tools. Each reaches a real server as its client's would. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runHook } from '@/runner/src/hook/testing/hook';
import { createClient } from '@/runner/src/index';
import { createLangChainHandler } from '@/runner/src/sdks';
import { prepareWire } from './prepare-wire';

const wire = prepareWire();
const reported = (name: string) => fileURLToPath(new URL(`reported/${name}`, import.meta.url));
const read = (name: string) => readFileSync(reported(name), 'utf8');

/** Input, output, cache read, cache creation. */
type Counts = [calls: number, input: number, output: number, cacheRead: number, cacheCreation: number];

async function sessions() {
  const rows = await wire.database.sql`
    select s.key, s.title, s.used, s.limit_tokens as "limit", s.state, s.pressure,
      s.fold->'totals'->'main' as main, s.fold->'totals'->'side' as side
    from sessions s where s.adopted_by is null order by s.key`;
  const countsOf = (totals: Record<string, number>): Counts => [
    totals.calls ?? 0,
    totals.input ?? 0,
    totals.output ?? 0,
    totals.cacheRead ?? 0,
    totals.cacheCreation ?? 0,
  ];
  return rows.map(({ key, title, limit, state, used, pressure, main, side }) => ({
    ...{ key: String(key), title, state, used: Number(used), limit: Number(limit) },
    ...{ pressure: Number(pressure), main: countsOf(main), side: countsOf(side) },
  }));
}

async function session(key: string) {
  const all = await sessions();
  const found = all.find((each) => each.key.endsWith(key));
  if (found === undefined) throw new Error(`no session ${key} among ${all.map((each) => each.key)}`);
  return found;
}

/** Sizes after the calls of each chain, in order; main first. */
const sizes = () => wire.database.sql`
  select c.key as chain, array_agg(t.reading::int order by t.position) as sizes
  from turns t join chains c on c.session_id = t.session_id and c.chain = t.chain
  where t.reading is not null group by c.session_id, c.chain, c.key order by c.chain`;

const events = (kind: string) =>
  wire.database.sql`select detail from events where kind = ${kind} and not retracted order by position`;

async function run(args: string[], input = '') {
  return runHook(wire.command, wire.home, { env: wire.env, args, input });
}

async function importFolder(folder: string): Promise<void> {
  const { code, stderr } = await run(['import', folder]);
  expect(code, stderr).toBe(0);
}

describe('Claude Code', () => {
  test('the calls of an advisor count on its model, beside the context', async () => {
    await importFolder(reported('claude-advisor'));
    const found = await session('00000000ad01');
    expect(found).toMatchObject({ used: 65_702, main: [3, 11, 1_444, 182_800, 26_450] });
    expect(found.side).toEqual([1, 71_250, 4_380, 0, 0]);
    expect((await sizes())[0]?.sizes).toEqual([18_613, 64_564, 65_702]);
    const models = await wire.database.sql`
      select distinct m.name from turns t join models m on m.id = t.model_id where t.input = 71250`;
    expect(models.map(({ name }) => name)).toEqual(['claude-opus-4-7']);
  });

  test('a call that the API accepted refutes a smaller window of the status line', async () => {
    const folder = join(wire.home.folder, '.claude', 'projects', '-home-dev-anchor');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, '04000001-0000-4000-8000-000000000041.jsonl');
    const lines = read('claude-status-line/transcript.jsonl').split(/(?<=\n)/);
    // The status line states no time, so each line gets the time of its writing.
    const write = (count: number) =>
      appendFileSync(path, lines.splice(0, count).join('').replaceAll('TIME', new Date().toISOString()));
    const [before = '', after = ''] = read('claude-status-line/status.jsonl').split(/(?<=\n)/);
    const used = async () => (await sessions()).map((each) => each.used);
    await wire.watch();
    write(2);
    await expect.poll(used).toEqual([161_106]);
    expect((await run(['status-line'], before)).code).toBe(0);
    write(1);
    await expect.poll(used).toEqual([219_910]);
    expect((await run(['status-line'], after)).code).toBe(0);
    expect(await session('000000000041')).toMatchObject({ limit: 1_000_000, state: 'nominal' });
    expect(await events('redlined')).toEqual([]);
  });

  test('a title is the text that a person typed', async () => {
    await importFolder(reported('claude-titles'));
    expect((await sessions()).map(({ title }) => title)).toEqual([
      'rename the tide helper',
      'why is the ebb always one?',
      '<button> on the quay page is cut off on a phone, please fix it',
    ]);
  });

  test('a linked project counts once, and so does a link to another project', async () => {
    const { folder } = wire.home;
    const projects = join(folder, 'projects');
    const write = (place: string, id: string, name: string) => {
      mkdirSync(place, { recursive: true });
      const text = read('linked.jsonl').replaceAll('SESSION', id).replaceAll('FOLDER', name);
      writeFileSync(join(place, `${id}.jsonl`), text);
    };
    const [real, linked] = [join(projects, '-home-dev-real'), join(folder, 'shared', '-home-dev-linked')];
    write(real, '24000001-0000-4000-8000-000000000241', 'real');
    write(linked, '24000002-0000-4000-8000-000000000242', 'linked');
    symlinkSync(linked, join(projects, '-home-dev-linked'));
    symlinkSync(real, join(projects, '-home-dev-real-again'));
    await importFolder(projects);
    expect((await sessions()).map(({ used, main: [calls] }) => [calls, used])).toEqual([
      [1, 21_154],
      [1, 21_154],
    ]);
  });

  test('a transcript that is rewritten in place has the figures of its new text', async () => {
    const folder = join(wire.home.folder, '.claude', 'projects', '-home-dev-sluice');
    mkdirSync(folder, { recursive: true });
    const template = read('rewritten.jsonl')
      .replace('HEAD', 'h'.repeat(1_100))
      .replaceAll('TIME', '2026-11-22T08:00:00.000Z')
      .split(/(?<=\n)/);
    const variants = ['shorter', 'larger', 'same', 'renamed', 'middle'] as const;
    const idOf = (index: number) => `25000001-0000-4000-8000-00000000025${index}`;
    const text = (id: string, pad: number, lines: string[]) =>
      lines.join('').replaceAll('SESSION', id).replaceAll('PAD', 'p'.repeat(pad));
    const [head = '', first = '', second = '', third = ''] = template;
    const usedBy = async () => (await sessions()).map(({ used, main: [calls] }) => [calls, used]);
    await wire.watch();
    for (const [index] of variants.entries())
      writeFileSync(join(folder, `${idOf(index)}.jsonl`), text(idOf(index), 400, [head, first, second]));
    await expect.poll(usedBy).toEqual(variants.map(() => [2, 23_202]));
    for (const [index, variant] of variants.entries()) {
      const id = idOf(index);
      const path = join(folder, `${id}.jsonl`);
      const whole = (pad: number) => text(id, pad, [head, first, second, third]);
      if (variant === 'shorter') writeFileSync(path, whole(10));
      else if (variant === 'larger') writeFileSync(path, whole(900));
      else if (variant === 'middle')
        writeFileSync(
          path,
          text(id, 400, [head, first.replace('PAD', `PAD${'q'.repeat(37)}`), second, third]),
        );
      else if (variant === 'renamed') {
        writeFileSync(`${path}.new`, whole(900));
        renameSync(`${path}.new`, path);
      } else writeFileSync(path, sameSize(id));
    }
    /** The second line is gone, and the padding makes up for it. */
    function sameSize(id: string): string {
      const size = text(id, 400, [head, first, second]).length;
      const [short, long] = [text(id, 0, [head, second]), text(id, 0, [third])];
      const pad = size - short.length - long.length;
      return text(id, 0, [head, second]) + text(id, pad, [third]);
    }
    // The same size keeps two of the three calls in the file; the one read before stays counted.
    await expect.poll(usedBy).toEqual(variants.map(() => [3, 27_302]));
  });
});

describe('Codex', () => {
  test('the request of a remote compaction is no turn', async () => {
    await importFolder(reported('codex-remote-compaction'));
    const found = await session('000000000010');
    expect(found).toMatchObject({
      main: [3, 75_200, 2_600, 360_000, 0],
      side: [1, 1_900, 3_100, 231_000, 0],
    });
    const [{ detail } = { detail: null }] = await events('compaction');
    expect(detail).toMatchObject({ trigger: 'auto', preTokens: 232_400, postTokens: 21_500 });
    const contexts = await wire.database.sql`
      select turn_count::int as calls, last_occupancy::int as last, peak_occupancy::int as peak
      from contexts where chain = 0 order by index`;
    expect([...contexts]).toMatchObject([
      { calls: 2, last: 232_400, peak: 232_400 },
      { calls: 1, last: 24_300 },
    ]);
    expect(await events('approaching_redline')).toEqual([]);
  });

  test.each([
    ['with-parent', '000000000012'],
    ['without-parent', '000000000014'],
  ])('a fork counts its own calls if its copies took two seconds, %s', async (name, id) => {
    await importFolder(reported(`codex-forks/${name}`));
    expect(await session(id)).toMatchObject({ main: [2, 5_500, 370, 136_000, 0], used: 71_720 });
    if (name === 'with-parent')
      expect((await session('000000000011')).main).toEqual([6, 54_000, 2_550, 207_000, 0]);
  });

  test('compressed rollouts count, and those in both forms once', async () => {
    await importFolder(reported('codex-compressed'));
    const counts = (await sessions()).map(({ main, used }) => [...main, used]);
    expect(counts).toEqual([
      [2, 31_000, 500, 26_000, 0, 31_200],
      [2, 31_000, 500, 26_000, 0, 31_200],
    ]);
  });
});

describe('OpenCode', () => {
  const hasSqlite = spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

  /** A database in the client's folder. */
  function makeDatabase(name: string): string {
    const folder = join(wire.home.folder, 'opencode');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'opencode.db');
    const script = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.stdin.read())';
    const { status, stderr } = spawnSync('python3', ['-c', script, path], { input: read(name) });
    expect(status, String(stderr)).toBe(0);
    return path;
  }

  test.skipIf(!hasSqlite)('sessions of both versions of its database count once', async () => {
    await importFolder(makeDatabase('opencode-2.sql'));
    expect(await session('ses_old01')).toMatchObject({ main: [2, 2_600, 500, 29_200, 0], used: 16_800 });
    const fresh = await session('ses_new01');
    expect(fresh).toMatchObject({ title: 'Mend the bollards', used: 30_560 });
    expect(fresh.main).toEqual([2, 5_300, 800, 41_000, 900]);
  });

  test.skipIf(!hasSqlite)('an absurd size proves no window', async () => {
    await importFolder(makeDatabase('opencode-absurd.sql'));
    const [found] = await sessions();
    expect(found).toMatchObject({ used: 46_300, limit: 200_000 });
    expect(found?.main[0]).toBe(4);
    const [{ peak } = { peak: null }] = await wire.database.sql`
      select max(peak_occupancy)::int as peak from contexts`;
    expect(peak).toBe(46_300);
  });
});

describe('OpenTelemetry', () => {
  const post = async (name: string) => {
    const headers = {
      Authorization: `Bearer ${wire.env.BAROGRAPH_TOKEN}`,
      'Content-Type': 'application/json',
    };
    const answer = await fetch(`${wire.server.url}/v1/traces`, { method: 'POST', headers, body: read(name) });
    expect(answer.status).toBe(200);
    return JSON.stringify(await answer.json());
  };

  test('spans with token counts but without an operation count, or the answer names them', async () => {
    const answer = await post('otlp-without-operation.json');
    const found = (await sessions()).map(({ key, used }) => `${key} ${used}`).join();
    for (const [key, used] of [
      ['ai-sdk-berth', '8710'],
      ['voice-berth', '1460'],
    ])
      expect(found.includes(`${key} ${used}`) || answer.includes('gen_ai.operation.name')).toBe(true);
  });

  test('calls below a span of an agent have its conversation and its agent', async () => {
    await post('otlp-agents.json');
    expect((await sessions()).map(({ key }) => key)).toEqual(['harbour-talk-7']);
    expect((await sizes()).map((row) => row.sizes)).toEqual([[5_410, 6_280, 7_140], [2_020]]);
  });
});

test('the library limits cached tokens that LangChain counted twice', async () => {
  const { BAROGRAPH_URL: url = '', BAROGRAPH_TOKEN: token = '' } = wire.env;
  const queueFolder = join(wire.home.folder, 'queue');
  const client = createClient({ url, token, project: 'harbour', runner: { name: 'lib' }, queueFolder });
  const handler = createLangChainHandler({ session: client.session('lib-langchain') });
  const calls = [
    ['run-a', 14_200, 180, 0],
    ['run-b', 20_018, 300, 36_000],
    ['run-c', 22_500, 410, 20_018],
  ] as const;
  for (const [id, input, output, cached] of calls) {
    const details = { cache_read: cached, cache_creation: 0 };
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    const message = {
      id,
      response_metadata: { model_name: 'claude-sonnet-4-5-20250929' },
      usage_metadata: { ...usage, input_token_details: details },
    };
    handler.handleChatModelStart({}, [], id);
    handler.handleLLMEnd({ generations: [[{ text: '', message }]] }, id);
  }
  await client.close(10_000);
  expect((await sizes())[0]?.sizes).toEqual([14_380, 20_318, 22_910]);
  const [row] = await wire.database.sql`
    select (input + cache_read)::int as prompt from turns where output = 300`;
  expect(row?.prompt).toBe(20_018);
});
