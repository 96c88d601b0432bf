/** Entries of the API, from their bytes and outline, secrets masked. */

import type { TranscriptFormat } from '../../../core/agents/clients';
import { ENTRY_KINDS } from '../../../core/agents/entry';
import type { TranscriptEntry } from '../../../core/api/transcript-contents';
import type { NumberedSecret } from '../../../core/secrets/numbered-secret';
import { maskEntry } from '../../../core/transcript/contents-reading';
import { JOINED_BYTES } from '../../../core/transcript/join-entries';
import { decodeBytes, readEntry } from '../../../core/transcript/read-entry';
import { MAX_LINE_BYTES } from '../../../core/transcript/split-entries';
import { isoOfSeconds, joinPages, type OutlinePage, PAGE_ENTRIES } from './outline-pages';
import { unpackJson } from './pack-json';
import { createShaper, pairsOf, type Shaper } from './shape-entry';

/** Source bytes per answer; a single entry may exceed it. */
const WINDOW_BYTES = 4 * 1024 * 1024;

export interface SecretRow extends NumberedSecret {
  entry: number;
  line: number;
}

export interface Place {
  from: number;
  to: number;
}

export interface PlacesAsked {
  /** Compressed outline pages with the entries [from, to). */
  pages: readonly Uint8Array[];
  from: number;
  to: number;
}

/** Byte ranges of entries: as many as fit into an answer, at least one. */
export function findPlaces({ pages, from, to }: PlacesAsked): Place[] {
  const { columns, end } = joinPages(pages.map((page) => unpackJson<OutlinePage>(page)));
  const first = firstOf(from);
  const places: Place[] = [];
  const start = columns.from[from - first] ?? 0;
  for (let i = from - first; i < to - first; i += 1) {
    const place = { from: columns.from[i] ?? end, to: columns.from[i + 1] ?? end };
    if (places.length > 0 && place.to - start > WINDOW_BYTES) break;
    places.push(place);
  }
  return places;
}

/** An entry too long to load, shown without content. */
export function isTooLong({ from, to }: Place): boolean {
  return to - from > MAX_LINE_BYTES + JOINED_BYTES;
}

export interface MessagesAsked extends PlacesAsked {
  format: TranscriptFormat;
  /** Keys of the chains, by their number. */
  chains: readonly string[];
  places: readonly Place[];
  /** From the first place to the end of the last. */
  bytes: Uint8Array;
  /** Secrets of these entries, in file order. */
  secrets: readonly SecretRow[];
  raw: boolean;
  full: boolean;
}

export function shapeMessages(asked: MessagesAsked): TranscriptEntry[] {
  const { places, bytes, secrets, from, full } = asked;
  const page = joinPages(asked.pages.map((packed) => unpackJson<OutlinePage>(packed)));
  const start = places[0]?.from ?? 0;
  const byEntry = new Map<number, SecretRow[]>();
  for (const secret of secrets) {
    const known = byEntry.get(secret.entry);
    if (known) known.push(secret);
    else byEntry.set(secret.entry, [secret]);
  }
  const more = { asked, page, shaper: createShaper(full), calls: new Map(page.calls) };
  return places.map((place, i) => {
    const source = bytes.subarray(place.from - start, place.to - start);
    return shape({ ...more, entry: from + i, place, source, secrets: byEntry.get(from + i) ?? [] });
  });
}

interface EntryPart {
  asked: MessagesAsked;
  page: OutlinePage;
  shaper: Shaper;
  calls: ReadonlyMap<number, OutlinePage['calls'][number][1]>;
  entry: number;
  place: Place;
  source: Uint8Array;
  secrets: readonly SecretRow[];
}

function shape({ asked, page, shaper, calls, entry, place, source, secrets }: EntryPart): TranscriptEntry {
  const { format, chains, from } = asked;
  const { columns } = page;
  const i = entry - firstOf(from);
  const line = source.at(-1) === 0x0a ? source.subarray(0, -1) : source;
  const bytes = isTooLong(place) ? null : maskEntry(line, place.from, secrets, format);
  const read = readEntry(bytes, format);
  const pairs = pairsOf(read.blocks, columns.pair[i]);
  const call = calls.get(columns.call[i] ?? -1);
  const standing = calls.get(columns.standing[i] ?? -1);
  const hasRaw = asked.raw || read.kind === 'raw' || read.kind === 'record';
  return {
    entry,
    line: columns.line[i] ?? 0,
    // The outline decides the kind, whatever this parse says.
    kind: ENTRY_KINDS[columns.kind[i] ?? 0] ?? read.kind,
    name: read.name,
    at: isoOfSeconds(columns.at[i] ?? null),
    chain: chains[columns.chain[i] ?? 0] ?? 'main',
    from: place.from,
    to: place.to,
    isMeta: read.isMeta,
    usage: call ? usageOf(call) : null,
    model: call?.model ?? null,
    contextTokens: standing?.contextTokens ?? null,
    blocks: read.blocks.map((block, index) => shaper.block(block, pairs[index] ?? null)),
    raw: hasRaw && bytes !== null ? shaper.text(decodeBytes(bytes)) : null,
    secrets: secrets.map(({ secret, rule, entry: at, line: of }) => ({ secret, rule, entry: at, line: of })),
  };
}

const usageOf = ({ input, output, cacheRead, cacheCreation }: OutlinePage['calls'][number][1]) => ({
  input,
  output,
  cacheRead,
  cacheCreation,
});

const firstOf = (entry: number): number => Math.floor(entry / PAGE_ENTRIES) * PAGE_ENTRIES;
