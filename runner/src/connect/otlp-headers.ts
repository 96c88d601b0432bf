/** Create the headers that Claude Code sends with its log events. */
import { httpAddress, proveServer } from '../proof/prove-server';
import { readHookSettings } from '../settings';

const PATIENCE_MS = 2_000;

export const logsEndpoint = (url: string) => httpAddress(url, '/v1/logs');

/**
 * @param isWatched whether `barograph watch` also reads the transcripts
 * @returns the headers; none if the address is not that of the server in the settings, or if this server fails to prove
 * its identity. Thus no other program gets the token.
 */
export async function otlpHeaders(endpoint: string, isWatched: boolean): Promise<Record<string, string>> {
  const { url, token, secret, project } = readHookSettings({}).runner ?? {};
  if (url == null || token == null || logsEndpoint(url) !== endpoint) return {};
  if (secret !== null && (await proveServer(url, secret ?? '', PATIENCE_MS)).type !== 'proven') return {};
  return {
    Authorization: `Bearer ${token}`,
    ...(project && { 'X-Barograph-Project': project }),
    ...(isWatched && { 'X-Barograph-Watched': '1' }),
  };
}
