/**
 * Which session each call was first seen in, over all runs: a fork copies its parent's lines into another
 * file, and those calls must not count twice.
 *
 * It owns an append-only file, one JSON line per session and batch, with 52-bit hashes of the call ids,
 * and the same in memory. It trades a chance of about 1 in 10⁴ that one of a million calls is taken for a
 * copy for 8 times less memory than the ids themselves.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import type { CallOwners } from '../adapters/format';

const HASH_DIGITS = 13;

export class CallOwnerFile implements CallOwners {
  readonly #path: string;
  readonly #owners = new Map<number, number>();
  readonly #sessions: string[] = [];
  readonly #numbers = new Map<string, number>();
  #unsaved = new Map<string, string[]>();

  constructor(path: string) {
    this.#path = path;
    for (const line of readTextIfThere(path).split('\n')) this.#load(line);
  }

  claim(call: string, session: string): string {
    const hash = createHash('sha256').update(call).digest('hex').slice(0, HASH_DIGITS);
    const number = Number.parseInt(hash, 16);
    const owner = this.#owners.get(number);
    if (owner !== undefined) return this.#sessions[owner] ?? session;
    this.#owners.set(number, this.#numberOf(session));
    const calls = this.#unsaved.get(session);
    if (calls === undefined) this.#unsaved.set(session, [hash]);
    else calls.push(hash);
    return session;
  }

  /** Writes what was claimed since. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    const lines = [...this.#unsaved].map(([session, calls]) => `${JSON.stringify({ session, calls })}\n`);
    this.#unsaved = new Map();
    // A leading line feed ends half a line that a killed process may have left.
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

function readTextIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
