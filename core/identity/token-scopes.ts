/**
 * `ingest`: may post telemetry. `read`: may read the API and the live feed. `admin`: may change what operators
 * change (settings, tokens, notes). None includes another.
 */
export const TOKEN_SCOPES = ['ingest', 'read', 'admin'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];
