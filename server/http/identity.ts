/**
 * `/v1/identity`: which server this is, for runners, without a token. POST with a challenge proves it to a
 * runner that read `connection.json` on this machine: another program may listen at that address while this
 * server is down, so a runner sends nothing private before.
 */
import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEX_64, proofText } from '../../core/settings/connection-file';
import { readBody } from '../ingest/read-body';
import { answerError, answerJson } from './answers';
import type { Endpoint } from './endpoint';

const MAX_BODY_BYTES = 1_000;

export interface ServerIdentity {
  /** Id of the database. */
  server: string;
  version: string;
  /** From `connection.json`. */
  secret: string;
  port: number;
}

export function createIdentityEndpoint({ server, version, secret, port }: ServerIdentity): Endpoint {
  async function prove(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req, MAX_BODY_BYTES).catch(() => null);
    if (body === null) return;
    if (!body.ok) {
      res.setHeader('Connection', 'close');
      return answerError(res, body.status, body.code, body.reason);
    }
    const challenge = challengeIn(body.text);
    if (challenge === null) {
      return answerError(res, 400, 'invalid_field', 'challenge must be 64 hexadecimal digits.');
    }
    const proof = createHmac('sha256', secret).update(proofText({ challenge, server, port })).digest('hex');
    answerJson(res, 200, { server, version, proof });
  }

  return {
    async handleRequest(req, res) {
      if (req.method === 'GET' || req.method === 'HEAD') return answerJson(res, 200, { server, version });
      if (req.method === 'POST') return prove(req, res);
      res.setHeader('Allow', 'GET, HEAD, POST');
      answerError(res, 405, 'method_not_allowed', 'Allowed methods: GET, POST.');
    },
    close: () => Promise.resolve(),
  };
}

function challengeIn(text: string): string | null {
  try {
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === 'string' && HEX_64.test(challenge) ? challenge : null;
  } catch {
    return null;
  }
}
