import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeServer } from '../client/testing/fake-server';
import { inspectQueues } from '../queue/open-queue';
import { collectSources, readMainProject } from '../transcripts/collect-sources';
import { prepareHook, runHook } from './testing/hook';

const used = prepareHook();

const queue = () => join(used.home.folder, 'data', 'queue');
const to = (url: string) => ({ env: { BAROGRAPH_URL: url, BAROGRAPH_TOKEN: 'bg_hook' } });

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the report of barograph hook', () => {
  it("has the pending compaction and the archive, under the transcript's key and project", async () => {
    const server = await FakeServer.start();
    try {
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
      ]);
      expect(server.items[0]).not.toHaveProperty('reason');
      expect(inspectQueues(queue())).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  it('waits on disk while the server is away, and is sent by the next hook', async () => {
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}`;
    const outcome = await runHook(used.command, used.home, to(url));
    expect(outcome).toMatchObject({ code: 0, stdout: '{}' });
    expect(outcome.milliseconds).toBeLessThan(2_000);
    await used.home.compact();
    expect(inspectQueues(queue())).toMatchObject([{ items: 3, inUse: false, source: 'hook' }]);
    const server = await FakeServer.start({ port });
    try {
      await runHook(used.command, used.home, to(url));
      await used.home.compact();
      const types = server.items.map(({ type }) => type);
      expect(types).toEqual([
        'session_start',
        'compaction',
        'archive',
        'session_start',
        'compaction',
        'archive',
      ]);
      expect(inspectQueues(queue())).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  it('is skipped silently when no server is known', async () => {
    const { stderr } = await runHook(used.command, used.home);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    await used.home.untilQuiet();
    expect(inspectQueues(queue())).toEqual([]);
  });
});
