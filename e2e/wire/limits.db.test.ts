/**
 * One hostile client at a server process: others go on beside it. `npm run security-figures` uses the full sizes, and
 * writes what the client costs into SECURITY.md; no figure fails a test.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { openDatabaseProxy } from '../../db/testing/database-proxy';
import { POISON, refusePoison } from '../../db/testing/refuse-poison';
import { createTestDatabase } from '../../db/testing/test-database';
import { projectFolder } from '../../scripts/lib/project-folder';
import { makeToken, PRODUCT_TICKS, startServerProcess } from './start-server-process';

const isFull = process.env.SECURITY_FIGURES === 'write';
const figures: [attack: string, before: string, now: string][] = [];

const database = await createTestDatabase();
await refusePoison(database.sql);
const tokens = { bad: await makeToken(database.sql), good: await makeToken(database.sql) };
const proxy = await openDatabaseProxy(database.url);
const server = await startServerProcess(proxy.url, undefined, true);
afterAll(async () => {
  proxy.thaw();
  await server.kill();
  await proxy.cut();
  await database.close();
  if (!isFull) return;
  const path = `${projectFolder}/SECURITY.md`;
  const rows = figures.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const table = `<!-- figures -->\n| one client | before | now |\n|---|---|---|\n${rows}\n\nMeasured on ${cpus().length} cores by \`npm run security-figures\`, with a load of ${Math.round(loadavg()[0] ?? 0)} from all programs.\n<!-- end -->`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(/<!-- figures -->[\s\S]*<!-- end -->/, table));
});

const usage = { input: 1, output: 1, cacheRead: 0, cacheCreation: 0 };
const streams = { bad: randomUUID(), good: randomUUID() };
const headersOf = (who: keyof typeof tokens) => ({
  authorization: `Bearer ${tokens[who]}`,
  'content-type': 'application/json',
});
let last = 1_000_000;
function bodyOf(who: keyof typeof tokens, items: object[]) {
  const hello = {
    type: 'hello',
    v: 1,
    project: who,
    runner: { name: who },
    stream: streams[who],
    now: Date.now(),
  };
  const turns = items.map((item) => {
    last += 1;
    return { type: 'turn', seq: last, session: 's', at: Date.now(), usage, ...item };
  });
  return new Blob([JSON.stringify([hello, ...turns])]);
}

/** Posts items. The neighbour posts one turn. */
const post = (who: keyof typeof tokens, items: object[] = [{}]) => postBody(who, bodyOf(who, items));

async function postBody(who: keyof typeof tokens, body: Blob, { url } = server) {
  const from = performance.now();
  const response = await fetch(`${url}/v1/ingest`, { method: 'POST', headers: headersOf(who), body });
  const answer = (await response.json()) as { refused?: { reason: string }[] };
  return { status: response.status, refused: answer.refused ?? [], ms: performance.now() - from };
}

/** Times of a neighbour's acknowledgements while the work runs. At least one must come before the end of the work. */
async function beside(work: Promise<unknown>): Promise<number[]> {
  let isRunning = true;
  const ended = work.finally(() => {
    isRunning = false;
  });
  const times: number[] = [];
  let beforeTheEnd = 0;
  while (isRunning || times.length < (isFull ? 20 : 1)) {
    const { status, ms } = await post('good');
    expect(status).toBe(200);
    times.push(ms);
    if (isRunning) beforeTheEnd += 1;
  }
  await ended;
  expect(beforeTheEnd).toBeGreaterThan(0);
  return times;
}
const share = (times: number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(part * (times.length - 1))] ?? 0;
const ms = (value: number) => `${Math.round(value).toLocaleString('en').replaceAll(',', ' ')} ms`;

/** Mebibytes that the server needs more at its peak during the work, for the figures. */
async function growth(work: () => Promise<unknown>, { pid } = server): Promise<number> {
  if (!isFull) {
    await work();
    return 0;
  }
  const read = (name: string) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  };
  // Resets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = read('VmRSS');
  await work();
  return Math.max(0, Math.round(read('VmHWM') - before));
}

it('keeps a neighbour going beside full frames', async () => {
  // The first frame creates the sessions, and warms the server up.
  const send = () =>
    post(
      'bad',
      Array.from({ length: 5_000 }, (_, index) => ({ session: `full-${index % 20}` })),
    );
  // The server slices a large frame only while another client is active.
  await post('good');
  await beside(send());
  // In turns, because other programs load the machine now more and now less.
  const [alone, times]: [number[], number[]] = [[], []];
  for (let n = 0; n < (isFull ? 20 : 1); n += 1) {
    const waits = await beside(send());
    times.push(...waits);
    if (isFull) for (const _ of waits) alone.push((await post('good')).ms);
  }
  const [before, now] = [share(alone, 0.99), share(times, 0.99)];
  figures.push([
    '20 full frames of 5 000 turns: p99 of another token’s acknowledgements',
    'not limited',
    `${ms(before)} alone, ${ms(now)} beside: ${(now / before).toFixed(1)} times (median ${ms(share(alone, 0.5))} and ${ms(share(times, 0.5))})`,
  ]);
}, 600_000);

