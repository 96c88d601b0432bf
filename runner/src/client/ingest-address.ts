/**
 * The ingest address of a server.
 * @param url http, https, ws or wss, with or without a base path.
 * @throws TypeError for anything else, and for a URL that carries credentials or a query: a token belongs in
 *   the Authorization header.
 */
export function ingestAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const scheme = parsed ? SCHEMES[parsed.protocol] : undefined;
  if (!parsed || !scheme)
    throw new TypeError(`The server's address must begin with http:// or https://, and is "${url}".`);
  if (parsed.username || parsed.password || parsed.search) {
    throw new TypeError(
      'The server’s address must carry no user, password or query: a token goes in the Authorization header.',
    );
  }
  const base = parsed.pathname.replace(/\/+$/, '').replace(/\/v1\/ingest$/, '');
  return `${scheme}//${parsed.host}${base}/v1/ingest`;
}

const SCHEMES: Record<string, string> = { 'http:': 'ws:', 'ws:': 'ws:', 'https:': 'wss:', 'wss:': 'wss:' };
