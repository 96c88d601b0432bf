import type { TokenScope } from '../../../core/identity/token-scopes';

export { TOKEN_SCOPES, type TokenScope } from '../../../core/identity/token-scopes';

/** What a token that was shown allows. */
export interface TokenGrant {
  id: number;
  name: string;
  scope: TokenScope;
}
