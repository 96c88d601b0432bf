/** The content of a processed transcript: its outline, messages, masked source and secrets. */
import type postgres from 'postgres';
import type { TranscriptFormat } from '../../../core/agents/clients';
import type { Revealed, RevealRequest, TranscriptSource } from '../../../core/api/transcript-contents';
import {
  type ContentsState,
  MAX_ENTRY,
  type TranscriptMessages,
} from '../../../core/api/transcript-contents';
import type { OutlineChain, OutlineCompaction } from '../../../core/transcript/outline';
import { inProjects } from '../../queries/limit-reads';
import { transcriptTables, UUID } from '../../queries/transcripts/transcript-row';
import { readRange } from '../chunk-store';
import { recordAudit } from '../record-audit';
import { type ContentsWork, inProcessWork } from './contents-work';
import { PAGE_ENTRIES } from './outline-pages';
import { isTooLong, type SecretRow } from './shape-messages';

/** The content of a transcript, which exists only in state `read`. */
export interface ContentsRow {
  transcriptId: number;
  publicId: string;
  version: 'hook' | 'completed';
  session: string;
  at: Date;
  state: ContentsState;
  reason: string | null;
  readAt: Date | null;
  format: TranscriptFormat | null;
  bytes: number | null;
  lines: number | null;
  entries: number;
  messages: number;
  window: number | null;
  secrets: number;
  boundaries: number;
}

/** Null: no such transcript. Without stored bytes its contents are `failed`, with the reason. */
export async function findContents(sql: postgres.Sql, publicId: string): Promise<ContentsRow | null> {
  if (!UUID.test(publicId)) return null;
  const [row] = await sql<ContentsRow[]>`
    select t.id as "transcriptId", t.public_id as "publicId", t.version, t.session, t.at,
      coalesce(c.state, case when t.state in ('stored', 'uploading') then 'waiting' else 'failed' end) as state,
      case
        when c.state is not null then c.reason
        when t.state = 'deleted' then 'it was deleted'
        when t.state in ('stored', 'uploading') then null
        else 'its content is not stored here'
      end as reason,
      c.read_at as "readAt", c.format, coalesce(c.bytes, t.bytes) as bytes, c.lines, coalesce(c.entries, 0) as entries,
      coalesce(c.messages, 0) as messages, c."window", coalesce(c.secrets, 0) as secrets,
      coalesce(c.boundaries, 0) as boundaries
    from ${transcriptTables(sql)} left join transcript_contents c on c.transcript_id = t.id
    where t.public_id = ${publicId} and ${inProjects(sql, 'p.id')}`;
  if (!row) return null;
  // Partial results must stay hidden.
  return row.state === 'read' ? row : { ...row, entries: 0, messages: 0, secrets: 0, boundaries: 0 };
}

export async function findChains(sql: postgres.Sql, { transcriptId, state }: ContentsRow) {
  const [row] = await sql<{ chains: OutlineChain[]; compactions: OutlineCompaction[] }[]>`
    select chains, compactions from transcript_contents where transcript_id = ${transcriptId} and ${state} = 'read'`;
  return row ?? { chains: [], compactions: [] };
}

async function loadPages(
  sql: postgres.Sql,
  { transcriptId, state }: ContentsRow,
  from: number,
  to: number,
): Promise<Buffer[]> {
  const firstPage = Math.floor(from / PAGE_ENTRIES);
  const lastPage = Math.min(MAX_ENTRY, Math.floor(Math.max(from, to - 1) / PAGE_ENTRIES));
  const rows = await sql<{ data: Buffer }[]>`
    select data from transcript_pages
    where transcript_id = ${transcriptId} and ${state} = 'read' and page between ${firstPage} and ${lastPage}
    order by page`;
  return rows.map(({ data }) => data);
}

/**
 * The transcript without its text, as JSON.
 * @param count number of entries from the start, with their calls; default all
 */
export async function answerOutline(
  sql: postgres.Sql,
  row: ContentsRow,
  count?: number,
  work: ContentsWork = inProcessWork,
): Promise<Uint8Array> {
  const [pages, chains] = await Promise.all([
    loadPages(sql, row, 0, count ?? Number.MAX_SAFE_INTEGER),
    findChains(sql, row),
  ]);
  const { transcriptId: _, publicId: id, version: _v, session: _s, at: _at, readAt, ...same } = row;
  const head = { ...same, id, readAt: readAt?.toISOString() ?? null };
  return work.run('outline', { pages, ...chains, head, count });
}

