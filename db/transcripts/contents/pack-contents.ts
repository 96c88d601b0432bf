/** The stored form of a transcript's content. Packing takes longer than reading, so both run in the same thread. */
import { createHash } from 'node:crypto';
import type { Contents, PlacedSecret, Segment } from '../../../core/transcript/contents-reading';
import type { Outline } from '../../../core/transcript/outline';
import { packJson, packPages } from './outline-pages';

export interface PackedSegment extends Pick<Segment, 'firstEntry' | 'firstLine'> {
  /** Text of a `tsvector`. */
  terms: string;
  body: Uint8Array;
  sha256: string;
}

export interface PackedContents extends Omit<Outline, 'columns' | 'calls'> {
  format: Contents['format'];
  pages: Uint8Array[];
  losses: { entry: number; fromByte: number; data: Uint8Array }[];
  secrets: PlacedSecret[];
}

export function packSegment({ pieces, terms, firstEntry, firstLine }: Segment): PackedSegment {
  const sha256 = createHash('sha256').update(JSON.stringify(pieces)).digest('hex');
  // Terms contain only letters, digits and combining marks, so quotes are enough. Punctuation has no terms.
  const vector = terms.map((term) => `'${term}'`).join(' ');
  return { firstEntry, firstLine, terms: vector, body: packJson(pieces), sha256 };
}

export function packContents({ format, outline, losses, secrets }: Contents): PackedContents {
  const { columns: _columns, calls: _calls, ...head } = outline;
  return {
    ...head,
    format,
    pages: packPages(outline),
    losses: losses.map((loss) => {
      const { entry, from } = loss.compaction;
      return { entry, fromByte: from, data: packJson(loss) };
    }),
    secrets,
  };
}
