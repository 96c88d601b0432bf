/** `ingest`: posts telemetry. `read`: API and live feed. `admin`: changes by operators. No scope includes another. */
export const TOKEN_SCOPES = ['ingest', 'read', 'admin'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];
