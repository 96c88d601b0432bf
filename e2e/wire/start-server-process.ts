/** Ingest servers as separate processes, which tests can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type postgres from 'postgres';
import { findFreePort } from '@/core/testing/free-port';
import { bundleScript } from '@/runner/testing/bundle-script';

const THREADS = ['server/transcripts/contents-thread.ts', 'server/transcripts/reads-thread.ts'];

export interface ServerProcess {
  pid: number;
  url: string;
  port: number;
  /** Kills the process. */
  kill(): Promise<void>;
  /** Stops the process gracefully. @returns its exit code */
  stop(): Promise<number | null>;
  /** The lines of its log so far. */
  log(): string;
}

/** As in the product: the database counts as frozen after two seconds without an answer. */
export const PRODUCT_TICKS = 20;
/** On a busy machine, tests must not take a slow database for a frozen one. */
const PATIENT_TICKS = 1_000;

/**
 * @param port default: any free one
 * @param withLive also serve browsers
 * @param settings as environment variables
 * @param probeTicks of the server's probe of the database
 */
export async function startServerProcess(
  databaseUrl: string,
  port?: number,
  withLive = false,
  settings: Readonly<Record<string, string>> = {},
  probeTicks = process.env.VITEST === undefined ? PRODUCT_TICKS : PATIENT_TICKS,
): Promise<ServerProcess> {
  const script = await bundleScript('server/ingest/testing/ingest-process.ts', THREADS);
  const child = spawn(
    process.execPath,
    [
      script,
      databaseUrl,
      String(port ?? (await findFreePort())),
      String(probeTicks),
      ...(withLive ? ['live'] : []),
    ],
    {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH ?? '',
        HOME: '/nonexistent',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
    process.stderr.write(chunk);
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
    pid: child.pid ?? 0,
    url,
    port: Number(new URL(url).port),
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    log: () => log,
  };
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
export async function makeToken(sql: postgres.Sql, scopes = ['ingest', 'archive']): Promise<string> {
  const token = `bg_${randomBytes(32).toString('base64url')}`;
  const hash = createHash('sha256').update(token).digest();
  await sql`insert into tokens (name, scopes, hash) values (${token.slice(-20)}, ${scopes}, ${hash})`;
  return token;
}
