/** Ingest servers as separate processes, which tests can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { bundleScript } from '@/runner/testing/bundle-script';

const THREADS = ['server/transcripts/contents-thread.ts', 'server/transcripts/reads-thread.ts'];

export interface ServerProcess {
  url: string;
  port: number;
  /** Kills the process. */
  kill(): Promise<void>;
  /** Stops the process gracefully. @returns its exit code */
  stop(): Promise<number | null>;
}

/** @param port 0: any free one. */
export async function startServerProcess(databaseUrl: string, port = 0): Promise<ServerProcess> {
  const script = await bundleScript('server/ingest/testing/ingest-process.ts', THREADS);
  const child = spawn(process.execPath, [script, databaseUrl, String(port)], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await untilLine(child, 'http');
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    url,
    port: Number(new URL(url).port),
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

export interface Place {
  database: TestDatabase;
  token: string;
  folder: string;
  /** Starts a server process, which is killed after the test. */
  serve(port?: number): Promise<ServerProcess>;
}

/** A database and a token for the tests of a file, and an empty folder for each test. */
export function preparePlace(): Place {
  const servers: ServerProcess[] = [];
  const place = {
    async serve(port) {
      const server = await startServerProcess(place.database.url, port);
      servers.push(server);
      return server;
    },
  } as Place;
  beforeAll(async () => {
    place.database = await createTestDatabase();
    place.token = await makeToken(place.database.sql);
  });
  afterAll(() => place.database?.close());
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'barograph-wire-'));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    rmSync(place.folder, { recursive: true, force: true });
  });
  return place;
}

/** The first complete line on the standard output that starts with `start`. */
export function untilLine(child: ChildProcess, start: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const lines = output.split('\n').slice(0, -1);
      const line = lines.find((each) => each.startsWith(start));
      if (line !== undefined) resolve(line);
    });
    child.once('exit', (code) => reject(new Error(`The process ended with ${code} before "${start}".`)));
  });
}

/** Create a token as `npm run token` does: the database stores only the hash. */
export async function makeToken(sql: postgres.Sql, scope = 'ingest'): Promise<string> {
  const token = `bg_${randomBytes(32).toString('base64url')}`;
  const hash = createHash('sha256').update(token).digest();
  await sql`insert into tokens (name, scope, hash) values ('wire tests', ${scope}, ${hash})`;
  return token;
}
