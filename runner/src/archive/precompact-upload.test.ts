import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEST_SECRET } from '../proof/testing/identity';
import { boundaryLine } from '../transcripts/testing/write-transcript';
import { FakeArchiveServer, type FakeArchiveServerOptions } from '../upload/testing/fake-archive-server';
import { readArchiveIndex } from './archive-index';
import type { ArchiveDestination, ArchiveSession } from './archive-types';
import { createPreCompactHook } from './precompact-hook';
import { prepareArchiveBench } from './testing/archive-bench';

const used = prepareArchiveBench();
let server: FakeArchiveServer;

beforeEach(() => {
  vi.stubEnv('BAROGRAPH_DATA_DIR', used.bench.folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

async function serve(options: FakeArchiveServerOptions = {}): Promise<void> {
  server = await FakeArchiveServer.start(options);
}

/** A server of this machine wrote it down. */
function makeLocal(): void {
  const connection = { url: server.url, ingestToken: 'bg_local', readToken: 'bg_read', secret: TEST_SECRET };
  writeFileSync(join(used.bench.folder, 'connection.json'), JSON.stringify(connection));
}

function session(fields: Partial<ArchiveDestination> = {}): ArchiveSession {
  const destination = {
    url: server.url,
    token: 'bg_session',
    project: 'night-shift',
    content: true,
    ...fields,
  };
  return { ...used.bench.session, destination: () => destination };
}

const entries = async () => (await readArchiveIndex(used.bench.config)).entries;
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

describe('the PreCompact hook with a session', () => {
  it('uploads its archive during the compaction, and the completed one after it', async () => {
    await serve();
    makeLocal();
    const input = used.bench.input();
    const path = String(input.transcript_path);
    const atHook = readFileSync(path);
    expect(await used.bench.hook({ session: session() })(input)).toEqual({});
    await waitFor(() => expect(server.kept.stored.size).toBe(1));
    appendFileSync(path, boundaryLine('b1'));
    await waitFor(() => expect(server.kept.stored.size).toBe(2));
    await waitFor(async () =>
      expect((await entries()).map(({ upload }) => upload)).toEqual(['done', 'done']),
    );
    const [hook, completed] = await entries();
    expect(server.content(hook?.id ?? '').equals(atHook)).toBe(true);
    expect(server.content(completed?.id ?? '').equals(readFileSync(path))).toBe(true);
    expect(server.kept.offers.get(hook?.id ?? '')).toMatchObject({
      session: 'ticket-4711',
      project: 'night-shift',
    });
    expect(completed).toMatchObject({ session: 'ticket-4711', asOf: 'completed', completes: hook?.id });
  });

  it.each([
    [
      true,
      'another hook refused it: Compaction blocked by a PreCompact hook: not before the tests are green',
    ],
    [false, 'another hook refused it'],
  ])('reports a blocked compaction, with content: %s', async (content, reason) => {
    await serve();
    makeLocal();
    const input = used.bench.input();
    await used.bench.hook({ session: session({ content }) })(input);
    await waitFor(() => expect(used.bench.reports).toHaveLength(2));
    const refusal = 'Compaction blocked by a PreCompact hook: not before the tests are green';
    const message = { model: '<synthetic>', content: [{ type: 'text', text: refusal }] };
    appendFileSync(String(input.transcript_path), `${JSON.stringify({ type: 'assistant', message })}\n`);
    await waitFor(() => expect(used.bench.reports).toHaveLength(4));
    expect(used.bench.reports.slice(2)).toMatchObject([
      { type: 'compaction', trigger: 'auto', state: 'blocked', reason },
      {
        type: 'archive',
        state: 'skipped',
        version: 'completed',
        reason: `the compaction did not happen: ${reason}`,
      },
    ]);
    expect(await entries()).toMatchObject([
      { state: 'stored', asOf: 'hook', uncompacted: expect.any(String) },
    ]);
  });

  it('reports an archive that the server refuses', async () => {
    await serve({ onCall: () => ({ status: 413, body: { reason: 'night-shift is full.' } }) });
    makeLocal();
    await used.bench.hook({ session: session() })(used.bench.input());
    await waitFor(() => expect(used.bench.reports).toHaveLength(3));
    expect(used.bench.reports[2]).toMatchObject({
      type: 'archive',
      state: 'failed',
      reason: 'not uploaded: night-shift is full.',
      archive: used.bench.reports[1]?.archive,
    });
  });

  it.each<[string, object, Partial<ArchiveDestination>]>([
    ['has uploads switched off', { uploadArchives: 'off' }, {}],
    ['may send no content', {}, { content: false }],
  ])('uploads nothing when it %s', async (_what, options, destination) => {
    await serve();
    makeLocal();
    await used.bench.hook({ ...options, session: session(destination) })(used.bench.input());
    await waitFor(async () =>
      expect(await entries()).toMatchObject([{ state: 'stored', upload: 'pending' }]),
    );
    expect(server.calls).toEqual([]);
  });

  it('rejects an invalid choice', async () => {
    await serve();
    const options = { uploadArchives: 'yes' } as unknown as Parameters<typeof createPreCompactHook>[0];
    expect(() => createPreCompactHook(options)).toThrow('uploadArchives must be "local", "on" or "off".');
  });
});