it('keeps a neighbour going beside items that the database refuses', async () => {
  const count = isFull ? 1_000 : 100;
  let searched = 0;
  const search = async () => {
    const { refused, ms: took } = await post(
      'bad',
      Array.from({ length: count }, () => ({ usage: { ...usage, input: POISON } })),
    );
    expect(refused).toHaveLength(count);
    searched = took;
  };
  const times = await beside(search());
  figures.push([
    '1 000 items that the database refuses',
    'neighbours wait 8.4 s',
    `neighbours wait at most ${ms(Math.max(...times))} (median ${ms(share(times, 0.5))}); the search takes ${ms(searched)}`,
  ]);
}, 600_000);

it('adds a turn to a session with many sub-agents, and refuses too many by name', async () => {
  const most = isFull ? 32_766 : 2_000;
  for (let from = 0; from < most; from += 2_000) {
    const size = Math.min(2_000, most - from);
    await post(
      'bad',
      Array.from({ length: size }, (_, index) => ({ session: 'wide', chain: `a${from + index}` })),
    );
  }
  const { ms: took } = await post('bad', [{ session: 'wide', chain: 'a1' }]);
  if (isFull) {
    const { refused } = await post('bad', [
      { session: 'wide', chain: 'x' },
      { session: 'wide', chain: 'y' },
      {},
    ]);
    expect(refused).toMatchObject([{ reason: expect.stringContaining('32767 chains') }]);
  }
  figures.push(['32 766 sub-agents in one session: a frame with one turn', '54 s', ms(took)]);
}, 600_000);

it('keeps a neighbour going beside late items', async () => {
  const turn = (seq: number) => ({ session: 'late', seq, at: 1e12 + seq });
  const base = last + 1_000;
  last = base + 30_000;
  const later = Array.from({ length: isFull ? 9_500 : 1_500 }, (_, index) => turn(base + 20 + index));
  for (let from = 0; from < later.length; from += 2_000) await post('bad', later.slice(from, from + 2_000));
  const costs: number[] = [];
  const send = async () => {
    for (let seq = base; seq < base + 10; seq += 1) costs.push((await post('bad', [turn(seq)])).ms);
  };
  const times = await beside(send());
  figures.push([
    'late items before 9 500 others',
    '390 ms each, for everyone',
    `${ms(share(costs, 0.5))} each, apart; neighbours wait ${ms(share(times, 0.5))} (median)`,
  ]);
}, 600_000);

it('holds no bodies without a token', async () => {
  const sockets = Array.from({ length: 150 }, () => connect(server.port, '127.0.0.1'));
  const mib = await growth(async () => {
    const answers = sockets.map(async (socket) => {
      socket.on('error', () => undefined);
      socket.write('POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194304\r\n\r\n');
      const answered = once(socket, 'data');
      socket.write(Buffer.alloc(4_000_000, 0x20));
      return String((await answered)[0]).split(' ')[1];
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['401']));
  });
  for (const socket of sockets) socket.destroy();
  figures.push(['150 unfinished bodies without a token', '591 MB', `401, ${mib} MiB`]);
});

it('admits no live feed without a token', async () => {
  const mib = await growth(async () => {
    const answers = Array.from({ length: 1_000 }, async () => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/live`);
      socket.on('error', () => undefined);
      const [, { statusCode }] = await once(socket, 'unexpected-response');
      socket.terminate();
      return statusCode;
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]));
  });
  figures.push([
    '1 000 live sockets without a token',
    '1.4 GB, and no place for browsers',
    `401, ${mib} MiB`,
  ]);
});

it('refuses an archive that names one chunk 256 times', async () => {
  const chunk = Buffer.alloc(CHUNK_BYTES, 0x61);
  const body = JSON.stringify({
    archive: randomUUID(),
    project: 'bad',
    session: 's',
    at: new Date().toISOString(),
    trigger: 'auto',
    version: 'hook',
    fileName: 'session.jsonl',
    path: '/srv/session.jsonl',
    host: 'pier',
    lines: 1,
    bytes: 256 * CHUNK_BYTES,
    chunks: Array(256).fill(createHash('sha256').update(chunk).digest('hex')),
    sha256: randomBytes(32).toString('hex'),
  });
  const from = performance.now();
  const response = await fetch(`${server.url}/v1/archives`, {
    method: 'POST',
    headers: headersOf('bad'),
    body,
  });
  expect(await response.text()).toContain('repeated chunks');
  figures.push([
    'one chunk named 256 times',
    '5.5 minutes of a core',
    `400 after ${ms(performance.now() - from)}`,
  ]);
});

it('ends requests while PostgreSQL does not respond', async () => {
  const item = { session: 'large', model: 'm'.repeat(900) };
  const items = Array.from({ length: 3_500 }, () => item);
  const product = await startServerProcess(proxy.url, undefined, false, {}, PRODUCT_TICKS);
  onTestFinished(() => product.kill());
  await postBody('bad', bodyOf('bad', [item]), product);
  // One body for all, because the time to write bodies is not the server's.
  const body = bodyOf('bad', items);
  proxy.freeze();
  let longest = 0;
  const mib = await growth(async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => postBody('bad', body, product)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    longest = Math.max(...answers.map((answer) => answer.ms));
  }, product);
  proxy.thaw();
  figures.push([
    '60 POSTs of 3.5 MB while PostgreSQL does not respond',
    '2.4 GB, no answer',
    `503 after at most ${ms(longest)}, ${mib} MiB`,
  ]);
});
