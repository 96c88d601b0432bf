/** Reads whole transcripts with masked secrets. A quick check of the bytes excludes files without the words of a query. */
import { ENTRY_KINDS } from '../../../core/agents/entry';
import { cutText } from '../../../core/agents/fields';
import { humanText } from '../../../core/agents/human-text';
import { makeTitle } from '../../../core/agents/session-facts';
import {
  type Contents,
  createContentsReading,
  type Segment,
} from '../../../core/transcript/contents-reading';
import { wordsOf } from '../../../core/transcript/words';
import { openTranscript, readParts } from '../archive/transcript-file';
import { isCompressed, readCompressed } from '../transcripts/compressed-files';

export interface ReadTranscript extends Contents {
  /** Texts of the entries that have text, in order. */
  texts: Map<number, string>;
  /** First line that a person typed. */
  title: string | null;
}

/** Number of read transcripts that stay in memory. */
const MAX_KEPT = 3;
const MAX_TITLE = 80;
const OVERLAP = 80;
const USER = ENTRY_KINDS.indexOf('user');
const RECORD = ENTRY_KINDS.indexOf('record');

export function createContentsReader() {
  const kept = new Map<string, { stamp: string; contents: ReadTranscript }>();

  /** @throws what the file system throws */
  return async function readTranscript(path: string): Promise<ReadTranscript> {
    const file = await openTranscript(path);
    try {
      const { size, mtimeMs } = await file.stat();
      const stamp = `${size} ${mtimeMs}`;
      const known = kept.get(path);
      kept.delete(path);
      if (known?.stamp === stamp) {
        kept.set(path, known);
        return known.contents;
      }
      const reading = createContentsReading(path);
      const segments: Segment[] = [];
      const partsOf = () => (isCompressed(path) ? readCompressed(path) : readParts(file, 0, size));
      for await (const part of partsOf()) await reading.scan(part);
      for await (const part of partsOf()) segments.push(...(await reading.read(part)));
      const last = await reading.finish();
      const contents = withTexts(last.contents, [...segments, ...last.segments]);
      kept.set(path, { stamp, contents });
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break;
        kept.delete(oldest);
      }
      return contents;
    } finally {
      await file.close();
    }
  };
}

function withTexts(contents: Contents, segments: readonly Segment[]): ReadTranscript {
  const texts = new Map<number, string>();
  for (const { firstEntry, pieces } of segments) {
    for (const { entry, at, text } of pieces) {
      const known = texts.get(firstEntry + entry) ?? '';
      // Pieces of a long entry overlap.
      texts.set(firstEntry + entry, known.slice(0, at) + text);
    }
  }
  const { kind } = contents.outline.columns;
  // The client's bookkeeping is no history of the conversation.
  for (const entry of texts.keys()) if (kind[entry] === RECORD) texts.delete(entry);
  return { ...contents, texts, title: titleOf(texts, kind) };
}

function titleOf(texts: ReadonlyMap<number, string>, kind: readonly number[]): string | null {
  for (const [entry, text] of texts) {
    const title = kind[entry] === USER ? makeTitle(humanText(text), 0, false) : null;
    if (title !== null) return cutText(title.text, MAX_TITLE);
  }
  return null;
}

/**
 * Whether a file has all ASCII words of a query. Other words are not compared, because JSON may escape them.
 * @throws what the file system throws
 */
export async function mayContain(path: string, query: string): Promise<boolean> {
  const missing = new Set(wordsOf(query).filter((word) => /^[a-z0-9]+$/.test(word)));
  if (missing.size === 0) return true;
  const file = await openTranscript(path);
  try {
    let rest = '';
    const { size } = await file.stat();
    for await (const part of isCompressed(path) ? readCompressed(path) : readParts(file, 0, size)) {
      const text = rest + part.toString('latin1').toLowerCase();
      for (const word of missing) if (text.includes(word)) missing.delete(word);
      if (missing.size === 0) return true;
      rest = text.slice(-OVERLAP);
    }
    return false;
  } finally {
    await file.close();
  }
}
