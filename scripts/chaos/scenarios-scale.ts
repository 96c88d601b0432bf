/** Three ingest and two web servers behind one proxy, and NATS between them. One of each is killed under load. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import { findFreePort } from '../../core/testing/free-port';
import { findDebianProgram } from '../../db/testing/debian-program';
import type { ServerProcess } from '../../e2e/wire/start-server-process';
import { openTestBrowser } from '../../server/live/testing/browser';
import { countStale } from './scenarios-time';
import { type Fault, underLoad } from './under-load';
import { until } from './until';

const MAX_SILENCE_MS = 10_000;
/** How long a server stays away. */
const AWAY_MS = 300;
type Role = 'ingest' | 'web';

/** Pass each connection to the next reachable server of the role that its first request needs. */
async function openRoleProxy(ports: Readonly<Record<Role, readonly number[]>>) {
  const sockets = new Set<Socket>();
  let next = 0;
  const reach = async (role: Role): Promise<Socket | null> => {
    for (let attempt = 0; attempt < ports[role].length; attempt += 1) {
      next += 1;
      const outer = connect(ports[role][next % ports[role].length] ?? 0, '127.0.0.1');
      const isOpen = await once(outer, 'connect').catch(() => null);
      if (isOpen) return outer;
    }
    return null;
  };
  const server = createServer((inner) => {
    sockets.add(inner);
    inner.on('error', () => undefined).on('close', () => sockets.delete(inner));
    inner.once('data', async (first) => {
      inner.pause();
      const outer = await reach(/^\S+ \/(v1\/live|api)\b/.test(first.toString('latin1')) ? 'web' : 'ingest');
      if (!outer) return inner.destroy();
      outer.on('error', () => undefined).on('close', () => inner.destroy());
      inner.on('close', () => outer.destroy());
      outer.write(first);
      return inner.pipe(outer).pipe(inner);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A NATS server; null: this machine has no program for it. */
async function openNats() {
  const program = findDebianProgram('nats-server', 'usr/sbin/nats-server');
  if (program === null) return null;
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  const nats = {
    url: `nats://127.0.0.1:${port}`,
    start() {
      child = spawn(program, ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    },
    kill: () => child?.kill('SIGKILL'),
  };
  nats.start();
  return nats;
}

export const scaleFaults: Readonly<Record<string, Fault>> = {
  async 'scale-out'(place, scale, random) {
    const nats = await openNats();
    const serve = (role: Role, port = 0) =>
      place.serve(port, undefined, { BAROGRAPH_ROLE: role, ...(nats && { NATS_URL: nats.url }) });
    const servers: Record<Role, ServerProcess[]> = {
      ingest: await Promise.all([serve('ingest'), serve('ingest'), serve('ingest')]),
      web: await Promise.all([serve('web'), serve('web')]),
    };
    const portsOf = (role: Role) => servers[role].map(({ port }) => port);
    const proxy = await openRoleProxy({ ingest: portsOf('ingest'), web: portsOf('web') });
    const browser = openTestBrowser(`${proxy.url.replace('http', 'ws')}/v1/live`);
    browser.connection.subscribe({ topic: 'fleet' });

    const killOne = async (role: Role) => {
      const index = random.int(0, servers[role].length - 1);
      const killed = servers[role][index];
      if (!killed) return;
      await killed.kill();
      await rest(AWAY_MS);
      servers[role][index] = await serve(role, killed.port);
    };
    const killAll = underLoad(
      async ({ load, times, turns }) => {
        let longest = 0;
        let frames = 0;
        let lastAt = performance.now();
        const watch = setInterval(() => {
          if (browser.frames.length > frames) lastAt = performance.now();
          frames = browser.frames.length;
          longest = Math.max(longest, performance.now() - lastAt);
        }, 20);
        for (let kill = 0; kill < times; kill += 1) {
          await rest(random.int(200, 800));
          await Promise.all([killOne('ingest'), killOne('web')]);
          nats?.kill();
          await rest(AWAY_MS);
          nats?.start();
        }
        await until('the load', () => load.issued >= turns, 600_000);
        clearInterval(watch);
        const problems: string[] = [];
        if (longest > MAX_SILENCE_MS) problems.push('the viewer got no frames for too long');
        await load.finish();
        await until('the viewer', async () => (await countStale(place, browser)) === 0, 30_000);
        const note = `viewer waited at most ${(longest / 1_000).toFixed(1)} s, then showed every session${nats ? '' : '; without NATS'}`;
        return { note, problems };
      },
      async () => servers.ingest.slice(0, 1).map((server) => ({ ...server, url: proxy.url })),
    );
    try {
      return await killAll(place, scale, random);
    } finally {
      browser.connection.stop();
      proxy.close();
      nats?.kill();
    }
  },
};
