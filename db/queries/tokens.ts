import { createHash, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import type { TokenScope } from '../../core/identity/token-scopes';
import { transact } from '../transact';
import { recordAudit } from '../transcripts/record-audit';

/** Prefix of every token, so that secret scanners find a leaked token. */
const TOKEN_PREFIX = 'bg_';
const SHAPE = /^bg_[A-Za-z0-9_-]{20,120}$/;

/** Whether a text has the format of a token; others are not looked up. */
export function looksLikeToken(text: string): boolean {
  return SHAPE.test(text);
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

export { TOKEN_SCOPES, type TokenScope } from '../../core/identity/token-scopes';

export interface TokenGrant {
  id: number;
  name: string;
  scope: TokenScope;
  /** The only project that the token may write. Null: every project. */
  project: string | null;
}

export type NewGrant = Pick<TokenGrant, 'name' | 'scope'> & { project?: string | null | undefined };

export interface ListedToken extends TokenGrant {
  createdAt: Date;
  /** Exact to a minute. Null: never used. */
  lastUsedAt: Date | null;
}

export async function listTokens(sql: postgres.Sql): Promise<ListedToken[]> {
  return await sql<ListedToken[]>`
    select id, name, scope, project, created_at as "createdAt", last_used_at as "lastUsedAt"
    from tokens where revoked_at is null order by id`;
}

/** @returns the token itself, which cannot be read again, and its entry in lists */
export async function issueToken(
  sql: postgres.ISql,
  { name, scope, project = null }: NewGrant,
): Promise<{ secret: string; token: ListedToken }> {
  // A token has 256 random bits, so a plain hash protects it as well as a slow hash.
  const secret = TOKEN_PREFIX + randomBytes(32).toString('base64url');
  const [token] = await sql<ListedToken[]>`
    insert into tokens (name, scope, project, hash) values (${name}, ${scope}, ${project}, ${hashToken(secret)})
    returning id, name, scope, project, created_at as "createdAt", last_used_at as "lastUsedAt"`;
  if (!token) throw new Error('the database stored no token');
  return { secret, token };
}

/** @returns what the token allows, or null: unknown, revoked, or not a token. */
export async function verifyToken(sql: postgres.Sql, token: string): Promise<TokenGrant | null> {
  if (!looksLikeToken(token)) return null;
  const rows = await sql<TokenGrant[]>`
    select id, name, scope, project from tokens where hash = ${hashToken(token)} and revoked_at is null`;
  return rows[0] ?? null;
}

export async function createToken(sql: postgres.Sql, grant: NewGrant) {
  return (await issueToken(sql, grant)).secret;
}

/** Record the use of a token, at most once a minute, so that a busy token does not cause constant updates. */
export async function touchToken(sql: postgres.Sql, id: number): Promise<void> {
  await sql`
    update tokens set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}

/** Other servers refuse the token within a minute. @returns false for an unknown or revoked token */
export async function revokeToken(
  sql: postgres.Sql,
  { id, name, scope, project }: TokenGrant,
  actor: string,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const { count } = await tx`update tokens set revoked_at = now() where id = ${id} and revoked_at is null`;
    if (count === 0) return false;
    const detail = { name, scope, ...(project !== null && { project }) };
    await recordAudit(tx, { actor, action: 'token_revoked', detail });
    return true;
  });
}
