/**
 * `/v1/ingest`: telemetry of runners. WebSocket and POST take the same messages (core/PROTOCOL.md). GET checks a token
 * and stores nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROTOCOL_LIMITS, type ProtocolLimits } from '../../core/protocol/limits';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { createAuthenticator } from '../auth/authenticator';
import { authorize, checkToken, hasTokenInUrl, readBearer, TOKEN_IN_URL } from '../auth/authorize';
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

  async function answerTokenCheck(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> {
    const options = { headers: request.headers, url, scopes: ['ingest'], allowSameOrigin: false } as const;
    const authorization = await authorize(authenticator, options).catch(() => null);
    if (!authorization) {
      const reason = 'The server cannot reach its database at the moment.';
      answerIngestError(response, { type: 'error', code: 'unavailable', reason });
    } else if (!authorization.ok) {
      answerIngestError(response, { type: 'error', code: authorization.code, reason: authorization.reason });
    } else {
      answerJson(response, 200, {
        type: 'server',
        v: PROTOCOL_VERSION,
        server,
        limits,
        token: { name: authorization.name, scope: 'ingest' },
      });
    }
  }

  return {
    async handleRequest(request, response, url) {
      if (hasTokenInUrl(url)) {
        answerIngestError(response, { type: 'error', code: 'token_in_url', reason: TOKEN_IN_URL });
      } else if (request.method === 'POST') {
        await postBatch(request, response, { limits, createSession });
      } else if (request.method === 'GET') {
        await answerTokenCheck(request, response, url);
      } else {
        const reason = 'Send telemetry by POST or over a WebSocket; GET checks a token.';
        answerIngestError(response, { type: 'error', code: 'method_not_allowed', reason });
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
