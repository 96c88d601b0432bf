/** `/api/auth`: the requests of the log-in pages, answered by better-auth. Other paths of better-auth are closed. */
import { invitationSecret, type OpenInvitation } from '../../core/api/people';
import { auditName } from '../../core/identity/roles';
import { readInvitation } from '../../db/queries/people';
import { notifyAccess } from '../../db/queries/tokens';
import { recordAudit } from '../../db/transcripts/record-audit';
import { answerError, answerJson } from '../http/answers';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { ADDRESS_HEADER } from '../http/peer';
import { readBody } from '../ingest/read-body';
import type { Accounts } from './accounts';

const PREFIX = '/api/auth';
const MAX_BODY_BYTES = 16 * 1024;
/** Repeated failures from one address are one audit entry. */
const ONE_FAILURE_MS = 60_000;

const INVITATION = '/invitation';
const SIGN_UP = '/sign-up/email';

const OPEN = new Set([
  `POST ${INVITATION}`,
  `POST ${SIGN_UP}`,
  'POST /sign-in/email',
  'POST /sign-in/social',
  'GET /callback/sso',
  'POST /sign-out',
  'POST /change-password',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /passkey/list-user-passkeys',
  'POST /passkey/delete-passkey',
]);

export function createAccountsEndpoint({ sql }: Pick<ServerContext, 'sql'>, accounts: Accounts): Endpoint {
  async function isInvited({ invitation, email }: Record<string, string>): Promise<boolean> {
    const found = await readInvitation(sql, String(invitation));
    return found !== null && (found.email === null || found.email === String(email).toLowerCase());
  }

  return {
    async handleRequest(req, res, url) {
      const path = url.pathname.slice(PREFIX.length);
      if (!OPEN.has(`${req.method} ${path}`)) {
        return answerError(res, 404, 'not_found', 'No endpoint at this path.');
      }
      // A form of another site cannot send JSON, and sends its own origin.
      if (req.method === 'POST' && req.headers.origin === undefined) {
        return answerError(res, 403, 'no_origin', 'The request has no Origin header.');
      }
      const body = req.method === 'POST' ? await readBody(req, MAX_BODY_BYTES) : null;
      if (body?.ok === false) return answerError(res, body.status, body.code, body.reason);
      if (path === INVITATION) {
        const { data } = invitationSecret.safeParse(parseJson(body?.text ?? ''));
        const found = data ? await readInvitation(sql, data.secret) : null;
        if (found) return answerJson(res, 200, found satisfies OpenInvitation);
        return answerError(
          res,
          404,
          'no_invitation',
          'This invitation was used, has expired, or was deleted.',
        );
      }
      // The library looks for the address first, which would show strangers who has an account.
      if (path === SIGN_UP && !(await isInvited(parseJson(body?.text ?? '')))) {
        return answerError(
          res,
          403,
          'no_invitation',
          'This invitation is not valid: it was used, has expired, or is for another address.',
        );
      }
      const before = path === '/sign-out' ? await accounts.findPerson(req.headers) : null;
      const headers = new Headers();
      for (const name of ['accept', 'content-type', 'cookie', 'origin', 'user-agent', ADDRESS_HEADER]) {
        const value = req.headers[name];
        if (typeof value === 'string') headers.set(name, value);
      }
      const request = new Request(url, {
        method: req.method ?? 'GET',
        headers,
        ...(body?.ok && { body: body.text }),
      });
      const answer = await accounts.handle(request);
      if (answer.status === 401 && /sign-in|authentication/.test(path)) {
        await recordAudit(sql, {
          actor: 'unknown',
          action: 'log_in_failed',
          detail: { reason: `from ${String(req.headers[ADDRESS_HEADER])}` },
          onceInMs: ONE_FAILURE_MS,
        });
      }
      // Both end log-ins.
      if (answer.ok && /^\/(sign-out|change-password)$/.test(path)) await notifyAccess(sql);
      if (before && answer.ok)
        await recordAudit(sql, { actor: auditName(before.person), action: 'logged_out' });
      const cookies = answer.headers.getSetCookie();
      if (cookies.length > 0) res.setHeader('Set-Cookie', cookies);
      const location = answer.headers.get('location');
      if (location !== null) res.setHeader('Location', location);
      const text = await answer.text();
      if (answer.status >= 400) {
        const { code, message } = readProblem(text);
        const retry = answer.headers.get('x-retry-after');
        if (retry !== null) res.setHeader('Retry-After', retry);
        return answerError(res, answer.status, code, message);
      }
      res.writeHead(answer.status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
      });
      // The cookie holds the session's token, which no script of the page may read.
      const { token: _token, session: _session, ...shown } = parseJson(text);
      res.end(text.startsWith('{') ? JSON.stringify(shown) : text);
    },
    close: () => Promise.resolve(),
  };
}

function readProblem(text: string): { code: string; message: string } {
  const { code = 'refused', message = 'The request was refused.' } = parseJson(text);
  return { code: code.toLowerCase(), message };
}

function parseJson(text: string): Record<string, string> {
  try {
    return Object(JSON.parse(text)) as Record<string, string>;
  } catch {
    return {};
  }
}
