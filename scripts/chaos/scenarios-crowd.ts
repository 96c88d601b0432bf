/** Crowds: browsers that read nothing, and runners that all connect at once. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import { openDatabaseProxy } from '../../db/testing/database-proxy';
import { type Fault, underLoad, untilIssued } from './under-load';
import { until } from './until';

const MAX_GROWTH_MB = 250;
/** The stories of the browser run at the same time, so the wait includes the machine's. */
const MAX_SILENCE_MS = 15_000;
const STORM_MS = 30_000;
/** The server misses two pings, 20 s each; a runner waits for 50 s. */
const SILENT_MS = 120_000;
const SAMPLE_MS = 5_000;
const MAX_GROWTH_A_MINUTE_MB = 0.5;

function megabytesOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

async function countRunners(url: string): Promise<number> {
  await rest(500);
  // The server may end an idle connection at the moment of its next use.
  const answer = await fetch(`${url}/metrics`, { headers: { connection: 'close' } });
  return Number(/barograph_sockets\{kind="runner"\} (\d+)/.exec(await answer.text())?.[1]);
}

/** @returns a runner's socket after the welcome */
export async function openRunner(url: string, token: string, name: string): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ingest`, { headers });
  await once(socket, 'open');
  const hello = { type: 'hello', v: PROTOCOL_VERSION, project: 'raw', runner: { name }, source: 'sdk' };
  socket.send(JSON.stringify({ ...hello, stream: randomUUID(), now: Date.now() }));
  await once(socket, 'message');
  return socket;
}

async function openBrowser(url: string): Promise<WebSocket> {
  const browser = new WebSocket(`${url.replace('http', 'ws')}/v1/live`, { origin: url });
  await once(browser, 'open');
  browser.send(JSON.stringify({ type: 'subscribe', topic: 'fleet' }));
  return browser;
}

export const crowdFaults: Readonly<Record<string, Fault>> = {
  'slow-browsers': underLoad(async ({ server, load, times, turns }) => {
    const before = megabytesOf(server.pid);
    const reader = await openBrowser(server.url);
    let frames = 0;
    let lastAt = performance.now();
    let silence = 0;
    reader.on('message', () => {
      frames += 1;
      silence = Math.max(silence, performance.now() - lastAt);
      lastAt = performance.now();
    });
    const slow = await Promise.all(Array.from({ length: times }, () => openBrowser(server.url)));
    for (const browser of slow) browser.pause();
    await untilIssued(load, turns);
    const growth = megabytesOf(server.pid) - before;
    for (const browser of [...slow, reader]) browser.terminate();
    const problems: string[] = [];
    if (growth > MAX_GROWTH_MB) problems.push(`the server grew by ${growth.toFixed(0)} MB`);
    if (frames === 0 || silence > MAX_SILENCE_MS) problems.push('a reading browser got no frames');
    const note = `server +${growth.toFixed(0)} MB; reading browser waited at most ${(silence / 1_000).toFixed(1)} s`;
    return { note, problems };
  }),
  'reconnect-storm': underLoad(async ({ place, server, times }) => {
    await rest(300);
    const startedAt = performance.now();
    const opening = Array.from({ length: times }, (_, index) =>
      openRunner(server.url, place.token, `r${index}`),
    );
    const storm = await Promise.race([Promise.all(opening), rest(STORM_MS)]);
    if (!storm) throw new Error('not all runners were welcomed');
    const seconds = (performance.now() - startedAt) / 1_000;
    for (const socket of storm) socket.terminate();
    return { note: `all welcomed within ${seconds.toFixed(1)} s` };
  }),

  async 'half-open'(place, scale, random) {
    const server = await place.serve();
    const proxies = await Promise.all(
      Array.from({ length: scale.times }, () => openDatabaseProxy(server.url)),
    );
    const goSilent = underLoad(
      async ({ load }) => {
        await until('the connections', () => load.down === 0);
        for (const proxy of proxies) proxy.freeze();
        const startedAt = performance.now();
        const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(0)} s`;
        const left = scale.runners - scale.times;
        await until(
          'the end of the silent connections',
          async () => (await countRunners(server.url)) === left,
          SILENT_MS,
        );
        const closed = seconds();
        await until('the runners’ own timeout', () => load.down === scale.times, SILENT_MS);
        const noticed = seconds();
        for (const proxy of proxies) {
          await proxy.cut();
          proxy.thaw();
          await proxy.open();
        }
        return { note: `server closed them within ${closed}, runners noticed within ${noticed}` };
      },
      async () => Array.from({ length: scale.runners }, (_, index) => ({ ...server, ...proxies[index] })),
    );
    try {
      return await goSilent(place, scale, random);
    } finally {
      for (const proxy of proxies) await proxy.cut();
    }
  },
  soak: underLoad(async ({ server, load, times, turns }) => {
    const browsers = await Promise.all(Array.from({ length: times }, () => openBrowser(server.url)));
    await untilIssued(load, turns / 4);
    const samples: number[] = [];
    while (load.issued < turns) {
      await rest(SAMPLE_MS);
      samples.push(megabytesOf(server.pid));
    }
    for (const browser of browsers) browser.terminate();
    const half = Math.floor(samples.length / 2);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const growth = mean(samples.slice(half)) - mean(samples.slice(0, half));
    const perMinute = growth / ((half * SAMPLE_MS) / 60_000);
    const problems = perMinute > MAX_GROWTH_A_MINUTE_MB ? ['the memory of the server grows'] : [];
    return { note: `server ${mean(samples).toFixed(0)} MB, ${perMinute.toFixed(2)} MB a minute`, problems };
  }),
};
