import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeServer, type FakeServerOptions } from '../client/testing/fake-server';
import { inspectQueues } from '../queue/open-queue';
import { collectSources, readMainProject } from '../transcripts/collect-sources';
import { boundaryLine } from '../transcripts/testing/write-transcript';
import { type Deadline, prepareHook, runHook } from './testing/hook';

const used = prepareHook();

const queue = () => join(used.home.folder, 'data', 'queue');
const to = (url: string) => ({ env: { BAROGRAPH_URL: url, BAROGRAPH_TOKEN: 'bg_hook' } });

/** A server that stops after the test. */
async function serve(options: FakeServerOptions = {}): Promise<FakeServer> {
  const server = await FakeServer.start(options);
  onTestFinished(() => server.stop());
  return server;
}

describe('the report of barograph hook', () => {
  it("has the pending compaction and the archive, under the transcript's key and project", async () => {
    const server = await serve();
    const outcome = await runHook(used.command, used.home, to(server.url));
    expect(outcome).toMatchObject({ code: 0, stdout: '{}' });
    await used.home.compact();
    const [source] = (await collectSources([used.home.transcript])).sessions.flatMap(
      ({ sources }) => sources,
    );
    if (source === undefined) throw new Error('no transcript');
    expect(server.hellos).toMatchObject([
      { source: 'hook', project: await readMainProject(source), runner: { name: 'claude-code' } },
    ]);
    expect(server.authorizations).toEqual(['Bearer bg_hook']);
    const { session } = source.identity;
    const [path] = used.home.archives();
    expect(server.items).toMatchObject([
      {
        type: 'session_start',
        session,
        client: 'claude-code',
        clientSessionId: '1',
        folder: '/home/dev/harbour',
      },
      { type: 'compaction', session, trigger: 'auto', state: 'pending' },
      { type: 'archive', session, state: 'stored', trigger: 'auto', path, lines: 1 },
      { type: 'compaction', session, trigger: 'auto', state: 'confirmed', boundary: 'b1' },
    ]);
    expect(server.items[0]).not.toHaveProperty('reason');
    expect(inspectQueues(queue())).toEqual([]);
  });

  it('is queued on disk while the server is away, and is sent by the next hook', async () => {
    // The port stays bound, because another program could take a free one.
    const http = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    const refuse = (socket: Socket) => socket.destroy();
    http.on('connection', refuse);
    const away = to(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    const outcome = await runHook(used.command, used.home, { ...away, deadlines: ['delivery'] });
    expect(outcome).toMatchObject({ code: 0, stdout: '{}' });
    await used.home.compact();
    expect(inspectQueues(queue())).toMatchObject([{ items: 4, inUse: false, source: 'hook' }]);
    http.off('connection', refuse);
    const server = await serve({ http });
    await runHook(used.command, used.home, away);
    await used.home.compact();
    const types = server.items.map(({ type }) => type);
    const each = ['session_start', 'compaction', 'archive', 'compaction'];
    expect(types).toEqual([...each, ...each]);
    expect(inspectQueues(queue())).toEqual([]);
  });

  it('has a warning instead of items when no server is known', async () => {
    const { stderr } = await runHook(used.command, used.home);
    expect(stderr).toMatch(/^INFO .*\nWARNING No server is known here, so the archive stays on this machine/);
    await used.home.untilQuiet();
    expect(inspectQueues(queue())).toEqual([]);
  });

  describe.each([
    ['startup', 'startup'],
    ['resume', 'resumed'],
    ['clear', 'clear'],
    ['fork', 'fork'],
  ])('of a session that starts with %s', (source, reason) => {
    it(`has the reason ${reason}, and the reason of the end in the client's word`, async () => {
      const server = await serve();
      const start = used.home.payload({ hook_event_name: 'SessionStart', source, trigger: undefined });
      await runHook(used.command, used.home, { ...to(server.url), input: start });
      await used.home.untilQuiet();
      const end = used.home.payload({ hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' });
      await runHook(used.command, used.home, { ...to(server.url), input: end });
      await used.home.untilQuiet();
      expect(server.items).toMatchObject([
        { type: 'session_start', reason, folder: '/home/dev/harbour' },
        { type: 'session_end', reason: 'prompt_input_exit' },
      ]);
      expect(new Set(server.items.map(({ session }) => session)).size).toBe(1);
    });
  });

  it('includes the end of a session if Codex moved the rollout to its archive', async () => {
    const server = await serve();
    const id = '019c8a4c-0000-7000-8000-00000000000a';
    const name = `rollout-2026-03-01T10-00-00-${id}.jsonl`;
    const codex = join(used.home.folder, '.codex');
    mkdirSync(join(codex, 'archived_sessions'), { recursive: true });
    const meta = { timestamp: '2026-03-01T10:00:00.000Z', type: 'session_meta', payload: { id } };
    writeFileSync(join(codex, 'archived_sessions', name), `${JSON.stringify(meta)}\n`);
    const transcript_path = join(codex, 'sessions', '2026', '03', '01', name);
    const end = { session_id: id, transcript_path, hook_event_name: 'SessionEnd', reason: 'other' };
    await runHook(used.command, used.home, { ...to(server.url), input: used.home.payload(end) });
    await used.home.untilQuiet();
    expect(server.items).toMatchObject([{ type: 'session_end', session: id }]);
  });

  it('omits a run without a transcript, and a start after a compaction', async () => {
    const server = await serve();
    const compact = used.home.payload({ hook_event_name: 'SessionStart', source: 'compact' });
    await runHook(used.command, used.home, { ...to(server.url), input: compact });
    rmSync(used.home.transcript);
    const end = used.home.payload({ hook_event_name: 'SessionEnd', reason: 'other' });
    await runHook(used.command, used.home, { ...to(server.url), input: end });
    await used.home.untilQuiet();
    expect(server.hellos).toEqual([]);
  });
});

describe('a compaction that outlasts the process of its hook', () => {
  const deadlines: Deadline[] = ['compaction'];
  const fire = async (server: FakeServer, fields: Record<string, unknown> = {}) => {
    const input = used.home.payload(fields);
    await runHook(used.command, used.home, { ...to(server.url), input, deadlines });
    await used.home.untilQuiet();
  };
  const compactions = (server: FakeServer) => server.items.filter(({ type }) => type === 'compaction');

  it('keeps no process, and is confirmed by PostCompact', async () => {
    const server = await serve();
    await fire(server);
    expect(compactions(server)).toMatchObject([{ state: 'pending' }]);
    appendFileSync(used.home.transcript, boundaryLine('b1'));
    await fire(server, { hook_event_name: 'PostCompact' });
    expect(compactions(server)).toMatchObject([{ state: 'pending' }, { state: 'confirmed', boundary: 'b1' }]);
    await fire(server, { hook_event_name: 'SessionEnd', reason: 'other' });
    expect(compactions(server)).toHaveLength(2);
  });

  it('is reported as failed if the session ends before the line of the compaction', async () => {
    const server = await serve();
    await fire(server);
    await fire(server, { hook_event_name: 'SessionEnd', reason: 'other' });
    expect(compactions(server)).toMatchObject([
      { state: 'pending' },
      { state: 'failed', reason: 'no compaction followed its hook' },
    ]);
  });
});
