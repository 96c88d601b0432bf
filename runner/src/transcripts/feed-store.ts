/**
 * How far each transcript was read, for one destination: another server, or the same one with another token (a new
 * database), starts from nothing. One small file per transcript, replaced in one step.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { CallOwners } from '../../../core/agents/agent-format';
import type { FeedState } from './transcript-feed';

const feedState = z.object({
  v: z.literal(1),
  path: z.string(),
  session: z.string(),
  project: z.string(),
  offset: z.number().int().nonnegative(),
  print: z.object({ bytes: z.number().int().nonnegative(), sha256: z.string() }),
  parser: z.unknown(),
  joinedAt: z.number().int().nonnegative(),
});

const baseline = z.record(z.string(), z.number());

export class FeedStore {
  readonly folder: string;
  readonly owners: CallOwnerFile;
  readonly #projects = new Map<string, string>();

  constructor(queueFolder: string, destination: { url: string; token: string | null }) {
    const name = sha256(`${destination.url}\n${destination.token ?? ''}`).slice(0, 16);
    // The leading dot keeps it apart from the queues beside it.
    this.folder = join(queueFolder, '.transcripts', name);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.owners = new CallOwnerFile(join(this.folder, 'calls.jsonl'));
  }

  read(path: string): FeedState | undefined {
    const parsed = feedState.safeParse(readJson(this.#fileOf(path)));
    if (!parsed.success || parsed.data.path !== path) return undefined;
    this.#projects.set(parsed.data.session, parsed.data.project);
    return parsed.data;
  }

  /** To be called once the items are in the queue: saved lines are not handed over again. */
  write(state: FeedState): void {
    this.owners.save();
    this.#projects.set(state.session, state.project);
    replace(this.#fileOf(state.path), JSON.stringify(state));
  }

  /** Project of a session, where this process knows it: all files of a session join the same. */
  projectOf(session: string): string | undefined {
    return this.#projects.get(session);
  }

  /** Sizes of the files that existed before the first watch; null before it. */
  readBaseline(root: string): Map<string, number> | null {
    const parsed = baseline.safeParse(readJson(this.#baselineOf(root)));
    return parsed.success ? new Map(Object.entries(parsed.data)) : null;
  }

  writeBaseline(root: string, sizes: ReadonlyMap<string, number>): void {
    replace(this.#baselineOf(root), JSON.stringify(Object.fromEntries(sizes)));
  }

  #fileOf(path: string): string {
    const name = sha256(path);
    const folder = join(this.folder, name.slice(0, 2));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${name.slice(2, 34)}.json`);
  }

  #baselineOf(root: string): string {
    return join(this.folder, `baseline-${sha256(root).slice(0, 16)}.json`);
  }
}

const HASH_DIGITS = 13;

/**
 * Append-only file of the session each call was first seen in, over all runs: a fork copies its parent's lines into
 * another file, and those calls must not count twice. Holds 52-bit hashes of the call ids, in memory too: a chance of
 * about 1 in 10⁴ that one of a million calls is taken for a copy, for an eighth of the memory.
 */
class CallOwnerFile implements CallOwners {
  readonly #path: string;
  readonly #owners = new Map<number, number>();
  readonly #sessions: string[] = [];
  readonly #numbers = new Map<string, number>();
  #unsaved = new Map<string, string[]>();

  constructor(path: string) {
    this.#path = path;
    for (const line of readTextFile(path).split('\n')) this.#load(line);
  }

  claim(call: string, session: string): string {
    const hash = sha256(call).slice(0, HASH_DIGITS);
    const number = Number.parseInt(hash, 16);
    const owner = this.#owners.get(number);
    if (owner !== undefined) return this.#sessions[owner] ?? session;
    this.#owners.set(number, this.#numberOf(session));
    const calls = this.#unsaved.get(session);
    if (calls === undefined) this.#unsaved.set(session, [hash]);
    else calls.push(hash);
    return session;
  }

  /** Append the claims since the last save. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    const lines = [...this.#unsaved].map(([session, calls]) => `${JSON.stringify({ session, calls })}\n`);
    this.#unsaved = new Map();
    // The leading line feed ends a partial line of a killed process.
    appendFileSync(this.#path, `\n${lines.join('')}`, { mode: 0o600 });
  }

  #load(line: string): void {
    if (line === '') return;
    let entry: { session?: unknown; calls?: unknown };
    try {
      entry = JSON.parse(line) as typeof entry;
    } catch {
      return;
    }
    if (typeof entry.session !== 'string' || !Array.isArray(entry.calls)) return;
    const session = this.#numberOf(entry.session);
    for (const hash of entry.calls) {
      const number = Number.parseInt(String(hash), 16);
      if (!this.#owners.has(number)) this.#owners.set(number, session);
    }
  }

  #numberOf(session: string): number {
    const known = this.#numbers.get(session);
    if (known !== undefined) return known;
    const number = this.#sessions.push(session) - 1;
    this.#numbers.set(session, number);
    return number;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readTextFile(path));
  } catch {
    return null;
  }
}
