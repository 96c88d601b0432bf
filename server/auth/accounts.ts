/**
 * Accounts of people, on better-auth: passwords (argon2id), passkeys and single sign-on. Sessions are rows of Postgres
 * that are read for each request, so that a deleted row ends its session on every server.
 *
 * Owns a client of its own, because Drizzle changes the parsers of a client.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { passkey } from '@better-auth/passkey';
import { hash, verify } from '@node-rs/argon2';
import { betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { genericOAuth } from 'better-auth/plugins';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { cleanText } from '../../core/agents/fields';
import { LEAST_PASSWORD } from '../../core/api/people-limits';
import { actorOf, auditName, type PersonActor, type ProjectRole } from '../../core/identity/roles';
import { findPerson, loadCookieSecret, setRole, takeInvitations } from '../../db/queries/people';
import { challenges, credentials, logins, passkeys, people } from '../../db/schema/people';
import { recordAudit } from '../../db/transcripts/record-audit';
import { ADDRESS_HEADER } from '../http/peer';
import type { SingleSignOn } from '../settings';
/** Parts of the SHA-256 of all passwords with 12 characters or more in @zxcvbn-ts/language-common 4.1.3 (MIT). */
import commonPasswords from './common-passwords.json' with { type: 'json' };

/** Sessions are not prolonged: everyone logs in again after a week. */
const SESSION_SECONDS = 7 * 86_400;
/** OWASP's parameters for argon2id, which is the package's default algorithm. Memory in KiB. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Requests of one address with a password, right or wrong. */
const WRONG_PASSWORDS_PER_MINUTE = 10;
/** Characters. */
const LONGEST_NAME = 100;
/** Id of the provider, in the redirect address that the provider knows: `/api/auth/callback/sso`. */
const SSO = 'sso';

export interface AccountsOptions {
  sql: postgres.Sql;
  /** A client for Drizzle only. */
  own: postgres.Sql;
  log: Logger;
  /** Address that people open. Passkeys and single sign-on are bound to it. */
  publicUrl: URL;
  singleSignOn: SingleSignOn | null;
}

export type Accounts = Awaited<ReturnType<typeof createAccounts>>;

