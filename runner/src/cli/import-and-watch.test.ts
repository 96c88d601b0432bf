import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TranscriptItem } from '../../../core/agents/agent-format';
import {
  compareSessions,
  type MeasuredSession,
  measureItems,
} from '../../../core/agents/testing/measure-sessions';
import { readArchiveIndex } from '../archive/archive-index';
import type { FakeServer, FakeServerOptions } from '../client/testing/fake-server';
import { TEST_SECRET, TEST_SERVER } from '../proof/testing/identity';
import { boundaryLine, promptLine } from '../transcripts/testing/write-transcript';
import type { FakeArchiveServer, FakeArchiveServerOptions } from '../upload/testing/fake-archive-server';
import { runCli, serveBoth, startCli } from './testing/run-cli';

const fixture = fileURLToPath(
  new URL('../../../core/agents/claude-code/fixtures/compactions', import.meta.url),
);
const SESSION = '11111111-1111-4111-8111-111111111111';
let folder: string;
let transcript: string;
let archives: FakeArchiveServer;
let items: FakeServer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hand-over-'));
  cpSync(fixture, join(folder, 'projects'), { recursive: true });
  transcript = join(folder, 'projects', '-home-dev-harbour', `${SESSION}.jsonl`);
  mkdirSync(join(folder, 'data'));
  vi.stubEnv('BAROGRAPH_DATA_DIR', join(folder, 'data'));
  vi.stubEnv('BAROGRAPH_CONFIG_DIR', join(folder, 'config'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await items.stop();
  await archives.stop();
  rmSync(folder, { recursive: true });
});

async function serve(options: FakeArchiveServerOptions = {}, itemOptions: FakeServerOptions = {}) {
  ({ archives, items } = await serveBoth(join(folder, 'data'), options, itemOptions));
}

const run = (...args: string[]) => runCli(args);
const index = async () => (await readArchiveIndex(join(folder, 'config'))).entries;
const projects = () => join(folder, 'projects');

function expectWhole(): void {
  const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as {
    sessions: Record<string, MeasuredSession>;
  };
  for (const [session, wanted] of Object.entries(expected.sessions)) {
    const id = session.replace('claude-code:', '');
    const sent = items.items.filter((item) => item.session === id) as unknown as TranscriptItem[];
    expect(compareSessions(wanted, measureItems(sent)).differences).toEqual([]);
  }
}

