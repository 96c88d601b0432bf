/** The stored form of what was read from a transcript. Packing takes longer than reading, so it runs in the same thread. */
import { createHash } from 'node:crypto';
import type { Contents, PlacedSecret, Segment } from '../../../core/transcript/contents-reading';
import type { Outline } from '../../../core/transcript/outline';
import { cutPages } from './outline-pages';
import { packJson, packText } from './pack-json';

export interface PackedSegment extends Pick<Segment, 'firstEntry' | 'firstLine'> {
  /** Text of a `tsvector`. */
  terms: string;
  body: Uint8Array;
  /** Of the body before compression. */
  sha256: Uint8Array;
}

export interface PackedContents
  extends Pick<
    Outline,
    'bytes' | 'lines' | 'entries' | 'messages' | 'window' | 'chains' | 'boundaries' | 'compactions'
  > {
  format: Contents['format'];
  pages: Uint8Array[];
  losses: { entry: number; fromByte: number; data: Uint8Array }[];
  secrets: PlacedSecret[];
}

export function packSegment({ pieces, terms, firstEntry, firstLine }: Segment): PackedSegment {
  const text = JSON.stringify(pieces);
  const sha256 = createHash('sha256').update(text).digest();
  // Terms are letters, digits and one space, so quotes are enough. Text of punctuation has no terms.
  const vector = terms.map((term) => `'${term}'`).join(' ');
  return { firstEntry, firstLine, terms: vector, body: packText(text), sha256 };
}

export function packContents({ format, outline, losses, secrets }: Contents): PackedContents {
  const { bytes, lines, entries, messages, window, chains, boundaries, compactions } = outline;
  return {
    format,
    bytes,
    lines,
    entries,
    messages,
    window,
    chains,
    boundaries,
    compactions,
    pages: [...cutPages(outline)].map(packJson),
    losses: losses.map((loss) => ({
      entry: loss.compaction.entry,
      fromByte: loss.compaction.from,
      data: packJson(loss),
    })),
    secrets,
  };
}
