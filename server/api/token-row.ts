import type { AccessToken } from '../../core/api/settings';
import type { ListedToken } from '../../db/queries/tokens/list-tokens';

/** A stored token as the API shows it. */
export function toAccessToken({ id, name, scope, createdAt, lastUsedAt }: ListedToken): AccessToken {
  return {
    id,
    name,
    scope,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