export async function createAccounts({ sql, own, log, publicUrl, singleSignOn }: AccountsOptions) {
  const isSecure = publicUrl.protocol === 'https:';
  // A cookie with this prefix is refused unless this very host set it over TLS.
  const prefix = isSecure ? '__Host-barograph' : 'barograph';
  const name = `${prefix}.session_token`;
  /** Roles of people that are being created, by address. */
  const invited = new Map<string, ProjectRole[]>();

  const auth = betterAuth({
    appName: 'Barograph',
    baseURL: publicUrl.origin,
    basePath: '/api/auth',
    secret: await loadCookieSecret(sql),
    database: drizzleAdapter(drizzle(own, { casing: 'snake_case' }), {
      provider: 'pg',
      transaction: true,
      schema: {
        user: people,
        session: logins,
        account: credentials,
        verification: challenges,
        passkey: passkeys,
      },
    }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: LEAST_PASSWORD,
      maxPasswordLength: 200,
      password: {
        hash: (password) => hash(password, ARGON2),
        verify: ({ hash: stored, password }) => verify(stored, password),
      },
    },
    hooks: {
      before: createAuthMiddleware(async ({ path, body }) => {
        const chosen = path === '/sign-up/email' ? body?.password : body?.newPassword;
        if (typeof chosen !== 'string' || !isCommon(chosen)) return;
        const message = 'This password is too easy to guess: it is common, or repeats a few characters.';
        throw new APIError('BAD_REQUEST', { code: 'COMMON_PASSWORD', message });
      }),
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true, freshAge: 0 },
    account: { updateAccountOnSignIn: false },
    // The gate has compared the origin of each request with its host.
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    advanced: {
      cookiePrefix: prefix,
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, sameSite: 'lax', httpOnly: true, path: '/' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
    rateLimit: {
      enabled: true,
      storage: 'memory',
      window: 60,
      max: 300,
      customRules: {
        '/sign-in/email': { window: 60, max: WRONG_PASSWORDS_PER_MINUTE },
        '/sign-in/social': { window: 60, max: 30 },
        '/sign-up/*': { window: 60, max: 30 },
        '/change-password': { window: 60, max: WRONG_PASSWORDS_PER_MINUTE },
      },
    },
    telemetry: { enabled: false },
    logger: { log: (_level, message) => log.debug({ detail: message }, 'accounts') },
    plugins: [
      passkey({ rpID: publicUrl.hostname, rpName: 'Barograph' }),
      ...(singleSignOn
        ? [
            genericOAuth({
              config: [
                {
                  providerId: SSO,
                  clientId: singleSignOn.clientId,
                  clientSecret: singleSignOn.clientSecret,
                  discoveryUrl: `${singleSignOn.issuer}/.well-known/openid-configuration`,
                  requireIdTokenVerification: true,
                  scopes: ['openid', 'email', 'profile'],
                  pkce: true,
                },
              ],
            }),
          ]
        : []),
    ],
    databaseHooks: {
      user: {
        create: {
          async before(user, context) {
            const { invitation } = (context?.body ?? {}) as { invitation?: unknown };
            const secret = typeof invitation === 'string' ? invitation : null;
            // Without a link, the provider must have verified the address.
            const roles =
              secret === null && !user.emailVerified ? [] : await takeInvitations(sql, user.email, secret);
            if (roles.length === 0) {
              const message =
                secret === null
                  ? 'There is no invitation for this e-mail address.'
                  : 'This invitation is not valid: it was used, has expired, or is for another address.';
              throw new APIError('FORBIDDEN', { code: 'NO_INVITATION', message });
            }
            invited.set(user.email, roles);
            // The invitation counts as verification of the address. No page shows pictures.
            const name = cleanName(user.name) ?? user.email;
            return { data: { ...user, name, image: null, emailVerified: true } };
          },
          async after(user) {
            const actor = auditName(user);
            for (const { project, role } of invited.get(user.email) ?? []) {
              await setRole(sql, user.id, project, role);
              await recordAudit(sql, { actor, action: 'person_joined', project, detail: { role } });
            }
            invited.delete(user.email);
          },
        },
      },
      account: {
        create: {
          // The provider's tokens are not needed again.
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          async after(session, context) {
            const person = await findPerson(sql, session.token);
            if (!person) return;
            const detail = { reason: context?.path?.split('/')[2] ?? '' };
            await recordAudit(sql, { actor: auditName(person), action: 'logged_in', detail });
          },
        },
      },
    },
  });

  return {
    handle: auth.handler,
    /** Address that people open. */
    origin: publicUrl.origin,
    hasSingleSignOn: singleSignOn !== null,
    /** The logged-in person of a request. Null: no valid session. */
    async findPerson({ cookie = '' }: IncomingHttpHeaders): Promise<PersonActor | null> {
      const token = readCookie(cookie, name);
      const person = token === null ? null : await findPerson(sql, token);
      return person && actorOf(person);
    },
  };
}

/**
 * A name for lists and the audit log, where the address in brackets follows. Invisible characters could imitate another
 * name. Null: nothing is left.
 */
function cleanName(name: string): string | null {
  return cleanText(name.replace(/[\p{C}\p{Z}<>]+/gu, ' '), LONGEST_NAME);
}

const COMMON = new Set<string>(commonPasswords);

/** A password of the list, also with capitals or with digits at the end, the product's name, or a repetition. */
function isCommon(password: string): boolean {
  const letters = password.toLowerCase();
  const hashes = [letters, letters.replace(/[^\p{L}]+$/u, '')].map((each) =>
    createHash('sha256').update(each).digest('hex').slice(0, 12),
  );
  return /^barograph\P{L}*$|^(.{1,6}?)\1+.{0,5}$/su.test(letters) || hashes.some((each) => COMMON.has(each));
}

/** The session's token in a signed cookie. The token is random, so the signature need not be checked. */
function readCookie(header: string, name: string): string | null {
  for (const pair of header.split('; ')) {
    if (!pair.startsWith(`${name}=`)) continue;
    return /^[A-Za-z0-9]{32}(?=\.|%2E)/i.exec(pair.slice(name.length + 1))?.[0] ?? null;
  }
  return null;
}
