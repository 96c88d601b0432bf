import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { ApiEnv } from './api';
import { readPaced, saveBytes, saveList } from './files';

const session = {
  id: 1,
  publicId: 'public-id',
  title: null,
  project: 'p',
  lens: 'snapshot',
  version: 1,
} as const;

/** Download `bytes` bytes that are stored under `name`. */
async function download(name: string, bytes: number, headers: Record<string, string> = {}) {
  const app = new Hono<ApiEnv>().get('/', (c) =>
    saveBytes(c, {
      name,
      bytes,
      sha256: 'ab',
      onRead: () => Promise.resolve(),
      async *read(from, to) {
        yield Buffer.alloc(to - from, 'x');
      },
    }),
  );
  const response = await app.request('/', { headers });
  return { response, header: (key: string) => response.headers.get(key), text: await response.text() };
}

test.each([
  ['session.jsonl', 'session.jsonl'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\x.txt', 'x.txt'],
  ['.bashrc', 'bashrc'],
  ['..', 'transcript'],
  ['', 'transcript'],
  ['a\r\nSet-Cookie: x', 'a__Set-Cookie_ x'],
  ['"; filename=evil', '_; filename=evil'],
  ['\u202egpj.exe', '_gpj.exe'],
  ['%2e%2e%2f', '_2e_2e_2f'],
  ["ä'(1).jsonl", `_'(1).jsonl"; filename*=UTF-8''%C3%A4%27%281%29.jsonl`],
])('saves %j under the file name %j', async (given, name) => {
  const { header } = await download(given, 1);
  expect(`${header('content-disposition')}"`).toContain(`attachment; filename="${name}"`);
});

test.each([
  ['bytes=0-0', 'bytes 0-0/100'],
  ['bytes=10-19', 'bytes 10-19/100'],
  ['bytes=90-', 'bytes 90-99/100'],
  ['bytes=90-1000', 'bytes 90-99/100'],
  ['bytes=-5', 'bytes 95-99/100'],
  ['bytes=-500', 'bytes 0-99/100'],
  ...['', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=a-b'].map((all) => [
    all,
    null,
  ]),
  ['bytes=100-', 'bytes */100'],
  ['bytes=100-200', 'bytes */100'],
  ['bytes=-0', 'bytes */100'],
  ['bytes=0-', 'bytes */0', 0],
] as [string, string | null, number?][])(
  'answers the range %s with %s',
  async (Range, answered, bytes = 100) => {
    const { response, header, text } = await download('x', bytes, { Range });
    expect(header('content-range')).toBe(answered);
    expect(response.status).toBe(answered === null ? 200 : answered.includes('*') ? 416 : 206);
    if (response.ok) expect(text.length).toBe(Number(header('content-length')));
  },
);

/** Save a list of the numbers 1 … `count`; `asked` records the limit of each page read. */
async function save(count: number, format: 'csv' | 'json', limit?: number) {
  const asked: number[] = [];
  const app = new Hono<ApiEnv>().get('/', (c) =>
    saveList(c, { limit } as { cursor?: string; limit?: number }, {
      name: 'turns',
      session,
      format,
      columns: [['n', (n: number) => n]] as const,
      read: ({ cursor = '0', limit: wanted = 1 }) => {
        const from = Number(cursor);
        asked.push(wanted);
        const entries = Array.from({ length: Math.min(wanted, count - from) }, (_, i) => from + i + 1);
        const end = from + entries.length;
        return Promise.resolve({ entries, nextCursor: end < count ? String(end) : null });
      },
    }),
  );
  return { response: await app.request('/'), asked };
}

test.each([0, 250])('writes each of %d entries once, over all pages', async (count) => {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const csv = await (await save(count, 'csv')).response.text();
  expect(csv).toBe(['n', ...numbers, ''].join('\r\n'));
  const json = await (await save(count, 'json')).response.json();
  expect(json).toEqual({ sessionId: 'public-id', turns: numbers, nextCursor: null });
});

test('reads a page only after the previous page was sent', async () => {
  const { response, asked } = await save(1_000_000, 'csv');
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.read();
  expect(asked).toHaveLength(1);
  await reader?.read();
  expect(asked).toHaveLength(2);
  await reader?.cancel();
});

test('reads for one export at a time, also after a failure', async () => {
  const events: string[] = [];
  const read = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise(setImmediate);
    events.push(`${name} ends`);
    if (name === 'bad') throw new Error('no database');
  };
  await Promise.allSettled(['bad', 'good'].map((name) => readPaced(read(name))));
  expect(events).toEqual(['bad begins', 'bad ends', 'good begins', 'good ends']);
});

test('stops at the limit, with the cursor of the next entry in JSON', async () => {
  const { response, asked } = await save(5_000, 'json', 250);
  const body = (await response.json()) as { turns: number[] };
  expect(asked).toEqual([100, 100, 50]);
  expect(body).toMatchObject({ nextCursor: '250' });
  expect([body.turns.length, body.turns.at(-1)]).toEqual([250, 250]);
});
