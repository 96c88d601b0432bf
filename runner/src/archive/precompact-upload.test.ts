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

  it('rejects an invalid choice', async () => {
    await serve();
    const options = { uploadArchives: 'yes' } as unknown as Parameters<typeof createPreCompactHook>[0];
    expect(() => createPreCompactHook(options)).toThrow('uploadArchives must be "local", "on" or "off".');
  });
});
