import type { IncomingHttpHeaders } from 'node:http';
import type { TokenScope } from '../../db/queries/tokens/token-scope';
import type { Authenticator } from './authenticator';
import { hasTokenInUrl, readBearer, TOKEN_IN_URL } from './bearer';

export type Authorization =
  | { ok: true; by: 'token' | 'same-origin'; name: string }
  | {
      ok: false;
      status: 400 | 401 | 403;
      code: 'token_in_url' | 'unauthorized' | 'forbidden';
      reason: string;
    };

export interface AuthorizeOptions {
  headers: IncomingHttpHeaders;
  url: URL;
  /** A token of any of these will do. */
  scope: TokenScope | readonly TokenScope[];
  /**
   * True: a request that the browser marks as coming from our own pages needs no token. Right only while the
   * server is bound to loopback; Host and Origin were checked before.
   */
  allowSameOrigin: boolean;
  /**
   * True: the request changes something. A page must then name its origin too, as browsers do with every
   * request that may change something and with no link, form of another site or address that was typed.
   */
  changes?: boolean;
}

/**
 * Whether a request may do what the scope names.
 * @throws what the database throws when it cannot be asked.
 */
export async function authorize(
  authenticator: Authenticator,
  { headers, url, scope, allowSameOrigin, changes = false }: AuthorizeOptions,
): Promise<Authorization> {
  if (hasTokenInUrl(url)) return { ok: false, status: 400, code: 'token_in_url', reason: TOKEN_IN_URL };
  const token = readBearer(headers);
  if (token !== null) return checkToken(authenticator, token, scope);
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin' && (!changes || headers.origin !== undefined);
  if (allowSameOrigin && isOwnPage) {
    return { ok: true, by: 'same-origin', name: 'browser' };
  }
  const reason = `This needs a token of scope ${wordsOf(scope)}: send it as "Authorization: Bearer …".`;
  return { ok: false, status: 401, code: 'unauthorized', reason };
}

/** Whether a token that was shown has the scope. */
export async function checkToken(
  authenticator: Authenticator,
  token: string,
  scope: TokenScope | readonly TokenScope[],
): Promise<Authorization> {
  const grant = await authenticator.verify(token);
  const scopes = listOf(scope);
  if (!grant) {
    const reason = `This token is unknown or was revoked. Make one with: npm run token -- --name NAME --scope ${scopes[0]}`;
    return { ok: false, status: 401, code: 'unauthorized', reason };
  }
  if (!scopes.includes(grant.scope)) {
    const reason = `This token has the scope ${grant.scope}; this needs ${wordsOf(scope)}.`;
    return { ok: false, status: 403, code: 'forbidden', reason };
  }
  return { ok: true, by: 'token', name: grant.name };
}

function listOf(scope: TokenScope | readonly TokenScope[]): readonly TokenScope[] {
  return typeof scope === 'string' ? [scope] : scope;
}

const wordsOf = (scope: TokenScope | readonly TokenScope[]): string => listOf(scope).join(' or ');
