/** For tests: the identity endpoint of a server, with its proof. */
import { createHmac } from 'node:crypto';
import { proofText } from '../../../../core/settings/connection-file';

export const TEST_SECRET = '5e'.repeat(32);
export const TEST_SERVER = '00000000-0000-4000-8000-000000000001';

export interface TestIdentity {
  server: string;
  secret: string;
}

/** What `/v1/identity` answers. */
export function answerIdentity(
  { server, secret }: TestIdentity,
  port: number,
  { method, body }: { method: string; body: string },
): { server: string; version: string; proof?: string } {
  if (method !== 'POST') return { server, version: '0' };
  const { challenge } = JSON.parse(body) as { challenge: string };
  const proof = createHmac('sha256', secret).update(proofText({ challenge, server, port })).digest('hex');
  return { server, version: '0', proof };
}
