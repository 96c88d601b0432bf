import type { IncomingHttpHeaders } from 'node:http';

/** The token of `Authorization: Bearer …`, or null. The scheme's case does not matter (RFC 9110). */
export function readBearer(headers: IncomingHttpHeaders): string | null {
  const match = /^bearer +([!-~]+) *$/i.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Query parameters under which people put tokens. */
const TOKEN_PARAMETERS = [
  'token',
  'access_token',
  'auth',
  'authorization',
  'api_key',
  'apikey',
  'key',
  'bearer',
];

/**
 * Whether the URL carries a token. URLs are kept in logs, histories and proxies, so such a token must be
 * refused even where it is right: only then does its owner notice.
 */
export function hasTokenInUrl(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return true;
  for (const [name, value] of url.searchParams) {
    if (TOKEN_PARAMETERS.includes(name.toLowerCase()) || value.startsWith('bg_')) return true;
  }
  return /bg_[A-Za-z0-9_-]{20,}/.test(url.pathname);
}

export const TOKEN_IN_URL =
  'A token in the URL is refused, because URLs are kept in logs: send it as "Authorization: Bearer …". ' +
  'Treat this one as leaked and make a new one.';
