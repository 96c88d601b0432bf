/**
 * `/v1/ingest`: telemetry of runners. WebSocket and POST take the same messages (core/PROTOCOL.md). GET checks a token
 * and stores nothing.
 */
import type { IncomingMessage } from 'node:http';
import { PROTOCOL_LIMITS, type ProtocolLimits } from '../../core/protocol/limits';
import type { ErrorMessage } from '../../core/protocol/messages';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { createAuthenticator } from '../auth/authenticator';
import { type Authorization, authorize, checkToken, readBearer } from '../auth/authorize';
import { answerJson } from '../http/answers';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { createCommitPump } from './commit-pump';
import { answerIngestError, postBatch } from './http-ingest';
import { createRunnerSession, type RunnerSessionTransport } from './runner-session';
import { startWorkers } from './start-workers';
import { createWebSocketIngest } from './websocket-ingest';

const SERVER_NAME = 'barograph';

/** @param limits for tests; a runner learns them from the welcome. */
export function createIngestEndpoint(
  context: ServerContext,
  limits: ProtocolLimits = PROTOCOL_LIMITS,
): Endpoint {
  const { sql, log } = context;
  const authenticator = createAuthenticator(sql);
  const server = { name: SERVER_NAME, version: context.version, epoch: context.epoch };
  const pump = createCommitPump({
    record: (deliveries) => recordDeliveries(sql, deliveries, { now: Date.now() }),
    log,
  });
  const workers = startWorkers(context);

  const createSession = (request: IncomingMessage, transport: RunnerSessionTransport) =>
    createRunnerSession(
      {
        pump,
        authorizeToken: (token) => checkToken(authenticator, token, ['ingest']),
        openStream: (hello) => openStream(sql, { ...hello, source: hello.source ?? 'sdk' }),
        server,
        limits,
        now: Date.now,
        headerToken: readBearer(request.headers),
      },
      transport,
    );

  const sockets = createWebSocketIngest({
    limits,
    log,
    createSession,
  });

  /** Check the token before a body is read, so that only runners can make the server hold one. */
  async function admit(
    { headers, method }: IncomingMessage,
    url: URL,
  ): Promise<ErrorMessage | Extract<Authorization, { ok: true }>> {
    const options = { headers, url, scopes: ['ingest'], allowSameOrigin: false } as const;
    const access = await authorize(authenticator, options).catch(() => null);
    if (access?.ok && (method === 'GET' || pump.hasRoom())) return access;
    if (access && !access.ok) return { type: 'error', code: access.code, reason: access.reason };
    const reason = access
      ? 'The server has too many items to store; send this again later.'
      : 'The server cannot reach its database at the moment.';
    return { type: 'error', code: 'unavailable', reason };
  }

  return {
    async handleRequest(request, response, url) {
      const { method } = request;
      if (method !== 'GET' && method !== 'POST') {
        const reason = 'Send telemetry by POST or over a WebSocket; GET checks a token.';
        answerIngestError(response, { type: 'error', code: 'method_not_allowed', reason });
        return;
      }
      const access = await admit(request, url);
      if ('type' in access) {
        answerIngestError(response, access);
      } else if (method === 'POST') {
        await postBatch(request, response, { limits, createSession });
      } else {
        const token = { name: access.name, scope: 'ingest' };
        answerJson(response, 200, { type: 'server', v: PROTOCOL_VERSION, server, limits, token });
      }
    },
    handleUpgrade: sockets.handleUpgrade,
    async close() {
      sockets.stopReading();
      await Promise.all([pump.idle(), workers.close()]);
      await sockets.close();
    },
  };
}
