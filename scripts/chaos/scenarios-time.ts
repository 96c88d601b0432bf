/** Wrong clocks of runners and servers, and a server of the first version beside a new one. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { findFreePort } from '../../core/testing/free-port';
import { migrate } from '../../db/migrate';
import { makeToken, type ServerProcess, untilLine } from '../../e2e/wire/start-server-process';
import { openTestBrowser } from '../../server/live/testing/browser';
import { projectFolder } from '../lib/project-folder';
import { type Place, prepare } from './place';
import { type Fault, underLoad, untilIssued } from './under-load';
import { CannotRunError, until } from './until';

const OLD_VERSION = 'v0.1.0';
const DAY_MS = 86_400_000;
/** Right, a day ahead, a day behind, 1970, 9999, and in turn set back. */
const SHIFTS = [0, DAY_MS, -DAY_MS, -Date.now(), Date.UTC(9999, 11, 30) - Date.now()];

/** Loaded into a server: each SIGUSR2 sets its clock to the next of the shifts. */
const WRONG_CLOCK = `
  const Real = Date, shifts = ${JSON.stringify(SHIFTS)};
  let step = 0;
  const shift = () => shifts[step % shifts.length];
  globalThis.Date = class extends Real {
    constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + shift()); }
    static now() { return Real.now() + shift(); }
  };
  process.on('SIGUSR2', () => { step += 1; });`;
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(WRONG_CLOCK)}`;

/** Sessions of which the viewer shows another version than PostgreSQL has. */
export async function countStale(
  { sql }: Place,
  browser: ReturnType<typeof openTestBrowser>,
): Promise<number> {
  const rows = await sql<{ id: string; version: number }[]>`select public_id as id, version from sessions`;
  return rows.filter(({ id, version }) => browser.fleet()?.sessions.get(id)?.version !== version).length;
}

/** Read what the pages show. @returns what failed */
async function readPages(url: string, token: string): Promise<string[]> {
  const problems: string[] = [];
  const read = async (path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    if (!answer.ok) problems.push(`${path} answered ${answer.status} ${text.slice(0, 200)}`);
    return text;
  };
  const [id] = /(?<="id":")[^"]+/.exec(await read('/sessions')) ?? [];
  for (const part of ['', '/turns', '/events', '/contexts', '/series']) await read(`/sessions/${id}${part}`);
  await read('/history');
  return problems;
}

/** A server of the first version, from the repository's tag. */
async function unpackOld(folder: string): Promise<(databaseUrl: string) => Promise<ServerProcess>> {
  mkdirSync(folder);
  const command = `git archive ${OLD_VERSION} | tar -x -C ${folder}`;
  const { status } = spawnSync('bash', ['-o', 'pipefail', '-c', command], {
    cwd: projectFolder,
    stdio: 'ignore',
  });
  if (status !== 0) throw new CannotRunError(`needs the tag ${OLD_VERSION}`);
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return async (databaseUrl) => {
    const args = ['--import', 'tsx', 'server/ingest/testing/ingest-process.ts', databaseUrl];
    const env = { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: '/nonexistent' } as const;
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    const url = await untilLine(child, 'http');
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return (await closed)[0];
    };
    const kill = async () => void (await end('SIGKILL'));
    return {
      pid: child.pid ?? 0,
      url,
      port: Number(new URL(url).port),
      kill,
      stop: () => end('SIGTERM'),
      log: () => '',
    };
  };
}

export const timeFaults: Readonly<Record<string, Fault>> = {
  async clocks(place, scale, random) {
    let step = 0;
    const reader = await makeToken(place.sql, ['read']);
    const jump = underLoad(
      async ({ server, load, times }) => {
        const problems: string[] = [];
        const browser = openTestBrowser(`${server.url.replace('http', 'ws')}/v1/live`);
        browser.connection.subscribe({ topic: 'fleet' });
        try {
          await until('the first turn', () => load.acknowledged > 0);
          for (let jumped = 0; jumped < times; jumped += 1) {
            await rest(random.int(200, 800));
            step += 1;
            if (jumped % 2 === 0) process.kill(server.pid, 'SIGUSR2');
            problems.push(...(await readPages(server.url, reader)));
          }
          await until('the viewer', async () => (await countStale(place, browser)) < scale.runners, 30_000);
        } finally {
          browser.connection.stop();
        }
        return { problems };
      },
      async () => [await place.serve(undefined, undefined, { NODE_OPTIONS })],
      (runner) => SHIFTS[(runner + step) % SHIFTS.length] ?? 0,
    );
    return jump(place, scale, random);
  },

  async 'old-server'(place, scale, random) {
    const folder = join(place.folder, 'old');
    const { sql, url, token } = place;
    const serveOld = await unpackOld(folder);
    const port = await findFreePort();
    let old: ServerProcess | undefined;
    const upgrade = underLoad(
      async ({ load, turns }) => {
        await untilIssued(load, turns / 4);
        await prepare(url);
        await place.serve(port);
        const before = load.acknowledged;
        await untilIssued(load, (turns * 3) / 4);
        await until('turns after the migration', () => load.acknowledged > before);
        await old?.stop();
        await place.serve(old?.port);
        return {};
      },
      async () => {
        await sql.unsafe('drop schema public, drizzle cascade; create schema public');
        await migrate(url, join(folder, 'db', 'migrations'));
        await sql`insert into tokens (name, scope, hash) values ('old', 'ingest', ${createHash('sha256').update(token).digest()})`;
        old = await serveOld(url);
        return [old, { ...old, url: `http://127.0.0.1:${port}` }];
      },
    );
    try {
      return await upgrade(place, scale, random);
    } finally {
      await old?.kill();
    }
  },
};
