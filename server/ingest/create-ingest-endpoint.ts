/**
 * `/v1/ingest`: telemetry of runners. WebSocket and POST take the same messages (core/PROTOCOL.md). GET checks a token
 * and stores nothing.
 */
import type { IncomingMessage } from 'node:http';
import { type Actor, may } from '../../core/identity/actor';
import { PROTOCOL_LIMITS, type ProtocolLimits } from '../../core/protocol/limits';
import type { ErrorMessage } from '../../core/protocol/messages';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import { noteSeen, openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { listPending } from '../../db/queries/commands';
import { addressOf, authorize, checkToken, readBearer } from '../auth/authorize';
import { answerJson } from '../http/answers';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { createCommitPump, NO_ROOM } from './commit-pump';
import { startCommandDelivery } from './deliver-commands';
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
  const { sql, log, auth, budgets } = context;
  const server = { name: SERVER_NAME, version: context.version, epoch: context.epoch };
  const pump = createCommitPump({
    record: (deliveries, options) => recordDeliveries(sql, deliveries, { now: Date.now(), ...options }),
    log,
    onCommit: context.storage.report,
  });
  const workers = startWorkers(context);
  const delivery = startCommandDelivery((streamIds) => listPending(sql, streamIds), log);

  const createSession = (request: IncomingMessage, transport: RunnerSessionTransport, submit = pump.submit) =>
    createRunnerSession(
      {
        pump: { ...pump, submit },
        authorizeToken: (token, isFirst) =>
          checkToken(auth, token, ['ingest'], isFirst ? addressOf(request) : undefined),
        openStream: (hello, charge) => openStream(sql, { ...hello, source: hello.source ?? 'sdk', charge }),
        openAccount: (token) => budgets.open(request, token),
        deliverCommands: delivery.open,
        noteSeen: (runnerId) => noteSeen(sql, runnerId),
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
  const stopChecking = auth.onChange(sockets.checkTokens);

  /** Check the token before a body is read, so that only runners can make the server hold one. */
  async function admit(request: IncomingMessage, url: URL): Promise<ErrorMessage | Actor> {
    const options = { request, url, rights: ['ingest'], allowPages: false } as const;
    const access = await authorize(auth, options).catch(() => null);
    if (access?.ok) return access.actor;
    if (access && !access.ok) return { type: 'error', code: access.code, reason: access.reason };
    return {
      type: 'error',
      code: 'unavailable',
      reason: 'The server cannot reach its database at the moment.',
    };
  }

  return {
    async handleRequest(request, response, url) {
      const { method } = request;
      if (method !== 'GET' && method !== 'POST') {
        const reason = 'Send telemetry by POST or over a WebSocket; GET checks a token.';
        answerIngestError(response, { type: 'error', code: 'method_not_allowed', reason });
        return;
      }
      const admitted = await admit(request, url);
      if ('type' in admitted) {
        answerIngestError(response, admitted);
      } else if (method === 'POST') {
        const exceeded = budgets.open(request, admitted.name).exceeded();
        if (exceeded) {
          const { reason, retryAfterSeconds } = exceeded;
          return answerIngestError(
            response,
            { type: 'error', code: 'rate_limited', reason },
            `${retryAfterSeconds}`,
          );
        }
        const bytes = Number(request.headers['content-length'] ?? limits.maxFrameBytes);
        const reserved = pump.reserve(admitted.name, Math.min(bytes, limits.maxFrameBytes));
        if (!reserved) {
          answerIngestError(response, { type: 'error', code: 'unavailable', reason: NO_ROOM });
          return;
        }
        try {
          await postBatch(request, response, {
            limits,
            createSession: (from, transport) => createSession(from, transport, reserved.submit),
          });
        } finally {
          reserved.release();
        }
      } else {
        const token = { name: admitted.name, scope: 'ingest' };
        const leftOut = context.leftOut.list().filter(({ project }) => may(admitted, ['ingest'], project));
        answerJson(response, 200, { type: 'server', v: PROTOCOL_VERSION, server, limits, token, leftOut });
      }
    },
    handleUpgrade: sockets.handleUpgrade,
    async close() {
      stopChecking();
      sockets.stopReading();
      delivery.close();
      await Promise.all([pump.idle(), workers.close()]);
      await sockets.close();
    },
  };
}
