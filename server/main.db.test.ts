/** The server as a separate process with its own environment. Pages are left out, because the stories cover them. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConnectionFile,
  parseConnectionFile,
  portOf,
  proofText,
} from '../core/settings/connection-file';
import { clusterFolder } from '../db/embedded/create-cluster';
import { isAlive, livePostmaster } from '../db/embedded/processes';
import { createTestDatabase } from '../db/testing/test-database';

/** A bundle starts three times as fast as the sources. The project's folder lets the bundle find the packages. */
const main = new URL(`../test-results/server-${process.pid}/main.mjs`, import.meta.url).pathname;
beforeAll(() =>
  build({
    entryPoints: [new URL('./main.ts', import.meta.url).pathname],
    outfile: main,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  }),
);
afterAll(() => rmSync(dirname(main), { recursive: true, force: true }));
const database = await createTestDatabase();
afterAll(() => database.close());

let folder = '';
const running: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-server-'));
  chmodSync(folder, 0o711);
});
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.child.kill('SIGTERM');
    await server.ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Server {
  child: ChildProcessByStdio<null, Readable, Readable>;
  output(): string;
  /** Exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  /** Resolve when the server is ready. @throws its output when it ends first. */
  ready: Promise<void>;
}

function start(settings: Record<string, string> = {}): Server {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      NODE_ENV: 'production',
      BAROGRAPH_DATA_DIR: folder,
      BAROGRAPH_PORT: '0',
      BAROGRAPH_ROLE: 'ingest',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('is ready')) resolve();
      });
    }
    ended.then(() => reject(new Error(`The server ended: ${text}`)), reject);
  });
  // A start that is expected to fail is observed through `ended`.
  ready.catch(() => undefined);
  const server = { child, output: () => text, ended, ready };
  running.push(server);
  return server;
}

const withDatabase = () => ({ DATABASE_URL: database.url });

function readConnection(): ConnectionFile {
  return parseConnectionFile(JSON.parse(readFileSync(join(folder, 'connection.json'), 'utf8')));
}

/** Id of the server, after it proved that it knows the secret. */
async function provenId({ url, secret }: ConnectionFile): Promise<string> {
  const challenge = 'c0'.repeat(32);
  const answer = await fetch(`${url}/v1/identity`, {
    method: 'POST',
    body: JSON.stringify({ challenge }),
    headers: { 'content-type': 'application/json' },
  });
  const { server, proof } = (await answer.json()) as { server: string; proof: string };
  const text = proofText({ challenge, server, port: portOf(url) });
  expect(proof).toBe(createHmac('sha256', secret).update(text).digest('hex'));
  return server;
}

// Starting and ending processes takes seconds on a busy machine.
describe('server process', () => {
  it('warns of a database that can lose acknowledged turns in a power failure', async () => {
    const server = start(withDatabase());
    await server.ready;
    for (const name of ['fsync', 'full_page_writes']) expect(server.output()).toContain(`Set ${name} = on.`);
  });

  it('writes its address and tokens to a file that only its account can read', async () => {
    const server = start(withDatabase());
    await server.ready;
    const { url, ingestToken, readToken } = readConnection();
    expect(server.output()).toContain(url);
    expect(server.output()).toContain(folder);
    expect(server.output()).toContain('npx barograph connect');
    expect(server.output()).not.toContain(new URL(database.url).password);
    expect(statSync(join(folder, 'connection.json')).mode & 0o777).toBe(0o600);
    const rows = await database.sql<{ scopes: string[] }[]>`
      select scopes from tokens where hash in (
        sha256(convert_to(${ingestToken}, 'UTF8')), sha256(convert_to(${readToken}, 'UTF8'))) order by id`;
    expect(rows.map(({ scopes }) => scopes)).toEqual([['ingest', 'archive'], ['read']]);
    await expect.poll(async () => (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'ok' });
  });

  it('proves its identity with the secret of that file, and renames the file when it stops', async () => {
    const first = start(withDatabase());
    await first.ready;
    const before = readConnection();
    const id = await provenId(before);
    first.child.kill('SIGTERM');
    expect(await first.ended, first.output()).toBe(0);
    expect(existsSync(join(folder, 'connection.json'))).toBe(false);
    const last = join(folder, 'last-connection.json');
    expect(statSync(last).mode & 0o777).toBe(0o600);
    expect(parseConnectionFile(JSON.parse(readFileSync(last, 'utf8')))).toEqual(before);

    // Tokens, secret and identity survive a restart.
    await start(withDatabase()).ready;
    expect(readConnection()).toEqual({ ...before, url: readConnection().url });
    expect(existsSync(last)).toBe(false);
    expect(await provenId(readConnection())).toBe(id);
  });

  it('reports a running server at a second start', async () => {
    await start(withDatabase()).ready;
    const { url } = readConnection();
    for (const port of ['0', new URL(url).port]) {
      const second = start({ ...withDatabase(), BAROGRAPH_PORT: port });
      expect(await second.ended, second.output()).toBe(0);
      expect(second.output()).toMatch(/^Barograph is already running at /);
      expect(second.output()).toContain(url);
      expect(second.output()).toContain(folder);
    }
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('reports another program on its port', async () => {
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const server = start({ ...withDatabase(), BAROGRAPH_PORT: port });
    expect(await server.ended, server.output()).toBe(1);
    expect(server.output()).toContain(`Another program has 127.0.0.1:${port} already. Set BAROGRAPH_PORT`);
    await new Promise((resolve) => {
      other.close(resolve);
    });
  });

  it.each([
    [{ BAROGRAPH_HOST: '0.0.0.0' }, 'For other machines set BAROGRAPH_AUTH=on'],
    [{ BAROGRAPH_PROT: '1' }, 'Did you mean BAROGRAPH_PORT?'],
    [{ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' }, 'Cannot use the database'],
  ])('refuses to start with %j, without printing a secret', async (settings, reason) => {
    const server = start(settings);
    expect(await server.ended, server.output()).toBe(1);
    expect(server.output()).toContain(reason);
    expect(server.output()).not.toContain('secret');
  });

  it('stops the embedded database on SIGTERM, and after SIGKILL at the next start', async () => {
    const postgresPid = () => livePostmaster(clusterFolder(folder))?.pid ?? 0;
    const isUp = (pid: number) => isAlive({ pid, started: null });

    const killed = start();
    await killed.ready;
    const first = postgresPid();
    expect(first).toBeGreaterThan(0);
    killed.child.kill('SIGKILL');
    await killed.ended;

    const asked = start();
    await asked.ready;
    expect(isUp(first)).toBe(false);
    const second = postgresPid();
    asked.child.kill('SIGTERM');
    expect(await asked.ended, asked.output()).toBe(0);
    await expect.poll(() => isUp(second)).toBe(false);
  });

  it('restarts a killed database without restarting itself', async () => {
    const server = start();
    await server.ready;
    const { url } = readConnection();
    const pid = livePostmaster(clusterFolder(folder))?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    const isBack = () => server.output().includes('the database is back');
    await expect.poll(isBack).toBe(true);
    // The connections of the pool return one by one.
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
