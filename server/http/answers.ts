/** JSON answers to requests and refused upgrades, and descriptions of database outages. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { judgeFault } from '../../db/judge-fault';
import { ArchiveStoreError } from '../../db/transcripts/archive-store';

const INGEST = /^(?:https?:\/\/[^/]*)?\/v1\/ingest(?![^/?])/;

/**
 * PROTOCOL.md's shape for `/v1/ingest`, else the API's.
 * @param target of the request; null: the connection is refused before its request, and gets both shapes
 */
function errorBody(target: string | null, code: string, reason: string): object {
  const error = { code, reason };
  const isIngest = target === null || INGEST.test(target);
  return { ...(isIngest && { type: 'error', ...error }), ...((target === null || !isIngest) && { error }) };
}

export function answerJson(res: ServerResponse, status: number, body: unknown): void {
  if (res.headersSent || res.writableEnded) return;
  const text = `${JSON.stringify(body)}\n`;
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(text);
}

export function answerError(res: ServerResponse, status: number, code: string, reason: string): void {
  answerJson(res, status, errorBody(res.req.url ?? '', code, reason));
}

/** Event of a refused socket, with the status. The HTTP server logs it. */
export const REFUSED = 'barograph-refused';

/** @param target of the request, if it may be `/v1/ingest`; null: there is no request yet */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  code: string,
  reason: string,
  target: string | null = '',
): void {
  socket.emit(REFUSED, status);
  const body = `${JSON.stringify(errorBody(target, code, reason))}\n`;
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      'Connection: close\r\n' +
      'Sec-WebSocket-Version: 13, 8\r\n' +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export interface Outage {
  code: 'disk_full' | 'out_of_memory' | 'limit_exceeded' | 'unavailable';
  /** For operators, without a full stop. */
  reason: string;
}

/** PostgreSQL's codes for exhausted resources and slow statements. Others, as for too many connections, are temporary. */
const NO_ROOM: Readonly<Record<string, Outage>> = {
  '53100': { code: 'disk_full', reason: "The disk of the server's database is full" },
  '53200': { code: 'out_of_memory', reason: "The server's database is out of memory" },
  '57014': {
    code: 'limit_exceeded',
    reason: 'A statement took too long (BAROGRAPH_STATEMENT_SECONDS)',
  },
  '53400': {
    code: 'limit_exceeded',
    reason: "The server's database has reached a configured limit",
  },
};
const AWAY: Outage = { code: 'unavailable', reason: 'The server cannot reach its database at the moment' };

/** The outage of the database or the archive store that caused an error; null for other errors. */
export function describeOutage(error: unknown): Outage | null {
  if (error instanceof ArchiveStoreError)
    return { code: error.isFull ? 'disk_full' : 'unavailable', reason: error.message };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const room = typeof code === 'string' ? NO_ROOM[code] : undefined;
  return room ?? (judgeFault(error) === 'unavailable' ? AWAY : null);
}
