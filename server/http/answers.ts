/** Short answers, over a response or over the bare socket of a refused upgrade. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export interface ErrorBody {
  error: { code: string; reason: string };
}

/** Ends the response with JSON; does nothing to one that was begun. */
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
  answerJson(res, status, { error: { code, reason } } satisfies ErrorBody);
}

/** Answers an upgrade that is not taken, and closes its connection. */
export function refuseUpgrade(socket: Duplex, status: number, code: string, reason: string): void {
  const body = `${JSON.stringify({ error: { code, reason } } satisfies ErrorBody)}\n`;
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      'Connection: close\r\n' +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
