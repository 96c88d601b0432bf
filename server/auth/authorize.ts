import type { IncomingHttpHeaders } from 'node:http';
import type { TokenScope } from '../../db/queries/tokens';
import type { Authenticator } from './authenticator';

/**
 * The token of `Authorization: Bearer …`, or null. The scheme's case does not matter (RFC 9110). Claude Code's exporter
 * sends the space as `%20` if its settings write it so.
 */
export function readBearer(headers: IncomingHttpHeaders): string | null {
  const match = /^bearer(?: |%20)+([!-~]+) *$/i.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Query parameters that people use for tokens. */
const TOKEN_PARAMETER = /^((access_)?token|auth(orization)?|(api_?)?key|bearer)$/i;

/**
 * Whether the URL contains a token. Logs, histories and proxies keep URLs. Even a valid token is refused, so that its
 * owner notices the leak.
 */
export function hasTokenInUrl(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return true;
  for (const [name, value] of url.searchParams) {
    if (TOKEN_PARAMETER.test(name) || value.startsWith('bg_')) return true;
  }
  return /bg_[A-Za-z0-9_-]{20,}/.test(url.pathname);
}

export const TOKEN_IN_URL =
  'A token in the URL is refused, because URLs are kept in logs: send it as "Authorization: Bearer …". ' +
  'Treat this one as leaked and create a new one.';

export type Authorization =
  /** `project`: the only project that the token may write. Null: every project. */
  | { ok: true; name: string; project: string | null }
  | {
      ok: false;
      status: 400 | 401 | 403;
      code: 'token_in_url' | 'unauthorized' | 'forbidden';
      reason: string;
    };

export interface AuthorizeOptions {
  headers: IncomingHttpHeaders;
  url: URL;
  /** A token with any of these scopes is accepted. */
  scopes: readonly TokenScope[];
  /**
   * True: a request that the browser marks as same-origin needs no token. Safe only while the server is bound
   * to loopback; Host and Origin are already checked.
   */
  allowSameOrigin: boolean;
  /**
   * True: the request changes something. A page must then send its origin, which a link or a typed address
   * does not.
   */
  changes?: boolean;
}

/** Check whether a request has one of the scopes. @throws database errors */
export async function authorize(
  authenticator: Authenticator,
  { headers, url, scopes, allowSameOrigin, changes = false }: AuthorizeOptions,
): Promise<Authorization> {
  if (hasTokenInUrl(url)) return { ok: false, status: 400, code: 'token_in_url', reason: TOKEN_IN_URL };
  const token = readBearer(headers);
  if (token !== null) return checkToken(authenticator, token, scopes);
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin' && (!changes || headers.origin !== undefined);
  if (allowSameOrigin && isOwnPage) return { ok: true, name: 'browser', project: null };
  const reason = `The request needs a token of scope ${scopes.join(' or ')}: send it as "Authorization: Bearer …".`;
  return { ok: false, status: 401, code: 'unauthorized', reason };
}

export async function checkToken(
  authenticator: Authenticator,
  token: string,
  scopes: readonly TokenScope[],
): Promise<Authorization> {
  const grant = await authenticator.verify(token);
  if (!grant) {
    const command = `npx barograph token --name NAME --scope ${scopes[0]}`;
    const reason = `This token is unknown or was revoked. Create one with: ${command} (in a clone: npm run token -- …)`;
    return { ok: false, status: 401, code: 'unauthorized', reason };
  }
  if (!scopes.includes(grant.scope)) {
    const reason = `This token has the scope ${grant.scope}; the request needs ${scopes.join(' or ')}.`;
    return { ok: false, status: 403, code: 'forbidden', reason };
  }
  return { ok: true, name: grant.name, project: grant.project };
}

/** The reason for refusing data of a project that the token may not write, or null. */
export function findForeign(
  { name, project }: Extract<Authorization, { ok: true }>,
  named: string,
): string | null {
  if (project === null || project === named) return null;
  return `The token "${name}" may only write the project "${project}", not "${named}".`;
}
