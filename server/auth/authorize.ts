import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Actor, LOCAL_PERSON, may, projectsOf, type Right } from '../../core/identity/actor';
import { ADDRESS_HEADER } from '../http/peer';
import type { Authenticator } from './authenticator';

/**
 * The token of `Authorization: Bearer …`, or null. The scheme's case does not matter (RFC 9110). Claude Code's exporter
 * sends the space as `%20` if its settings write it so.
 */
export function readBearer(headers: IncomingHttpHeaders): string | null {
  const match = /^bearer(?: |%20)+([!-~]+) *$/i.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Address of the client, behind trusted proxies too, for limits and for the last use of a token. */
export function addressOf({ headers }: IncomingMessage): string {
  return String(headers[ADDRESS_HEADER] ?? '');
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
  | { ok: true; actor: Actor }
  | {
      ok: false;
      status: 400 | 401 | 403;
      code: 'token_in_url' | 'unauthorized' | 'forbidden';
      reason: string;
    };

export interface AuthorizeOptions {
  request: IncomingMessage;
  url: URL;
  /** An actor with any of these rights, in any project, is accepted. The caller then checks the project. */
  rights: readonly Right[];
  /** True: a page of this server needs no token, but a person's session if the server has accounts. */
  allowPages: boolean;
  /** True: the request changes something. A page must then send its origin, which a link or a typed address does not. */
  changes?: boolean;
  /** True: the request was accepted before, so a token that ended since is no guess. */
  isKnown?: boolean;
}

/** Find who sends a request, and check that they have one of the rights. @throws database errors */
export async function authorize(
  authenticator: Authenticator,
  { request, url, rights, allowPages, changes = false, isKnown = false }: AuthorizeOptions,
): Promise<Authorization> {
  const { headers } = request;
  if (hasTokenInUrl(url)) return { ok: false, status: 400, code: 'token_in_url', reason: TOKEN_IN_URL };
  const token = readBearer(headers);
  if (token !== null)
    return checkToken(authenticator, token, rights, isKnown ? undefined : addressOf(request));
  if (allowPages && (!changes || headers.origin !== undefined)) {
    const person = await findPerson(authenticator, headers);
    if (person) return checkRights(person, rights);
  }
  const reason = `The request needs a token of scope ${rights.join(' or ')}: send it as "Authorization: Bearer …".`;
  return { ok: false, status: 401, code: 'unauthorized', reason };
}

/** Without accounts, a page of this server belongs to the person at this machine: the server binds loopback only. */
async function findPerson(authenticator: Authenticator, headers: IncomingHttpHeaders): Promise<Actor | null> {
  if (authenticator.findPerson) return authenticator.findPerson(headers);
  // Not every browser sends Sec-Fetch-Site when it opens a socket.
  const isSocket = headers.upgrade !== undefined && headers.origin !== undefined;
  return isSocket || headers['sec-fetch-site'] === 'same-origin' ? LOCAL_PERSON : null;
}

/** @param address of the peer that sent the token; missing: the token was accepted before */
export async function checkToken(
  authenticator: Authenticator,
  token: string,
  rights: readonly Right[],
  address?: string,
): Promise<Authorization> {
  const actor = await authenticator.verify(token, address);
  if (actor) return checkRights(actor, rights);
  const command = `npx barograph token --name NAME --scope ${rights[0]}`;
  const reason = `This token is unknown, expired or was revoked. Create one with: ${command}`;
  return { ok: false, status: 401, code: 'unauthorized', reason };
}

function checkRights(actor: Actor, rights: readonly Right[]): Authorization {
  if (projectsOf(actor, rights)?.length !== 0) return { ok: true, actor };
  const has = [...new Set(actor.grants.flatMap((grant) => grant.rights))].join(', ');
  const reason = `"${actor.name}" has the scope ${has}; the request needs ${rights.join(' or ')}.`;
  return { ok: false, status: 403, code: 'forbidden', reason };
}

/** The reason for refusing data of a project that the actor may not write, or null. */
export function findForeign(actor: Actor, right: Right, named: string): string | null {
  if (may(actor, [right], named)) return null;
  const own = projectsOf(actor, [right])?.map((project) => `"${project}"`) ?? [];
  return `The token "${actor.name}" may only write the project ${own.join(' or ')}, not "${named}".`;
}
