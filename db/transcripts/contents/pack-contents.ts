/**
 * What was read from a transcript, as it is stored. Packing takes longer than reading: it is done where the reading is,
 * and not in the thread that answers requests.
 */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Contents, PlacedSecret, Segment } from '../../../core/transcript/contents-reading';
import type { Outline } from '../../../core/transcript/outline';
import { packOutlineBody } from '../../../core/transcript/packed-outline';
import { cutPages } from './outline-pages';
import { packJson, packText } from './pack-json';
import { shapePages } from './shape-outline';

export interface PackedSegment extends Pick<Segment, 'firstEntry' | 'firstLine'> {
  /** As the text of a `tsvector`. */
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
  /** All of them once more, as the pages of this version read them (core/transcript/packed-outline.ts). */
  packedOutline: Uint8Array;
  losses: { entry: number; fromByte: number; data: Uint8Array }[];
  secrets: PlacedSecret[];
}

export function packSegment({ pieces, terms, firstEntry, firstLine }: Segment): PackedSegment {
  const text = JSON.stringify(pieces);
  const sha256 = createHash('sha256').update(text).digest();
  // Terms are letters, digits and one space: nothing in them needs more than quotes. A text of marks has none.
  const vector = terms.map((term) => `'${term}'`).join(' ');
  return { firstEntry, firstLine, terms: vector, body: packText(text), sha256 };
}

export function packContents({ format, outline, losses, secrets }: Contents): PackedContents {
  const { bytes, lines, entries, messages, window, chains, boundaries, compactions } = outline;
  const pages = [...cutPages(outline)];
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
    pages: pages.map(packJson),
    packedOutline: deflateSync(packOutlineBody(shapePages(pages)), { level: 5 }),
    losses: losses.map((loss) => ({
      entry: loss.compaction.entry,
      fromByte: loss.compaction.from,
      data: packJson(loss),
    })),
    secrets,
  };
}
