import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readArchiveIndex } from '../archive/archive-index';
import { createContentsReader, mayContain } from '../mcp/read-contents';
import { settingsOf } from '../testing/settings';
import { archiveRows } from '../upload/archive-rows';
import { collectSources } from './collect-sources';
import { readCompressed } from './compressed-files';
import { FeedStore } from './feed-store';
import { importTranscripts } from './import-transcripts';
import { readLines } from './read-lines';
import { prepareWatch } from './testing/prepare-watch';
import { RecordingClients } from './testing/recording-clients';

const ID = '019c8a4c-0000-7000-8000-00000000000a';
const KEY = `codex:${ID}`;
const NAME = `rollout-2026-03-01T10-00-00-${ID}.jsonl`;
const BLOCK_BYTES = 100;

let home: string;
let plain: string;
let packed: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'barograph-compressed-'));
  mkdirSync(join(home, 'sessions'));
  plain = join(home, 'sessions', NAME);
  packed = `${plain}.zst`;
});
afterEach(() => rmSync(home, { recursive: true }));

/** A frame of Zstandard with stored blocks (RFC 8878). */
function compress(text: string, window = 10 << 3): Buffer {
  const bytes = Buffer.from(text);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_BYTES) {
    const part = bytes.subarray(at, at + BLOCK_BYTES);
    const header = Buffer.alloc(3);
    header.writeUIntLE((part.length << 3) | Number(at + BLOCK_BYTES >= bytes.length), 0, 3);
    blocks.push(header, part);
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]), ...blocks]);
}

