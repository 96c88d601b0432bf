import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readArchiveIndex } from '../archive/archive-index';
import { FakeServer } from '../client/testing/fake-server';
import { TEST_SECRET } from '../proof/testing/identity';
import { boundaryLine, promptLine } from '../transcripts/testing/write-transcript';
import { FakeArchiveServer, type FakeArchiveServerOptions } from '../upload/testing/fake-archive-server';
import { expectAnswer, prepareHook, runHook } from './testing/hook';

const used = prepareHook();
let archives: FakeArchiveServer;
let items: FakeServer;

afterEach(async () => {
  await items.stop();
  await archives.stop();
});

/** A server on this machine, with its connection file in the data folder. */
async function serve(options: FakeArchiveServerOptions = {}): Promise<void> {
  archives = await FakeArchiveServer.start(options);
  items = await FakeServer.start({ http: archives.http });
  mkdirSync(join(used.home.folder, 'data'), { recursive: true });
  const connection = {
    url: archives.url,
    ingestToken: 'bg_local',
    readToken: 'bg_read',
    secret: TEST_SECRET,
  };
  writeFileSync(join(used.home.folder, 'data', 'connection.json'), JSON.stringify(connection));
}

const index = () => readArchiveIndex(join(used.home.folder, '.config', 'barograph'));
/** Resolves once the condition is true; only the test's timeout limits the wait. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
/** The compaction's own line: the hook's process waits for it and then ends. */
const compact = () => appendFileSync(used.home.transcript, boundaryLine('b1'));

describe('barograph hook with a server on this machine', () => {
  it("uploads the transcript at the hook, and again at the compaction's own line", async () => {
    await serve();
    const atHook = readFileSync(used.home.transcript);
    expectAnswer(await runHook(used.command, used.home));
    await until(() => archives.kept.stored.size === 1);
    appendFileSync(used.home.transcript, promptLine('written late'));
    compact();
    const atBoundary = readFileSync(used.home.transcript);
    appendFileSync(used.home.transcript, promptLine('after'));
    await used.home.untilQuiet();
    const { entries } = await index();
    expect(entries).toMatchObject([
      { asOf: 'hook', upload: 'done', uploadedTo: archives.url },
      { asOf: 'completed', upload: 'done', boundary: 'b1', completes: entries[0]?.id, at: entries[0]?.at },
    ]);
    const [hook, completed] = entries.map(({ id }) => archives.content(id));
    expect(hook?.equals(atHook)).toBe(true);
    expect(completed?.equals(atBoundary)).toBe(true);
    expect(archives.calls.every(({ authorization }) => authorization === 'Bearer bg_local')).toBe(true);
    expect(items.items.filter(({ type }) => type === 'archive')).toHaveLength(1);
  });

  it('answers while the server does not respond', async () => {
    await serve({ onCall: () => ({ status: 0, mute: true }) });
    expectAnswer(await runHook(used.command, used.home, { deadlines: ['delivery'] }));
    await until(() => archives.calls.length > 0);
    await archives.stop();
    compact();
    await used.home.untilQuiet();
    expect((await index()).entries).toMatchObject([{ upload: 'pending' }, { upload: 'pending' }]);
  });

  it('reports an archive that the server refuses', async () => {
    await serve({ onCall: () => ({ status: 413, body: { reason: 'harbour keeps at most 1 GB.' } }) });
    expectAnswer(await runHook(used.command, used.home));
    await until(() => archives.calls.length > 0);
    compact();
    await used.home.untilQuiet();
    const { entries } = await index();
    expect(entries).toMatchObject([{ upload: 'refused' }, { upload: 'refused' }]);
    expect(items.items.filter(({ type }) => type === 'archive')).toMatchObject([
      { state: 'stored' },
      { state: 'failed', reason: 'not uploaded: harbour keeps at most 1 GB.' },
      { state: 'failed', reason: 'not uploaded: harbour keeps at most 1 GB.' },
    ]);
  });
});

