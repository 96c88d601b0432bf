/** `POST /v1/ingest`: the same messages in one request. The body is a list that begins with a hello. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProtocolLimits } from '../../core/protocol/limits';
import type { Ack, ErrorCode, ErrorMessage } from '../../core/protocol/messages';
import { answerJson } from '../http/answers';
import { readBody } from './read-body';
import type { RunnerSession, RunnerSessionTransport } from './runner-session';

export interface HttpIngestOptions {
  limits: ProtocolLimits;
  createSession(request: IncomingMessage, transport: RunnerSessionTransport): RunnerSession;
}

/** Also what the log shows for a closed socket. */
export const STATUS: Record<ErrorCode, number> = {
  bad_message: 400,
  hello_twice: 400,
  token_in_url: 400,
  unsupported_version: 400,
  unauthorized: 401,
  forbidden: 403,
  not_yours: 403,
  method_not_allowed: 405,
  hello_timeout: 408,
  stream_taken: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  going_away: 503,
};
const RETRY_AFTER_SECONDS = '1';

/** Answers with an ack, or with an error message and its status. */
export async function postBatch(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpIngestOptions,
): Promise<void> {
  const body = await readBody(request, options.limits.maxFrameBytes);
  if (!body.ok) {
    answerIngestError(response, { type: 'error', code: body.code, reason: body.reason });
    return;
  }
  let ack: Ack = { type: 'ack', settled: [], duplicate: [], amended: [], refused: [] };
  let failure: ErrorMessage | null = null;
  const session = options.createSession(request, {
    send: (message) => {
      if (message.type === 'ack') ack = message;
    },
    close: (_code, error) => {
      failure = error;
    },
    // The body was read completely, so there is nothing to pause.
    pause: () => undefined,
    resume: () => undefined,
  });
  await session.receive(body.text);
  if (failure) answerIngestError(response, failure);
  else answerJson(response, 200, ack);
  session.end();
}

export function answerIngestError(
  response: ServerResponse,
  error: ErrorMessage,
  retryAfter = RETRY_AFTER_SECONDS,
): void {
  const status = STATUS[error.code];
  if (status === 503 || status === 429) response.setHeader('Retry-After', retryAfter);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (status === 405) response.setHeader('Allow', 'GET, POST');
  answerJson(response, status, error);
}