describe('barograph import', () => {
  it('imports transcripts, and nothing in a second run', async () => {
    await serve();
    const first = await run('import', projects());
    expect(first).toMatchObject({ code: 0, problems: '' });
    expect(first.lines).toContain('Imported 6 calls and 2 compactions of 1 session from 2 files');
    expect(first.lines).toContain('See what was imported: http://127.0.0.1:');
    expectWhole();
    const runner = { name: 'claude-code' };
    expect(items.hellos[0]).toMatchObject({ project: 'harbour', source: 'transcript', runner });
    const { length } = items.items;
    expect(await run('import', projects())).toMatchObject({ code: 0, lines: 'Nothing new in 2 files.' });
    expect(items.items).toHaveLength(length);
  });

  it('keeps everything when no server answers, and delivers it with the next run', async () => {
    await serve();
    const { port } = archives;
    await items.stop();
    await archives.stop();
    const first = await run('import', projects(), '--timeout-seconds', '3');
    expect(first.code).toBe(1);
    expect(first.problems).toMatch(/not acknowledged by \S+: .*ECONNREFUSED.*\. Nothing is lost/);
    await serve({ port });
    expect((await run('import', projects())).code).toBe(0);
    expectWhole();
  });

  it('lists refused items and exits with 1', async () => {
    const refusal = { code: 'session_deleted', field: '', reason: 'It was deleted.' } as const;
    await serve(
      {},
      {
        onFrame(frame, socket, self) {
          const turns = frame.filter(({ type }) => type === 'turn');
          self.store(frame, socket);
          self.ack(
            frame,
            socket,
            turns.map(({ seq }, index) => ({ seq, index, ...refusal })),
          );
        },
      },
    );
    const { code, problems } = await run('import', projects());
    expect(code).toBe(1);
    expect(problems.match(/refused: turn of \S+: session_deleted: It was deleted\./g)).toHaveLength(6);
  });

  it('names a missing path', async () => {
    await serve();
    const { code, problems } = await run('import', projects(), join(folder, 'nowhere'));
    expect(code).toBe(1);
    expect(problems).toBe(`skipped: ${join(folder, 'nowhere')}: no such file or folder`);
    expectWhole();
  });

  it("uploads the transcript up to each compaction's line, and nothing in a second run", async () => {
    await serve();
    const text = readFileSync(transcript, 'utf8').split('\n');
    const first = await run('import', projects());
    expect(first).toMatchObject({ code: 0, problems: '' });
    expect(first.lines).toContain('Uploaded 3 archives');
    const entries = await index();
    expect(entries).toMatchObject([
      { asOf: 'completed', upload: 'done', lines: 6, trigger: 'auto', project: 'harbour', archive: null },
      { asOf: 'completed', upload: 'done', lines: 10, trigger: 'manual' },
      { asOf: 'completed', upload: 'done', agent: 'acompact-0f0f0f', session: entries[0]?.session },
    ]);
    const agent = entries[2];
    expect(archives.content(agent?.id ?? '').equals(readFileSync(agent?.source ?? ''))).toBe(true);
    expect(archives.kept.offers.get(agent?.id ?? '')).toMatchObject({ agent: 'acompact-0f0f0f' });
    for (const { id, lines } of entries.slice(0, 2)) {
      expect(archives.content(id).toString()).toBe(`${text.slice(0, lines ?? 0).join('\n')}\n`);
    }
    const { length } = archives.calls;
    expect((await run('import', projects())).code).toBe(0);
    expect(archives.calls).toHaveLength(length);
  });

  it("dates a sub-agent's file by its compaction, and archives it once", async () => {
    await serve();
    const file = join(folder, 'projects', '-home-dev-harbour', SESSION, 'subagents', 'agent-a1.jsonl');
    mkdirSync(dirname(file), { recursive: true });
    const line = { type: 'user', sessionId: SESSION, agentId: 'a1', isSidechain: true };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    for (let run = 0; run < 2; run += 1) await runCli(['import', projects()]);
    const agents = (await index()).filter(({ agent }) => agent === 'a1');
    const at = '2026-03-01T10:00:20.000Z';
    expect(agents).toMatchObject([{ at, upload: 'done' }]);
    expect(archives.kept.offers.get(agents[0]?.id ?? '')).toMatchObject({ at });
  });

  it('uploads to another server only when switched on', async () => {
    await serve();
    rmSync(join(folder, 'data', 'connection.json'));
    const where = ['--url', archives.url, '--token', 'bg_far'];
    expect((await run('import', projects(), ...where)).lines).toContain(
      'BAROGRAPH_UPLOAD_ARCHIVES is not on',
    );
    expect(archives.calls).toEqual([]);
    const { code } = await run('import', projects(), ...where, '--again', '--upload-archives', 'on');
    expect(code).toBe(0);
    expect(archives.kept.stored.size).toBe(3);
  });

  it('reports refused archives and exits with 1', async () => {
    await serve({ onCall: () => ({ status: 413, body: { reason: 'harbour keeps at most 1 GB.' } }) });
    const { code, problems } = await run('import', projects());
    expect(code).toBe(1);
    expect(problems).toContain('completed: harbour keeps at most 1 GB.');
    expect(items.items.filter(({ type }) => type === 'archive')).toMatchObject([
      { state: 'failed', trigger: 'auto', lines: 6, reason: 'not uploaded: harbour keeps at most 1 GB.' },
      { state: 'failed', trigger: 'manual', lines: 10 },
      { state: 'failed' },
    ]);
  });

  it('waits while the project is full, and reports it once', async () => {
    let isFull = true;
    const reason = 'the project has 1 transcripts, and takes at most 1 (maxArchives)';
    const refusal = { status: 413, body: { code: 'too_many', reason } };
    await serve({ onCall: () => (isFull ? refusal : undefined) });
    const first = await run('import', projects());
    expect(first.code).toBe(1);
    expect(first.problems).toContain(`3 archives still to upload: ${reason}.`);
    expect((await run('import', projects())).code).toBe(1);
    const reported = items.items.filter(({ type }) => type === 'archive');
    expect(new Set(reported.map(({ archive }) => archive)).size).toBe(reported.length);
    expect(reported[0]).toMatchObject({ state: 'failed', reason: `not uploaded yet: ${reason}` });
    isFull = false;
    expect(await run('import', projects())).toMatchObject({
      code: 0,
      lines: expect.stringContaining('Uploaded 3 archives'),
    });
  });

  it('uploads again to a new server at the same address, and to no server twice', async () => {
    await serve();
    await run('import', projects());
    const { port, kept } = archives;
    await items.stop();
    await archives.stop();
    const other = { server: '00000000-0000-4000-8000-000000000002', secret: TEST_SECRET };
    await serve({ port, identity: other });
    expect((await run('import', projects())).lines).toContain('Uploaded 3 archives');
    expect(archives.kept.stored.size).toBe(3);
    const [first] = await index();
    expect(Object.keys(first?.servers ?? {})).toEqual([TEST_SERVER, other.server]);
    await items.stop();
    await archives.stop();
    // The first server is back: the index knows its uploads.
    await serve({ port, kept });
    expect((await run('import', projects())).code).toBe(0);
    expect(archives.calls).toEqual([]);
  });

  it('sends nothing to another machine behind a tunnel', async () => {
    await serve({ identity: { server: TEST_SERVER, secret: 'ab'.repeat(32) } });
    const { code, problems } = await run('import', projects(), '--timeout-seconds', '3');
    expect(code).toBe(1);
    expect(problems).toMatch(/not acknowledged by .* is not the server of this machine/);
    expect(archives.calls).toEqual([]);
    expect(items.authorizations).toEqual([]);
    expect(archives.asked.length).toBeGreaterThan(0);
    expect(archives.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});

describe('barograph watch', () => {
  it('uploads the transcript after a compaction, and pending archives', async () => {
    await serve();
    const ended = new AbortController();
    const { lines, code } = startCli(['watch', projects()], ended.signal);
    await vi.waitFor(() => expect(lines.join('\n')).toContain('Watching'));
    appendFileSync(transcript, promptLine('late') + boundaryLine('b-live'));
    const upTo = readFileSync(transcript);
    appendFileSync(transcript, promptLine('after'));
    await vi.waitFor(() => expect(archives.kept.stored.size).toBe(2));
    ended.abort();
    expect(await code).toBe(0);
    // Compactions before the first watch are left out.
    const entries = await index();
    expect(entries).toMatchObject([
      { asOf: 'completed', boundary: 'b-live' },
      { asOf: 'completed', agent: 'acompact-0f0f0f' },
    ]);
    expect(archives.content(entries[0]?.id ?? '').equals(upTo)).toBe(true);
    expect(lines.join('\n')).toContain('uploaded claude-code:');
  });
});
