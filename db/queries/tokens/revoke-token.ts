import type postgres from 'postgres';
import { transact } from '../../transact';
import { recordAct } from '../../transcripts/record-audit';
import type { TokenGrant } from './token-scope';

/**
 * Ends a token for good. Servers notice within a minute.
 * @param actor who does so, for the audit log
 * @returns false where it was unknown or revoked before
 */
export async function revokeToken(
  sql: postgres.Sql,
  { id, name, scope }: TokenGrant,
  actor: string,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const { count } = await tx`update tokens set revoked_at = now() where id = ${id} and revoked_at is null`;
    if (count === 0) return false;
    await recordAct(tx, { actor, action: 'token_revoked', project: null, detail: { name, scope } });
    return true;
  });
}
