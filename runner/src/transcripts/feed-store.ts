/** How far each transcript was read, per server and token. One small file per transcript, replaced atomically. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { CallOwners } from '../../../core/agents/agent-format';
import { parseFields } from '../../../core/agents/fields';
import { readJson, readText, replaceFile } from '../private-files';
import { plainPathOf } from './compressed-files';

const feedState = z.object({
  v: z.literal(1),
  /** Of a compressed file, the path of the plain file. */
  path: z.string(),
  session: z.string(),
  project: z.string(),
  offset: z.number().int().nonnegative(),
  /** Fingerprint of the file's first bytes, to detect another file at the same path. */
  print: z.object({ bytes: z.number().int().nonnegative(), sha256: z.string() }),
  /** Fingerprint of the bytes before `offset`, to detect rewritten lines. Empty: unknown. */
  edge: z.string().default(''),
  /** Fingerprint of all lines before `offset`. Empty: unknown. */
  lines: z.string().default(''),
  /** Size and time of the file at the last complete read. Empty: unknown. */
  seen: z.string().default(''),
  /** Size of the compressed file that was read to its end; 0: the file was not compressed. */
  packed: z.number().int().nonnegative().default(0),
  parser: z.unknown(),
  /** Byte at which following started: earlier lines were never sent. */
  joinedAt: z.number().int().nonnegative(),
});
export type FeedState = z.infer<typeof feedState>;

const baseline = z.record(z.string(), z.number());

export class FeedStore {
  readonly owners: CallOwnerFile;
  readonly #folder: string;
  readonly #projects = new Map<string, string>();

  constructor(queueFolder: string, destination: { url: string; token: string | null }) {
    const name = sha256(`2\n${destination.url}\n${destination.token ?? ''}`).slice(0, 16);
    // The leading dot distinguishes this folder from the queues next to it.
    this.#folder = join(queueFolder, '.transcripts', name);
    this.owners = new CallOwnerFile(join(this.#folder, 'calls.jsonl'));
  }

  read(source: string): FeedState | undefined {
    const path = plainPathOf(source);
    const { data } = feedState.safeParse(readJson(this.#fileOf(path)));
    if (data?.path !== path) return undefined;
    this.#projects.set(data.session, data.project);
    return data;
  }

  /** Call this only once the items are in the queue: saved lines are not sent again. */
  write(state: FeedState): void {
    this.owners.save();
    this.#projects.set(state.session, state.project);
    replacePrivate(this.#fileOf(state.path), state);
  }

  /** Project of a session, if this process knows it. All files of a session join one project. */
  projectOf(session: string): string | undefined {
    return this.#projects.get(session);
  }

  /** Sizes of the files that existed before the first watch; null without an earlier watch. */
  readBaseline(root: string): ReadonlyMap<string, number> | null {
    const { data } = baseline.safeParse(readJson(this.#baselineOf(root)));
    return data === undefined ? null : new Map(Object.entries(data));
  }

  /** Time of the first watch of this folder, milliseconds. */
  baselineAt(root: string): number {
    return statSync(this.#baselineOf(root)).mtimeMs;
  }

  /** A later change keeps the time of the first watch. */
  writeBaseline(root: string, sizes: ReadonlyMap<string, number>): void {
    const path = this.#baselineOf(root);
    const before = statSync(path, { throwIfNoEntry: false });
    replacePrivate(path, Object.fromEntries(sizes));
    if (before !== undefined) utimesSync(path, before.atime, before.mtime);
  }

  #fileOf(path: string): string {
    const name = sha256(path);
    return join(this.#folder, name.slice(0, 2), `${name.slice(2, 34)}.json`);
  }

  #baselineOf(root: string): string {
    return join(this.#folder, `baseline-${sha256(root).slice(0, 16)}.json`);
  }
}

function replacePrivate(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, JSON.stringify(value));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const ownedCalls = z.object({ session: z.string(), calls: z.array(z.string()) });
const HASH_DIGITS = 13;

/**
 * Append-only file that names the session in which each line was first seen, because calls that a fork copied must not
 * count twice. It holds 52-bit hashes of the lines' ids, which take an eighth of the memory. The chance that one of a
 * million lines is taken for a copy is about 1 in 10⁴.
 */
class CallOwnerFile implements CallOwners {
  readonly #path: string;
  readonly #owners = new Map<number, string>();
  #unsaved = new Map<string, string[]>();

  constructor(path: string) {
    this.#path = path;
    for (const line of readText(path).split('\n')) this.#load(line);
  }

  claim(record: string, session: string): string {
    const hash = sha256(record).slice(0, HASH_DIGITS);
    const number = Number.parseInt(hash, 16);
    const owner = this.#owners.get(number);
    if (owner !== undefined) return owner;
    this.#owners.set(number, session);
    const calls = this.#unsaved.get(session) ?? [];
    calls.push(hash);
    this.#unsaved.set(session, calls);
    return session;
  }

  save(): void {
    if (this.#unsaved.size === 0) return;
    const lines = [...this.#unsaved].map(([session, calls]) => `${JSON.stringify({ session, calls })}\n`);
    this.#unsaved = new Map();
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    // The leading line feed ends a partial line of a killed process.
    appendFileSync(this.#path, `\n${lines.join('')}`, { mode: 0o600 });
  }

  #load(line: string): void {
    const { data } = ownedCalls.safeParse(parseFields(line));
    for (const hash of data?.calls ?? []) {
      const number = Number.parseInt(hash, 16);
      if (data !== undefined && !this.#owners.has(number)) this.#owners.set(number, data.session);
    }
  }
}
