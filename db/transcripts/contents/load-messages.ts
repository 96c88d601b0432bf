import type postgres from 'postgres';
import type { TranscriptEntry, TranscriptMessages } from '../../../core/api/transcript-contents';
import type { TranscriptStore } from '../transcript-store';
import { type ContentsWork, inProcessWork } from './contents-work';
import { type ContentsRow, findChains } from './find-contents';
import { loadPages } from './load-outline';
import { isTooLong, type SecretRow } from './shape-messages';

export interface MessagesWindow {
  from: number;
  count: number;
  /** With the source of each line. */
  raw: boolean;
  /** Texts and images in full. */
  full: boolean;
}

export interface AnsweredMessages extends Omit<TranscriptMessages, 'entries'> {
  /** The entries as JSON text, UTF-8, made by the worker. */
  entries: Uint8Array;
}

/** Entries with their text, secrets masked. */
export async function answerMessages(
  sql: postgres.Sql,
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
  window: MessagesWindow,
  work: ContentsWork = inProcessWork,
): Promise<AnsweredMessages> {
  const { raw, full, from } = window;
  const answer = { id: row.publicId, state: row.state, reason: row.reason, entries: NO_ENTRIES, next: null };
  const to = Math.min(row.entries, from + window.count);
  if (row.state !== 'read' || row.format === null || from >= to) return answer;
  const pages = await loadPages(sql, row.transcriptId, from, to);
  const places = await work.run('places', { pages, from, to });
  const start = places[0]?.from ?? 0;
  const last = from + places.length;
  const [bytes, secrets, { chains }] = await Promise.all([
    places.some(isTooLong)
      ? Buffer.alloc(0)
      : collect(store.read(row.transcriptId, start, places.at(-1)?.to ?? start)),
    loadSecrets(sql, row.transcriptId, from, last),
    findChains(sql, row),
  ]);
  const entries = await work.run('messages', {
    pages,
    from,
    to: last,
    format: row.format,
    chains: chains.map(({ key }) => key),
    places,
    bytes,
    secrets,
    raw,
    full,
  });
  return { ...answer, entries, next: last < row.entries ? last : null };
}

const NO_ENTRIES = new TextEncoder().encode('[]');

/** `answerMessages` as values. */
export async function loadMessages(...asked: Parameters<typeof answerMessages>): Promise<TranscriptMessages> {
  const { entries, ...answer } = await answerMessages(...asked);
  return { ...answer, entries: JSON.parse(new TextDecoder().decode(entries)) as TranscriptEntry[] };
}

/** Secrets of the entries [from, to), in file order. */
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
