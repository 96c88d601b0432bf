import { createHash, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import type { AccessToken } from '../../core/api/settings';
import type { TokenScope } from '../../core/identity/token-scopes';
import { transact } from '../transact';
import { recordAudit } from '../transcripts/record-audit';

/** Prefix of every token, so that secret scanners find a leaked token. */
const TOKEN_PREFIX = 'bg_';
/** Number of characters that lists show, so that an operator recognises a leaked token. */
const START_LENGTH = 9;
/** 256 random bits, and a checksum of 36 bits that tokens of earlier versions lack. */
const SHAPE = /^(bg_[A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})?$/;

/** Channel for notifications between server processes: tokens were revoked, rotated or limited. The payload is empty. */
export const TOKENS_CHANNEL = 'barograph_tokens';

/** Whether a text has the format and the checksum of a token; others are not looked up. */
export function looksLikeToken(text: string): boolean {
  const [, body = '', sum] = SHAPE.exec(text) ?? [];
  return body !== '' && (sum === undefined || sum === checksumOf(body));
}

function checksumOf(body: string): string {
  return hashToken(body).toString('base64url').slice(0, 6);
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

export { TOKEN_SCOPES, type TokenScope } from '../../core/identity/token-scopes';

export interface TokenGrant {
  id: number;
  name: string;
  scopes: TokenScope[];
  /** The only projects that the token may use. Null: every project. */
  projects: string[] | null;
}

export interface NewGrant {
  name: string;
  scopes: readonly TokenScope[];
  projects?: readonly string[] | null | undefined;
  /** Null: never. */
  expiresAt?: Date | null | undefined;
}

export interface ListedToken extends TokenGrant {
  /** First characters of the secret. Null: a token of an earlier version. */
  start: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  /** Until then the secret before the last rotation is valid too. */
  rotatesUntil: Date | null;
  /** Exact to a minute. Null: never used. */
  lastUsedAt: Date | null;
  /** Address of the last use. */
  lastUsedFrom: string | null;
}

/** An active token already has this name. */
export class TokenNameTakenError extends Error {
  override readonly name = 'TokenNameTakenError';
}

const IS_ACTIVE = 'revoked_at is null and (expires_at is null or expires_at > now())';
const LISTED = `
  id, name, scopes, projects, start, created_at as "createdAt", expires_at as "expiresAt",
  case when old_until > now() then old_until end as "rotatesUntil", last_used_at as "lastUsedAt",
  last_used_from as "lastUsedFrom"`;

/** Tokens that are not revoked. Expired ones are included, so that operators see why a program is refused. */
export async function listTokens(sql: postgres.ISql): Promise<ListedToken[]> {
  return await sql<ListedToken[]>`
    select ${sql.unsafe(LISTED)} from tokens where revoked_at is null order by id`;
}

function newSecret(): string {
  // 256 random bits, so a plain hash protects them as well as a slow hash.
  const body = TOKEN_PREFIX + randomBytes(32).toString('base64url');
  return body + checksumOf(body);
}

/**
 * @returns the token itself, which cannot be read again, and its entry in lists
 * @throws TokenNameTakenError
 */
export async function issueToken(
  sql: postgres.ISql,
  { name, scopes, projects = null, expiresAt = null }: NewGrant,
): Promise<{ secret: string; token: ListedToken }> {
  const secret = newSecret();
  const [token] = await sql<ListedToken[]>`
    insert into tokens (name, scopes, projects, expires_at, hash, start)
    values (${name}, ${[...scopes]}, ${projects && [...projects]}, ${expiresAt}, ${hashToken(secret)},
      ${secret.slice(0, START_LENGTH)})
    on conflict (name) where revoked_at is null do nothing
    returning ${sql.unsafe(LISTED)}`;
  if (!token) throw new TokenNameTakenError(`the name "${name}" is taken by an active token`);
  return { secret, token };
}

/**
 * Give a token a new secret. The former secret stays valid for a while, so that programs can be changed one by one.
 * @param overlapMs 0: the former secret ends at once
 * @returns null for an unknown or revoked token
 */
export async function rotateToken(
  sql: postgres.Sql,
  { id, overlapMs }: { id: number; overlapMs: number },
  actor: string,
): Promise<{ secret: string; token: ListedToken } | null> {
  const secret = newSecret();
  return transact(sql, async (tx) => {
    const [token] = await tx<ListedToken[]>`
      update tokens set old_hash = hash, old_until = now() + ${overlapMs}::float8 * interval '1 millisecond',
        hash = ${hashToken(secret)}, start = ${secret.slice(0, START_LENGTH)}
      where id = ${id} and revoked_at is null returning ${tx.unsafe(LISTED)}`;
    if (!token) return null;
    const detail = { ...describeGrant(token), overlapMinutes: Math.round(overlapMs / 60_000) };
    await recordAudit(tx, { actor, action: 'token_rotated', detail });
    await notifyAccess(tx);
    return { secret, token };
  });
}

export interface VerifiedToken extends TokenGrant {
  /** Milliseconds until this secret ends; null: never. */
  validForMs: number | null;
}

/** @returns what the token allows, or null: unknown, revoked, expired, or not a token. */
export async function verifyToken(sql: postgres.ISql, token: string): Promise<VerifiedToken | null> {
  if (!looksLikeToken(token)) return null;
  const hash = hashToken(token);
  const rows = await sql<VerifiedToken[]>`
    select id, name, scopes, projects, extract(epoch from least(
        expires_at, case when hash <> ${hash} then old_until end
      ) - now())::float8 * 1000 as "validForMs"
    from tokens
    where (hash = ${hash} or old_hash = ${hash} and old_until > now()) and ${sql.unsafe(IS_ACTIVE)}`;
  return rows[0] ?? null;
}

/** Create a token, with a number after its name if the name is taken. */
export async function createToken(sql: postgres.ISql, grant: NewGrant): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const name = copy === 1 ? grant.name : `${grant.name} ${copy}`;
    try {
      return (await issueToken(sql, { ...grant, name })).secret;
    } catch (error) {
      if (!(error instanceof TokenNameTakenError)) throw error;
    }
  }
}

/** Record the use of a token, at most once a minute, so that a busy token does not cause constant updates. */
export async function touchToken(sql: postgres.Sql, id: number, address: string | null): Promise<void> {
  await sql`
    update tokens set last_used_at = now(), last_used_from = ${address}
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}

/** Every server refuses the token within a second. @returns false for an unknown or revoked token */
export async function revokeToken(sql: postgres.Sql, token: TokenGrant, actor: string): Promise<boolean> {
  return transact(sql, async (tx) => {
    const { count } = await tx`
      update tokens set revoked_at = now() where id = ${token.id} and revoked_at is null`;
    if (count === 0) return false;
    await recordAudit(tx, { actor, action: 'token_revoked', detail: describeGrant(token) });
    await notifyAccess(tx);
    return true;
  });
}

/** A token as the API and the pages show it. */
export function toAccessToken(token: ListedToken): AccessToken {
  const { createdAt, expiresAt, rotatesUntil, lastUsedAt } = token;
  return {
    ...token,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    rotatesUntil: rotatesUntil?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

/** What the audit log keeps of a token. */
export function describeGrant({ name, scopes, projects }: NewGrant | TokenGrant): Record<string, unknown> {
  return { name, scopes, ...(projects && { projects }) };
}

/** Make every server check its open sockets again: a token, a log-in or a role may have ended. */
export async function notifyAccess(tx: postgres.ISql): Promise<void> {
  await tx`select pg_notify(${TOKENS_CHANNEL}, '')`;
}
