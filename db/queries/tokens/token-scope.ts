/** `ingest`: may post telemetry. `read`: may read the API and the live feed. Neither includes the other. */
export const TOKEN_SCOPES = ['ingest', 'read'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** What a token that was shown allows. */
export interface TokenGrant {
  id: number;
  name: string;
  scope: TokenScope;
}
