/**
 * `ingest`: posts telemetry. `archive`: uploads transcripts. `read`: API and live feed. `admin`: changes by operators. No
 * scope includes another.
 */
export const TOKEN_SCOPES = ['ingest', 'archive', 'read', 'admin'] as const;
/** Scopes that projects can limit. */
export const PROJECT_SCOPES: readonly string[] = ['ingest', 'archive', 'read'];
export type TokenScope = (typeof TOKEN_SCOPES)[number];