const line = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: '2026-03-01T10:00:00.000Z', type, payload })}\n`;
const HEAD = line('session_meta', { id: ID, cwd: '/home/dev/harbour', cli_version: '0.169.0' });
function call(number: number): string {
  const last = { input_tokens: 1_000, output_tokens: 10, total_tokens: 1_010 };
  const total = { total_tokens: 1_010 * number };
  const info = { total_token_usage: total, last_token_usage: last, model_context_window: 258_400 };
  return line('event_msg', { type: 'token_count', info });
}
const TWO_CALLS = HEAD + call(1) + call(2);

async function runImport(...paths: string[]) {
  const clients = new RecordingClients();
  const settings = settingsOf({ BAROGRAPH_DATA_DIR: join(home, 'data') });
  const { sessions, skipped } = await collectSources(paths.length > 0 ? paths : [join(home, 'sessions')]);
  const summary = await importTranscripts(sessions, {
    ...{ settings, clients, again: false, onProgress: () => undefined, signal: new AbortController().signal },
    store: new FeedStore(settings.queueFolder, { url: 'http://127.0.0.1:4750', token: 'bg_test' }),
  });
  return { clients, summary, skipped };
}

/** The client compresses the file and removes the plain form. */
function replace(text: string, plainFile = plain): void {
  writeFileSync(`${plainFile}.zst`, compress(text));
  rmSync(plainFile, { force: true });
}

describe('a compressed file', () => {
  it('has the content that the program zstd compressed', async () => {
    const text =
      'KLUv/QRYvQEA1AJTb3VuZCB0aGUgZGVwdGhzIG9maGFyYm91ciwgcy4KVHdlbHZlIHNhaWxzLgoCAEQJNIQZBvxCQ4o=';
    writeFileSync(packed, Buffer.from(text, 'base64'));
    const parts: Buffer[] = [];
    for await (const part of readCompressed(packed)) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe(
      'Sound the depths of the harbour, sound the depths of the harbour.\nTwelve sails.\n',
    );
  });

  it('has the lines and offsets of the plain file', async () => {
    const text = HEAD + Array.from({ length: 300 }, (_, number) => call(number)).join('');
    writeFileSync(plain, text);
    writeFileSync(packed, compress(text));
    const read = async (path: string, from: number, to: number) => {
      const lines: string[] = [];
      let end = from;
      for await (const batch of readLines(path, { from, to })) {
        lines.push(...batch.lines);
        end = batch.offset;
      }
      return { lines, end };
    };
    for (const [from, to] of [
      [0, text.length],
      [HEAD.length, text.length],
      [HEAD.length, text.length - 20],
      [text.length, text.length + 9],
    ] as const)
      expect(await read(packed, from, to)).toEqual(await read(plain, from, to));
  });

  it('is searched and shown like a plain file', async () => {
    writeFileSync(packed, compress(TWO_CALLS));
    expect(await mayContain(packed, 'harbour')).toBe(true);
    expect(await mayContain(packed, 'lighthouse')).toBe(false);
    expect((await createContentsReader()(packed)).outline.calls).toHaveLength(2);
  });
});

describe('barograph import', () => {
  it.each(['its folder', 'its own path'])('reads a compressed rollout, given %s', async (given) => {
    writeFileSync(packed, compress(TWO_CALLS));
    const { clients, skipped, summary } = await runImport(...(given === 'its folder' ? [] : [packed]));
    expect(skipped).toEqual([]);
    expect(summary.sessions).toBe(1);
    expect(clients.measure(KEY).main).toMatchObject({ calls: 2, input: 2_000 });
    expect((await runImport()).summary.files).toMatchObject({ read: 0, unchanged: 1 });
  });

  it('reads a rollout once that exists in both forms', async () => {
    writeFileSync(plain, TWO_CALLS);
    writeFileSync(packed, compress(TWO_CALLS));
    expect((await runImport()).clients.itemsOf('turn')).toHaveLength(2);
    expect((await runImport(packed, plain)).clients.items).toEqual([]);
  });

  it('sends only new lines after the client compressed the file, and after it decompressed the file', async () => {
    writeFileSync(plain, TWO_CALLS);
    await runImport();
    replace(TWO_CALLS);
    expect((await runImport()).clients.items).toEqual([]);
    replace(TWO_CALLS + call(3));
    expect((await runImport()).clients.itemsOf('turn')).toHaveLength(1);
    rmSync(packed);
    writeFileSync(plain, TWO_CALLS + call(3) + call(4));
    expect((await runImport()).clients.itemsOf('turn')).toHaveLength(1);
    expect((await runImport()).summary.files).toMatchObject({ read: 0, unchanged: 1 });
  });

  it('starts over if the compressed file has another start', async () => {
    writeFileSync(packed, compress(TWO_CALLS));
    await runImport();
    writeFileSync(packed, compress(TWO_CALLS.replace('0.169.0', '0.170.0') + call(3)));
    expect((await runImport()).clients.itemsOf('turn')).toHaveLength(3);
  });

  it.each([
    ['is empty', Buffer.alloc(0), /no Zstandard frame/],
    ['is no Zstandard file', Buffer.from('Twelve sails'), /no Zstandard frame/],
    ['is cut in its first line', compress(TWO_CALLS).subarray(0, 50), /unexpected EOF/],
    ['states a huge window', compress(TWO_CALLS, 20 << 3), /window is too large/],
  ])('names a compressed rollout that %s', async (_, bytes, reason) => {
    writeFileSync(packed, bytes);
    const { skipped } = await runImport();
    expect(skipped).toEqual([{ path: packed, reason: expect.stringMatching(reason), isFault: true }]);
  });

  it('names a compressed rollout that is cut after some calls', async () => {
    const text = TWO_CALLS + Array.from({ length: 900 }, (_, number) => call(number + 3)).join('');
    writeFileSync(packed, compress(text).subarray(0, -5));
    const { summary } = await runImport();
    expect(summary.files.failed).toEqual([{ path: packed, reason: expect.stringMatching(/unexpected EOF/) }]);
  });
});

it('archives the lines up to each compaction of a compressed rollout in a plain file', async () => {
  const compacted = line('compacted', { message: 'Summary', window_id: 'w2' });
  writeFileSync(packed, compress(TWO_CALLS + compacted + call(3)));
  const configFolder = join(home, 'config');
  const about = { session: KEY, clientSessionId: ID, folder: '/home/dev/harbour', project: 'harbour' };
  const { clients } = await runImport();
  const compactions = clients.itemsOf('compaction');
  for (let times = 0; times < 2; times += 1)
    await archiveRows({ ...about, path: packed, configFolder, now: 0 }, compactions);
  const { entries } = await readArchiveIndex(configFolder);
  expect(entries).toMatchObject([{ session: KEY, boundary: 'w2', state: 'stored', upload: 'pending' }]);
  expect(readFileSync(entries[0]?.archive ?? '', 'utf8')).toBe(TWO_CALLS + compacted);
});

describe('barograph watch', () => {
  const used = prepareWatch();
  const own = () => join(used.home, 'sessions');
  const OTHER = NAME.replaceAll('00000000000a', '00000000000b');

  it('continues a rollout that the client compresses', async () => {
    mkdirSync(own());
    const { clients } = await used.watch(own());
    const file = join(own(), NAME);
    writeFileSync(file, TWO_CALLS);
    await clients.until(() => clients.itemsOf('turn').length === 2);
    replace(TWO_CALLS + call(3), file);
    await clients.until(() => clients.itemsOf('turn').length === 3);
    expect(clients.measure(KEY).main).toMatchObject({ calls: 3 });
    expect(clients.itemsOf('session_start')).toHaveLength(1);
  });

  it('reports nothing of a rollout that ended before the first watch, whenever it is compressed', async () => {
    mkdirSync(own());
    const file = join(own(), NAME);
    writeFileSync(file, TWO_CALLS);
    writeFileSync(join(own(), `${OTHER}.zst`), compress(TWO_CALLS.replaceAll(ID, ID.replace(/a$/, 'b'))));
    const first = await used.watch(own());
    replace(TWO_CALLS, file);
    const next = join(own(), NAME.replaceAll('00000000000a', '00000000000c'));
    writeFileSync(next, TWO_CALLS.replaceAll(ID, ID.replace(/a$/, 'c')));
    await first.clients.until(() => first.clients.itemsOf('turn').length === 2);
    await first.watcher.stop();
    expect(new Set(first.clients.items.map(({ session }) => session))).toEqual(
      new Set([KEY.replace(/a$/, 'c')]),
    );
    const second = await used.watch(own());
    expect(second.clients.items).toEqual([]);
    await second.watcher.stop();
  });

  it('names a damaged rollout once', async () => {
    mkdirSync(own());
    const problems: string[] = [];
    const noted = new EventEmitter();
    const found = once(noted, 'problem');
    const { clients } = await used.watch(own(), {
      onProblem: (path, reason) => {
        problems.push(`${path}: ${reason}`);
        noted.emit('problem');
      },
    });
    const damaged = `${join(own(), OTHER)}.zst`;
    writeFileSync(damaged, 'Twelve sails');
    await found;
    writeFileSync(join(own(), NAME), TWO_CALLS);
    await clients.until(() => clients.itemsOf('turn').length === 2);
    writeFileSync(join(own(), NAME), TWO_CALLS + call(3));
    await clients.until(() => clients.itemsOf('turn').length === 3);
    expect(problems).toEqual([`${damaged}: it cannot be decompressed: it has no Zstandard frame`]);
  });
});
