/**
 * How far each transcript was read, for one destination: another server, or the same one with another
 * token (a new database), starts from nothing. One small file per transcript, replaced in one step.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CallOwnerFile } from './call-owner-file';
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
    const name = hash(`${destination.url}\n${destination.token ?? ''}`).slice(0, 16);
    // The dot keeps it from the queues, which lie beside it.
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

  /** Call it once the items are in the queue: what is saved is not handed over again. */
  write(state: FeedState): void {
    this.owners.save();
    this.#projects.set(state.session, state.project);
    replace(this.#fileOf(state.path), JSON.stringify(state));
  }

  /** The project a session joined, where this process knows it: all files of a session join the same. */
  projectOf(session: string): string | undefined {
    return this.#projects.get(session);
  }

  /** Sizes of files that were there before they were first followed; null before the first watch. */
  readBaseline(root: string): Map<string, number> | null {
    const parsed = baseline.safeParse(readJson(this.#baselineOf(root)));
    return parsed.success ? new Map(Object.entries(parsed.data)) : null;
  }

  writeBaseline(root: string, sizes: ReadonlyMap<string, number>): void {
    replace(this.#baselineOf(root), JSON.stringify(Object.fromEntries(sizes)));
  }

  #fileOf(path: string): string {
    const name = hash(path);
    const folder = join(this.folder, name.slice(0, 2));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${name.slice(2, 34)}.json`);
  }

  #baselineOf(root: string): string {
    return join(this.folder, `baseline-${hash(root).slice(0, 16)}.json`);
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
