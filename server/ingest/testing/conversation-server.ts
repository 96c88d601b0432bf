/** An HTTP server with the real conversation on it, over any store. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { PROTOCOL_LIMITS, type ProtocolLimits } from '../../../core/protocol/limits';
import { type Authorization, readBearer } from '../../auth/authorize';
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
  if (token === GOOD_TOKEN) return Promise.resolve({ ok: true, name: 'test', project: null });
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
  const server = createServer((request, response) => {
    postBatch(request, response, { limits, createSession }).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, new URL(request.url ?? '/', 'http://localhost'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ingest`,
    async close() {
      await sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
