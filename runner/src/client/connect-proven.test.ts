import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../../core/testing/patience';
import { TEST_SECRET, TEST_SERVER } from '../proof/testing/identity';
import { FakeArchiveServer } from '../upload/testing/fake-archive-server';
import type { BarographClient, ClientState } from './client-types';
import { createClient } from './create-client';
import { FakeServer } from './testing/fake-server';

let folder: string;
let http: FakeArchiveServer;
let server: FakeServer;
let client: BarographClient | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proven-'));
});
afterEach(async () => {
  await client?.close(0);
  await server.stop();
  await http.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(secret: string, port = 0): Promise<void> {
  http = await FakeArchiveServer.start({ port, identity: { server: TEST_SERVER, secret } });
  server = await FakeServer.start({ http: http.http });
}

function open(onState: (state: ClientState) => void = () => undefined): BarographClient {
  return createClient({
    url: http.url,
    token: 'bg_local',
    secret: TEST_SECRET,
    project: 'harbour',
    runner: { name: 'pier' },
    queueFolder: folder,
    timing: { baseMs: 5, capMs: 20 },
    onState,
  });
}

describe('a client of a server on this machine', () => {
  it('sends neither token nor item to another program, and delivers when the server is back', async () => {
    await serve('ab'.repeat(32));
    const { port } = http;
    const states: ClientState[] = [];
    client = open((state) => states.push(state));
    client.session('s', { title: 'private' });
    await vi.waitFor(() => expect(http.asked.length).toBeGreaterThan(2));
    expect(server.authorizations).toEqual([]);
    expect(server.frames).toEqual([]);
    expect(client.stats().queued).toBe(1);
    expect(states).toContainEqual(
      expect.objectContaining({
        status: 'waiting',
        reason: 'unreachable',
        detail: `the program at ${http.url} is not the server of this machine: nothing was sent`,
      }),
    );
    await server.stop();
    await http.stop();
    await serve(TEST_SECRET, port);
    expect(await client.flush(PATIENCE_MS)).toMatchObject({ delivered: true });
    expect(server.items).toMatchObject([{ title: 'private' }]);
  });

  it('requires a proof for each connection', async () => {
    await serve(TEST_SECRET);
    client = open();
    client.session('s', {});
    expect(await client.flush(PATIENCE_MS)).toMatchObject({ delivered: true });
    expect(http.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
    expect(server.authorizations).toEqual(['Bearer bg_local']);
    const asked = http.asked.length;
    server.cut();
    await vi.waitFor(() => expect(http.asked.length).toBeGreaterThan(asked));
  });
});
