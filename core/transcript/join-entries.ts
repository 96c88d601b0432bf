/**
 * Joins lines of which no page needs each by itself: blank lines that follow one another, and, once a file has more
 * entries than a page can hold, all that follows, in pieces. Every byte stays in exactly one entry. It owns the lines
 * of the entry at hand.
 */
import type { EntryBytes } from './split-entries';

export interface EntryJoiner {
  /** The entries that are whole with these lines. */
  push(parts: readonly EntryBytes[]): EntryBytes[];
  end(): EntryBytes[];
}

export interface JoinOptions {
  /** Whether each blank line is an entry: it is a line of a text. */
  keepsBlanks: boolean;
  /** Entries, one by one. */
  most?: number;
  /** Of an entry of joined lines. */
  bytes?: number;
}

/** What a browser holds as an outline: some hundred megabytes of an agent's work. */
const MAX_SINGLE_ENTRIES = 1_000_000;
export const JOINED_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

export function createEntryJoiner({
  keepsBlanks,
  most = MAX_SINGLE_ENTRIES,
  bytes: maxBytes = JOINED_BYTES,
}: JoinOptions): EntryJoiner {
  let held: EntryBytes[] = [];
  let size = 0;
  let isBlankRun = false;
  let made = 0;

  const flush = (into: EntryBytes[]): void => {
    const joined = join(held);
    if (joined === null) return;
    into.push(joined);
    made += 1;
    held = [];
    size = 0;
  };
  const hold = (part: EntryBytes, into: EntryBytes[]): void => {
    held.push(part);
    size += part.to - part.from;
    if (size >= maxBytes) flush(into);
  };

  return {
    push(parts) {
      const whole: EntryBytes[] = [];
      for (const part of parts) {
        if (made >= most) {
          // A line without bytes is an entry of its own: only its place is known.
          if (part.bytes === null || isBlankRun) flush(whole);
          isBlankRun = false;
          hold(part, whole);
          if (part.bytes === null) flush(whole);
          continue;
        }
        const isBlank = !keepsBlanks && isBlankLine(part.bytes);
        if (!isBlank || !isBlankRun) flush(whole);
        isBlankRun = isBlank;
        hold(part, whole);
        if (!isBlank) flush(whole);
      }
      return whole;
    },
    end() {
      const last: EntryBytes[] = [];
      flush(last);
      return last;
    },
  };
}

function isBlankLine(bytes: Uint8Array | null): boolean {
  return bytes !== null && (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d));
}

function join(parts: readonly EntryBytes[]): EntryBytes | null {
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return null;
  if (parts.length === 1) return first;
  const all = new Uint8Array(last.to - first.from);
  for (const { from, to, bytes } of parts) {
    if (bytes === null) continue;
    all.set(bytes, from - first.from);
    // What is behind a line's bytes is its line feed.
    if (to - from > bytes.length) all[to - 1 - first.from] = LINE_FEED;
  }
  const hasFeed = all.at(-1) === LINE_FEED && (last.bytes?.length ?? 0) < last.to - last.from;
  return {
    line: first.line,
    from: first.from,
    to: last.to,
    bytes: hasFeed ? all.subarray(0, -1) : all,
    lines: last.line - first.line + 1,
  };
}
