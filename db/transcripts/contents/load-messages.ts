import type postgres from 'postgres';
import type { TranscriptEntry, TranscriptMessages } from '../../../core/api/transcript-contents';
import type { NumberedSecret } from '../../../core/secrets/numbered-secret';
import { maskEntry } from '../../../core/transcript/contents-reading';
import { ENTRY_KINDS } from '../../../core/transcript/entry-kinds';
import { decodeBytes, readEntry } from '../../../core/transcript/read-entry';
import { MAX_LINE_BYTES } from '../../../core/transcript/split-entries';
import type { TranscriptStore } from '../transcript-store';
import type { ContentsRow } from './find-contents';
import { isoOfSeconds, loadPages } from './load-outline';
import { joinPages, type OutlinePage, PAGE_ENTRIES } from './outline-pages';
import { createShaper, pairsOf, type Shaper } from './shape-entry';

export interface MessagesWindow {
  from: number;
  count: number;
  /** With the source of each line. */
  raw: boolean;
  /** Texts and pictures whole. */
  full: boolean;
}

/** Source bytes of one answer; one entry may have more. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Entries with their text, secrets masked. */
export async function loadMessages(
  sql: postgres.Sql,
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
  window: MessagesWindow,
): Promise<TranscriptMessages> {
  const answer = { id: row.publicId, state: row.state, reason: row.reason, entries: [], next: null };
  const from = window.from;
  const to = Math.min(row.entries, from + window.count);
  if (row.state !== 'read' || row.format === null || from >= to) return answer;
  const page = joinPages(await loadPages(sql, row.transcriptId, from, to));
  const first = Math.floor(from / PAGE_ENTRIES) * PAGE_ENTRIES;
  const places = placesOf(page, from - first, to - first);
  const start = places[0]?.from ?? 0;
  const end = places.at(-1)?.to ?? start;
  const last = from + places.length;
  const [bytes, secrets] = await Promise.all([
    // One that is too long stands alone and is shown by its place: its bytes are read by nobody.
    places.some(isTooLong) ? Buffer.alloc(0) : collect(store.read(row.transcriptId, start, end)),
    loadSecrets(sql, row.transcriptId, from, last),
  ]);
  const shaper = createShaper(window.full);
  const calls = new Map(page.calls);
  const entries = places.map((place, i) => {
    const own = secrets.filter((secret) => secret.entry === from + i);
    const source = bytes.subarray(place.from - start, place.to - start);
    const part = { row, entry: from + i, place, source, secrets: own, raw: window.raw, shaper, calls };
    return shape(part, page, from - first + i);
  });
  return { ...answer, entries, next: last < row.entries ? last : null };
}

interface Place {
  from: number;
  to: number;
}

/** As many entries as fit, but one at least. */
function placesOf({ columns, end }: OutlinePage, from: number, to: number): Place[] {
  const places: Place[] = [];
  const start = columns.from[from] ?? 0;
  for (let i = from; i < to; i += 1) {
    const place = { from: columns.from[i] ?? end, to: columns.from[i + 1] ?? end };
    if (places.length > 0 && place.to - start > WINDOW_BYTES) break;
    places.push(place);
  }
  return places;
}

function isTooLong({ from, to }: Place): boolean {
  return to - from > MAX_LINE_BYTES;
}

interface EntryPart {
  row: ContentsRow;
  entry: number;
  place: Place;
  source: Buffer;
  secrets: readonly SecretRow[];
  raw: boolean;
  shaper: Shaper;
  calls: ReadonlyMap<number, OutlinePage['calls'][number][1]>;
}

function shape(part: EntryPart, { columns }: OutlinePage, i: number): TranscriptEntry {
  const { row, place, secrets, shaper, calls } = part;
  const format = row.format ?? 'text';
  const line = part.source.at(-1) === 0x0a ? part.source.subarray(0, -1) : part.source;
  const bytes = isTooLong(place) ? null : maskEntry(line, place.from, secrets, format);
  const read = readEntry(bytes, format);
  const pairs = pairsOf(read.blocks, columns.pair[i]);
  const call = calls.get(columns.call[i] ?? -1);
  const standing = calls.get(columns.standing[i] ?? -1);
  const hasRaw = part.raw || read.kind === 'raw' || read.kind === 'record';
  return {
    entry: part.entry,
    line: columns.line[i] ?? 0,
    // What the outline says, whatever this reading makes of it.
    kind: ENTRY_KINDS[columns.kind[i] ?? 0] ?? read.kind,
    name: read.name,
    at: isoOfSeconds(columns.at[i] ?? null),
    chain: row.chains[columns.chain[i] ?? 0]?.key ?? 'main',
    from: place.from,
    to: place.to,
    isMeta: read.isMeta,
    usage: call ? usageOf(call) : null,
    model: call?.model ?? null,
    contextTokens: standing?.contextTokens ?? null,
    blocks: read.blocks.map((block, index) => shaper.block(block, pairs[index] ?? null)),
    raw: hasRaw && bytes !== null ? shaper.text(decodeBytes(bytes)) : null,
    secrets: secrets.map(({ secret, rule, entry, line: of }) => ({ secret, rule, entry, line: of })),
  };
}

const usageOf = ({ input, output, cacheRead, cacheCreation }: OutlinePage['calls'][number][1]) => ({
  input,
  output,
  cacheRead,
  cacheCreation,
});

export interface SecretRow extends NumberedSecret {
  entry: number;
  line: number;
}

/** Those of the entries [from, to), in the file's order. */
export async function loadSecrets(
  sql: postgres.Sql,
  transcriptId: number,
  from: number,
  to: number,
): Promise<SecretRow[]> {
  return await sql<SecretRow[]>`
    select secret, entry, line, from_byte as "from", to_byte as "to", rule from transcript_secrets
    where transcript_id = ${transcriptId} and entry >= ${from} and entry < ${Math.min(to, 2_147_483_647)}
    order by from_byte`;
}

export async function collect(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}
