/** An HTTP server with the real gate and conversation on it, over any store. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import pino from 'pino';
import { PROTOCOL_LIMITS, type ProtocolLimits } from '../../../core/protocol/limits';
import { type Authorization, readBearer } from '../../auth/authorize';
import { createHttpServer } from '../../http/create-http-server';
import { createCommitPump } from '../commit-pump';
import { postBatch } from '../http-ingest';
import { createRunnerSession, type RunnerSessionTransport } from '../runner-session';
import { createWebSocketIngest } from '../websocket-ingest';
import type { MemoryStore } from './memory-store';

export const GOOD_TOKEN = 'bg_good';
export const READ_TOKEN = 'bg_read';

export interface ConversationServer {
  url: string;
  close(): Promise<void>;
}

function authorizeToken(token: string): Promise<Authorization> {
  if (token === GOOD_TOKEN)
    return Promise.resolve({
      ok: true,
      actor: { name: 'test', grants: [{ rights: ['ingest'], project: null }] },
    });
  const forbidden = token === READ_TOKEN;
  return Promise.resolve({
    ok: false,
    status: forbidden ? 403 : 401,
    code: forbidden ? 'forbidden' : 'unauthorized',
    reason: forbidden ? 'This token has the scope read; the request needs ingest.' : 'This token is unknown.',
  });
}

export async function startConversationServer(
  store: MemoryStore,
  change: Partial<ProtocolLimits> = {},
): Promise<ConversationServer> {
  const limits: ProtocolLimits = { ...PROTOCOL_LIMITS, ...change };
  const log = pino({ level: 'silent' });
  const pump = createCommitPump({ record: store.record, log });
  const createSession = (request: IncomingMessage, transport: RunnerSessionTransport) =>
    createRunnerSession(
      {
        pump,
        authorizeToken,
        openStream: store.openStream,
        server: { name: 'barograph', version: '0', epoch: 'e' },
        limits,
        now: Date.now,
        headerToken: readBearer(request.headers),
      },
      transport,
    );
  const sockets = createWebSocketIngest({ limits, log, createSession });
  const server = createHttpServer(log);
  const endpoint = {
    handleRequest: (request: IncomingMessage, response: ServerResponse) =>
      postBatch(request, response, { limits, createSession }),
    handleUpgrade: sockets.handleUpgrade,
    close: sockets.close,
  };
  const port = await server.listen(0, '127.0.0.1');
  server.serve([{ prefix: '/v1/ingest', endpoint }]);
  return {
    url: `http://127.0.0.1:${port}/v1/ingest`,
    async close() {
      server.stopTaking();
      await sockets.close();
      await server.close(0);
    },
  };
}
