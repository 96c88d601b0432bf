/** Faults of servers and PostgreSQL. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import type { Random } from '../../core/scenario/random';
import { openDatabaseProxy } from '../../db/testing/database-proxy';
import { type Fault, type Situation, underLoad } from './under-load';
import { until } from './until';

/** Longest pause before the next fault, milliseconds. */
const PAUSE_MS = 300;
const DRAIN_MS = 10_000;
/** Space that is left before a disk is full. */
const ROOM_BYTES = 8_000_000;

const pause = (random: Random) => rest(random.int(20, PAUSE_MS));

export const processFaults: Readonly<Record<string, Fault>> = {
  'server-kill': underLoad(restartRepeatedly),
  'server-stop': underLoad(async ({ place, random, server, times }) => {
    let current = server;
    let longest = 0;
    const problems: string[] = [];
    for (let stop = 0; stop < times; stop += 1) {
      await pause(random);
      const startedAt = performance.now();
      const code = await current.stop();
      longest = Math.max(longest, performance.now() - startedAt);
      if (code !== 0) problems.push(`the server ended with ${code}`);
      current = await place.serve(server.port);
    }
    if (longest > DRAIN_MS) problems.push('a drain took more than 10 s');
    return { note: `drain at most ${(longest / 1_000).toFixed(1)} s`, problems };
  }),
  'two-servers': underLoad(restartRepeatedly, (place) => Promise.all([place.serve(), place.serve()])),
  'postgres-kill': endPostgres('SIGKILL'),
  'postgres-stop': endPostgres('SIGQUIT'),
  'postgres-freeze': underLoad(async ({ place, server, times }) => {
    const problems: string[] = [];
    let slowest = 0;
    const check = async (path: string, status: number) => {
      const answer = await fetch(`${server.url}${path}`);
      if (answer.status !== status) problems.push(`${path} answered ${answer.status}, not ${status}`);
    };
    for (let freeze = 0; freeze < times; freeze += 1) {
      const group = -place.pid();
      process.kill(group, 'SIGSTOP');
      const frozenAt = performance.now();
      try {
        await Promise.all([check('/livez', 200), check('/healthz', 503), check('/readyz', 503)]);
      } finally {
        process.kill(group, 'SIGCONT');
      }
      slowest = Math.max(slowest, performance.now() - frozenAt);
      await until('the health after a freeze', async () => (await fetch(`${server.url}/readyz`)).ok);
    }
    return { note: `health reported it within ${(slowest / 1_000).toFixed(1)} s`, problems };
  }),
  'disk-full': underLoad(async ({ place, server, times }) => {
    const problems: string[] = [];
    const readiness = async () => (await fetch(`${server.url}/readyz`)).status;
    const disk = join(dirname(place.folder), 'data');
    const ballast = join(disk, 'ballast');
    for (let full = 0; full < times; full += 1) {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - ROOM_BYTES), 1));
      await until('the full disk', async () => (await readiness()) === 503, 120_000);
      await rest(1_000);
      rmSync(ballast);
      await until('the readiness after space was freed', async () => (await readiness()) === 200, 60_000);
    }
    return { problems };
  }),
  async 'lost-commit'(place, scale, random) {
    const proxy = await openDatabaseProxy(place.url);
    const cuts = underLoad(
      async ({ times }) => {
        for (let cut = 0; cut < times; cut += 1) {
          await proxy.loseCommit();
          await rest(random.int(5, 60));
        }
        return {};
      },
      async () => [await place.serve(undefined, proxy.url)],
    );
    return cuts(place, scale, random);
  },
};

/** Kill the first server and start it again, several times. */
async function restartRepeatedly({ place, random, server, times }: Situation) {
  let current = server;
  for (let kill = 0; kill < times; kill += 1) {
    await pause(random);
    await current.kill();
    current = await place.serve(server.port);
  }
  return {};
}

/** End PostgreSQL, which the embedded launcher starts again. */
function endPostgres(signal: NodeJS.Signals): Fault {
  return underLoad(async ({ place, random, times }) => {
    for (let end = 0; end < times; end += 1) {
      await pause(random);
      const pid = place.pid();
      process.kill(pid, signal);
      await until('the restart of PostgreSQL', () => place.pid() !== pid);
    }
    return {};
  });
}