describe('a compaction that does not happen', () => {
  const refusal = 'Compaction blocked by PreCompact hook: finish the tests first';
  const refuse = () =>
    appendFileSync(used.home.transcript, `${JSON.stringify({ type: 'system', content: refusal })}\n`);

  it.each([
    ['is reported with the reason', {}, `another hook refused it: ${refusal}`],
    [
      'is reported without texts when content is off',
      { BAROGRAPH_CONTENT: 'off' },
      'another hook refused it',
    ],
  ])('%s', async (_what, env, reason) => {
    await serve();
    expectAnswer(await runHook(used.command, used.home, { env }));
    await until(() => items.items.length === 3);
    refuse();
    await used.home.untilQuiet();
    expect(items.items.slice(-2)).toMatchObject([
      { type: 'compaction', trigger: 'auto', state: 'blocked', reason },
      {
        type: 'archive',
        state: 'skipped',
        version: 'completed',
        trigger: 'auto',
        reason: `the compaction did not happen: ${reason}`,
      },
    ]);
    const ids = items.items.filter(({ type }) => type === 'archive').map(({ archive }) => archive);
    expect(new Set(ids).size).toBe(2);
    expect((await index()).entries).toMatchObject([
      { state: 'stored', asOf: 'hook', uncompacted: `another hook refused it: ${refusal}` },
    ]);
  });
});

describe('the files of sub-agents', () => {
  it('are archived separately, and only once if they do not change', async () => {
    await serve();
    const folder = join(used.home.transcript.replace(/\.jsonl$/, ''), 'subagents');
    const file = join(folder, 'agent-a1.jsonl');
    mkdirSync(folder, { recursive: true });
    const line = `${JSON.stringify({ type: 'user', sessionId: '1', agentId: 'a1', isSidechain: true, cwd: '/home/dev/harbour' })}\n`;
    writeFileSync(file, line);
    expectAnswer(await runHook(used.command, used.home));
    await until(() => archives.kept.stored.size === 2);
    await used.home.compact();
    expectAnswer(await runHook(used.command, used.home));
    await until(() => archives.kept.stored.size === 4);
    appendFileSync(file, line);
    await used.home.compact('b2');
    const { entries } = await index();
    const [hook] = entries;
    const agents = entries.filter(({ agent }) => agent === 'a1');
    expect(agents).toMatchObject([
      { asOf: 'hook', upload: 'done', session: hook?.session, lines: 1 },
      { asOf: 'completed', upload: 'done', session: hook?.session, lines: 2 },
    ]);
    for (const { id } of agents) expect(archives.kept.offers.get(id)).toMatchObject({ agent: 'a1' });
    expect(archives.content(agents[0]?.id ?? '').toString()).toBe(line);
    expect(archives.content(agents[1]?.id ?? '').toString()).toBe(line + line);
    expect(statSync(agents[0]?.archive ?? '').mode & 0o777).toBe(0o600);
  });

  it('are archived when their sub-agent ends, and uploaded by the next hook', async () => {
    await serve();
    const folder = join(used.home.transcript.replace(/\.jsonl$/, ''), 'subagents');
    mkdirSync(folder, { recursive: true });
    for (const agentId of ['a1', 'a2']) {
      const line = { type: 'user', sessionId: '1', agentId, isSidechain: true, cwd: '/home/dev/harbour' };
      writeFileSync(join(folder, `agent-${agentId}.jsonl`), `${JSON.stringify(line)}\n`);
    }
    const end = (agentId: string) =>
      runHook(used.command, used.home, {
        input: used.home.payload({ hook_event_name: 'SubagentStop', agent_id: agentId }),
      });
    expectAnswer(await end('a1'));
    await until(async () => (await index()).entries.length === 1);
    // Claude Code also calls the hook for the request that writes a summary, which has no file.
    expectAnswer(await end('a9'));
    await used.home.untilQuiet();
    expect((await index()).entries).toMatchObject([{ agent: 'a1', state: 'stored', upload: 'pending' }]);
    expectAnswer(await runHook(used.command, used.home));
    await until(() => archives.kept.stored.size === 3);
    expect((await index()).entries.map(({ agent }) => agent ?? 'main').sort()).toEqual(['a1', 'a2', 'main']);
  });
});