/** Messages; `entries` as JSON text, UTF-8, made by the worker. */
export async function answerMessages(
  sql: postgres.Sql,
  row: ContentsRow,
  { from, count, raw, full }: { from: number; count: number; raw: boolean; full: boolean },
  work: ContentsWork = inProcessWork,
): Promise<Omit<TranscriptMessages, 'entries'> & { entries: Uint8Array }> {
  const none = new TextEncoder().encode('[]');
  const answer = { id: row.publicId, state: row.state, reason: row.reason, entries: none, next: null };
  const to = Math.min(row.entries, from + count);
  const { format } = row;
  if (row.state !== 'read' || format === null || from >= to) return answer;
  const pages = await loadPages(sql, row, from, to);
  const places = await work.run('places', { pages, from, to });
  const start = places[0]?.from ?? 0;
  const last = from + places.length;
  const [bytes, secrets, chains] = await Promise.all([
    places.some(isTooLong)
      ? Buffer.alloc(0)
      : readRange(sql, row.transcriptId, start, places.at(-1)?.to ?? start),
    loadSecrets(sql, row.transcriptId, sql`entry >= ${from} and entry < ${last}`),
    findChains(sql, row),
  ]);
  const keys = chains.chains.map(({ key }) => key);
  const asked = { pages, from, to: last, format, chains: keys, places, bytes, secrets, raw, full };
  const entries = await work.run('messages', asked);
  return { ...answer, entries, next: last < row.entries ? last : null };
}

export async function loadSecrets(
  sql: postgres.Sql,
  transcriptId: number,
  which: postgres.Fragment = sql`true`,
): Promise<SecretRow[]> {
  return await sql<SecretRow[]>`
    select secret, entry, line, from_byte as "from", to_byte as "to", rule from transcript_secrets
    where transcript_id = ${transcriptId} and ${which} order by from_byte`;
}

/** Longer secrets are cut, because no key is that long. */
const MAX_VALUE_BYTES = 64 * 1024;
const SECRETS_A_PAGE = 200;
/** The pages of one reveal are one entry of the audit log. */
const ONE_REVEAL_MS = 60_000;

/** The values of masked secrets, a page at a time, recorded in the audit log first. @returns null without secrets */
export async function revealSecrets(
  sql: postgres.Sql,
  row: ContentsRow,
  { from: first = 0, reason, actor }: RevealRequest & { actor: string },
): Promise<Revealed | null> {
  if (row.secrets === 0) return null;
  const { transcriptId } = row;
  const detail = { secrets: row.secrets, reason: reason ?? null };
  const action = 'transcript_revealed';
  await recordAudit(sql, { actor, action, transcriptId, detail, onceInMs: ONE_REVEAL_MS });
  const next = first + SECRETS_A_PAGE;
  const secrets: Revealed['secrets'] = [];
  const rows = await loadSecrets(sql, transcriptId, sql`secret >= ${first} and secret < ${next}`);
  for (const { from, to, ...secret } of rows) {
    const bytes = await readRange(sql, transcriptId, from, Math.min(to, from + MAX_VALUE_BYTES));
    const text = bytes.toString('utf8').replace(/\r?\n$/, '');
    secrets.push({ ...secret, value: row.format === 'text' ? text : resolveEscapes(text) });
  }
  return { secrets, next: next < row.secrets ? next : null };
}

/** Part of a JSON string without its escapes; anything else is returned unchanged. */
function resolveEscapes(piece: string): string {
  try {
    return JSON.parse(`"${piece}"`) as string;
  } catch {
    return piece;
  }
}

/** Bytes of one part, and of the surrounding text that is scanned for secrets too. */
const PIECE_BYTES = 64 * 1024;
const AROUND_BYTES = 32 * 1024;

/** Part of the stored bytes as text, secrets masked; works for files that could not be parsed. */
export async function loadSource(
  sql: postgres.Sql,
  row: ContentsRow,
  from: number,
  work: ContentsWork = inProcessWork,
): Promise<TranscriptSource> {
  const start = Math.max(0, from - AROUND_BYTES);
  const bytes = await readRange(sql, row.transcriptId, start, from + PIECE_BYTES + AROUND_BYTES);
  const begin = Math.min(from - start, bytes.length);
  const piece = { bytes, from: begin, to: Math.min(begin + PIECE_BYTES, bytes.length) };
  const { text, to } = await work.run('source', piece);
  const end = start + to;
  return { id: row.publicId, from, to: end, bytes: row.bytes, next: to < bytes.length ? end : null, text };
}
