/** `/livez`, `/readyz`, `/healthz`, `/v1/identity`, and the answer to unknown paths. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEX_64, proofText } from '../../core/settings/connection-file';
import { readBody } from '../ingest/read-body';
import { answerError, answerJson } from './answers';
import type { Endpoint, ServerContext } from './endpoint';

const MAX_BODY_BYTES = 1_000;

function endpoint(handleRequest: Endpoint['handleRequest']): Endpoint {
  return { handleRequest, close: () => Promise.resolve() };
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

function refuseMethod(res: ServerResponse, allowed: string): void {
  res.setHeader('Allow', allowed);
  answerError(res, 405, 'method_not_allowed', `Allowed methods: ${allowed}.`);
}

export const nothing = endpoint(async (_, res) =>
  answerError(res, 404, 'not_found', 'No endpoint at this path.'),
);

/**
 * For supervisors: 200 with `status: 'ok'`, or 503 with the reason. `/livez`: this process answers. `/healthz`: Postgres
 * answers, too. `/readyz`: items are stored, too.
 */
export function createHealthEndpoints({
  probe,
  storage,
  version,
  epoch,
}: Pick<ServerContext, 'probe' | 'storage' | 'version' | 'epoch'>) {
  const answer = (read: () => string | Promise<string>): Endpoint =>
    endpoint(async (req, res) => {
      if (!isRead(req)) return refuseMethod(res, 'GET, HEAD');
      const status = await read();
      answerJson(res, status === 'ok' ? 200 : 503, { status, version, epoch });
    });
  const health = async () => ((await probe.answers()) ? 'ok' : 'no_database');
  return {
    '/livez': answer(() => 'ok'),
    '/healthz': answer(health),
    '/readyz': answer(async () => storage.outage()?.code ?? (await health())),
  };
}

export interface ServerIdentity {
  /** Id of the database. */
  server: string;
  version: string;
  /** From `connection.json`. */
  secret: string;
  port: number;
}

/**
 * Identifies this server to runners, without a token. A POST with a challenge proves the identity to a runner that has
 * read `connection.json` on this machine. Before that a runner sends nothing private, because another program may
 * listen at the address while this server is down.
 */
export function createIdentityEndpoint({ server, version, secret, port }: ServerIdentity): Endpoint {
  return endpoint(async (req, res) => {
    if (isRead(req)) return answerJson(res, 200, { server, version });
    if (req.method !== 'POST') return refuseMethod(res, 'GET, HEAD, POST');
    const body = await readBody(req, MAX_BODY_BYTES).catch(() => null);
    if (body === null) return;
    if (!body.ok) return answerError(res, body.status, body.code, body.reason);
    const challenge = challengeIn(body.text);
    if (challenge === null) {
      return answerError(res, 400, 'invalid_field', 'challenge must be 64 hexadecimal digits.');
    }
    const proof = createHmac('sha256', secret).update(proofText({ challenge, server, port })).digest('hex');
    answerJson(res, 200, { server, version, proof });
  });
}

function challengeIn(text: string): string | null {
  try {
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === 'string' && HEX_64.test(challenge) ? challenge : null;
  } catch {
    return null;
  }
}
