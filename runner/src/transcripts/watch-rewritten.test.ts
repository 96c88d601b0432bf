import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { prepareWatch } from './testing/prepare-watch';
import { RecordingClients } from './testing/recording-clients';
import { callLine, promptLine, SESSION_ID } from './testing/write-transcript';

const KEY = `claude-code:${SESSION_ID}`;
/** Longer than the part of a file's start and end that a read compares. */
const LONG = 3_000;
const used = prepareWatch();
let root: string;
let file: string;

beforeEach(() => {
  root = join(used.home, 'projects');
  file = join(root, '-home-dev-harbour', `${SESSION_ID}.jsonl`);
  mkdirSync(join(root, '-home-dev-harbour'), { recursive: true });
});

const padded = (id: string, output: number, pad: number) =>
  callLine(id, output).replace('"content":[]', `"content":"${'x'.repeat(pad)}"`);
const HEAD = promptLine('Open the sluice '.repeat(100));
const FIRST = HEAD + padded('msg_1', 100, 400) + padded('msg_2', 200, 400);
const all = (pad: number, grown = 0) =>
  HEAD + padded('msg_1', 100, pad + grown) + padded('msg_2', 200, pad) + padded('msg_3', 300, pad);

/** Give the file a later time than before on every file system. */
let later = Date.now() / 1000;
function touch(): void {
  later += 10;
  utimesSync(file, later, later);
}

function rewrite(text: string): void {
  writeFileSync(file, text);
  touch();
}

const REWRITTEN: [string, string][] = [
  ['shorter', all(10)],
  ['larger', all(900)],
  ['of the same size', HEAD + padded('msg_2', 200, 400) + padded('msg_3', 300, 400)],
  ['with an early line that grew', all(400, 37)],
];

it.each(REWRITTEN)('reads a file again that was rewritten in place, %s', async (_, text) => {
  writeFileSync(file, FIRST);
  const { clients } = await used.watch(root, { fromStart: true });
  await clients.until(() => clients.calls().length === 2);
  rewrite(text);
  await clients.until(() => clients.calls().length === 3);
  expect(clients.measure(KEY).main).toMatchObject({ calls: 3, output: 600 });
});

it('reads a file again that was replaced by another', async () => {
  writeFileSync(file, FIRST);
  const { clients } = await used.watch(root, { fromStart: true });
  await clients.until(() => clients.calls().length === 2);
  writeFileSync(`${file}.new`, all(900));
  renameSync(`${file}.new`, file);
  await clients.until(() => clients.calls().length === 3);
  expect(clients.measure(KEY).main).toMatchObject({ calls: 3, output: 600 });
});

const withMiddle = (id: string) => HEAD + padded(id, 100, LONG) + padded('msg_9', 900, LONG);

it('reads a file again if only bytes in its middle and its time changed, also between two watches', async () => {
  rewrite(withMiddle('msg_1'));
  const { clients, watcher } = await used.watch(root, { fromStart: true });
  await clients.until(() => clients.calls().length === 2);
  rewrite(withMiddle('msg_2'));
  await clients.until(() => clients.calls().includes('msg_2'));
  await watcher.stop();
  rewrite(withMiddle('msg_3'));
  const second = new RecordingClients();
  await used.watch(root, { clients: second });
  await second.until(() => second.calls().length === 2);
  expect(second.calls()).toEqual(['msg_3', 'msg_9']);
});

it.each([
  ['a file', { fromStart: true }, 2],
  ['a file that the first watch skipped', { fromStart: false }, 0],
])('sends nothing if only the time of %s changed', async (_, options, calls) => {
  rewrite(withMiddle('msg_1'));
  const { clients } = await used.watch(root, options);
  await clients.until(() => clients.calls().length === calls);
  const ofFile = () => clients.items.filter(({ session }) => session === KEY).length;
  const before = ofFile();
  touch();
  const other = '22222222-2222-4222-8222-222222222222';
  const beside = file.replace(SESSION_ID, other);
  writeFileSync(beside, callLine('msg_o', 3).replaceAll(SESSION_ID, other));
  await clients.until(() => clients.calls().includes('msg_o'));
  expect(ofFile()).toBe(before);
});
