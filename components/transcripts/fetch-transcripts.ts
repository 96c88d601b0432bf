/** What the screens of transcripts read and change, over the API. */
import type { AuditList } from '@/core/api/audit';
import type { TranscriptMessages, TranscriptOutline, TranscriptSearch } from '@/core/api/transcript-contents';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import type { Revealed, TranscriptSecrets, TranscriptSource } from '@/core/api/transcript-secrets';
import type { TranscriptList, TranscriptRow } from '@/core/api/transcripts';
import { unpackInSteps } from '@/core/transcript/packed-outline';
import { takeEarlyRead } from './early-reads';
import { runInSlices } from './run-in-slices';
import { PAGE_ENTRIES } from './talk/entry-pages';

const PAGE = '100';
/** Entries of the first piece of an outline: some screens' worth. */
const FIRST_ENTRIES = 400;

/** The server answered, and not with what was asked for. The message says why, in its words. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(reason);
  }
}

/** Whether the same may be answered in a while: the server or its database is away, and did not refuse it. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof RefusedError) || error.status >= 500;
}

/** @throws RefusedError when it does not answer as asked */
async function call<T>(path: string, init: RequestInit): Promise<T> {
  const answer = (await takeEarlyRead(path)) ?? (await fetch(path, init));
  if (answer.ok) return (await answer.json()) as T;
  throw new RefusedError(answer.status, await refusal(answer));
}

async function refusal(answer: Response): Promise<string> {
  try {
    const { error } = (await answer.json()) as { error?: { reason?: unknown } };
    const reason = error?.reason;
    if (typeof reason === 'string' && reason !== '') return reason;
  } catch {
    // No JSON: the status has to do.
  }
  return `the server answered ${answer.status}`;
}

function read<T>(path: string, signal: AbortSignal): Promise<T> {
  return call<T>(path, { signal, headers: { accept: 'application/json' } });
}

function change<T>(method: 'POST' | 'DELETE', path: string, body: unknown): Promise<T> {
  return call<T>(path, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const pathOf = (id: string, part = '') => `/api/v1/transcripts/${encodeURIComponent(id)}${part}`;

/**
 * @param search the question as the API takes it (list/transcripts-query.ts)
 * @param cursor where the page begins; null: with the first
 * @param searchFrom where a search goes on; null: with the newest
 */
export function fetchTranscripts(
  search: string,
  { cursor, searchFrom = null }: { cursor: string | null; searchFrom?: string | null },
  signal: AbortSignal,
): Promise<TranscriptList> {
  const params = new URLSearchParams(search);
  params.set('limit', PAGE);
  if (cursor !== null) params.set('cursor', cursor);
  if (searchFrom !== null) params.set('searchFrom', searchFrom);
  return read(`/api/v1/transcripts?${params}`, signal);
}

/** All of a session, page by page: the copies of its first compaction stand on the last one. */
export async function fetchTranscriptsOf(
  sessionId: string,
  signal: AbortSignal,
): Promise<TranscriptList['transcripts']> {
  const search = new URLSearchParams({ session: sessionId }).toString();
  const all: TranscriptList['transcripts'] = [];
  let cursor: string | null = null;
  do {
    const page: TranscriptList = await fetchTranscripts(search, { cursor }, signal);
    all.push(...page.transcripts);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

export const fetchTranscript = (id: string, signal: AbortSignal) => read<TranscriptRow>(pathOf(id), signal);

/** What is asked for before anything else, so that it may be asked for before the scripts of the page are there. */
export const beginningPaths = (id: string) => [
  pathOf(id, `/outline?count=${FIRST_ENTRIES}`),
  messagesPath(id, { from: 0, count: PAGE_ENTRIES }),
];

/** The first entries' outline alone; `entries` counts all of the file. */
export const fetchBeginning = (id: string, signal: AbortSignal) =>
  read<TranscriptOutline>(pathOf(id, `/outline?count=${FIRST_ENTRIES}`), signal);

/** Packed: of a long transcript a tenth of its JSON. */
export async function fetchOutline(id: string, signal: AbortSignal): Promise<TranscriptOutline> {
  const answer = await fetch(pathOf(id, '/outline?as=packed'), { signal });
  if (!answer.ok) throw new RefusedError(answer.status, await refusal(answer));
  return runInSlices(unpackInSteps(new Uint8Array(await answer.arrayBuffer())), signal);
}

export interface MessagesAsked {
  from: number;
  count: number;
  /** With the source of every line. */
  raw?: boolean;
  /** Texts and pictures whole, of one entry. */
  full?: boolean;
}

export function fetchMessages(
  id: string,
  asked: MessagesAsked,
  signal: AbortSignal,
): Promise<TranscriptMessages> {
  return read(messagesPath(id, asked), signal);
}

function messagesPath(id: string, { from, count, raw = false, full = false }: MessagesAsked): string {
  const params = new URLSearchParams({ from: String(from), count: String(count) });
  if (raw) params.set('raw', '1');
  if (full) params.set('full', '1');
  return pathOf(id, `/messages?${params}`);
}

/** @param from where the answer before ended; 0: at the beginning */
export const fetchSearch = (id: string, q: string, from: number, signal: AbortSignal) =>
  read<TranscriptSearch>(
    pathOf(id, `/search?${new URLSearchParams({ q, ...(from > 0 && { from: String(from) }) })}`),
    signal,
  );

export const fetchLost = (id: string, signal: AbortSignal) =>
  read<TranscriptLost>(pathOf(id, '/lost'), signal);

export const fetchSource = (id: string, from: number, signal: AbortSignal) =>
  read<TranscriptSource>(pathOf(id, `/source?${new URLSearchParams({ from: String(from) })}`), signal);

export const fetchSecrets = (id: string, signal: AbortSignal) =>
  read<TranscriptSecrets>(pathOf(id, '/secrets'), signal);

export const revealSecrets = (id: string, secrets: readonly number[], reason: string) =>
  change<Revealed>('POST', pathOf(id, '/reveal'), { secrets, ...(reason === '' ? {} : { reason }) });

export const deleteTranscript = (id: string, reason: string) =>
  change<unknown>('DELETE', pathOf(id), { reason });

/** The original bytes, as an attachment. */
export const downloadPath = (id: string) => pathOf(id, '/content');

export function fetchAudit(search: string, cursor: string | null, signal: AbortSignal): Promise<AuditList> {
  const params = new URLSearchParams(search);
  if (cursor !== null) params.set('cursor', cursor);
  return read(`/api/v1/audit?${params}`, signal);
}
