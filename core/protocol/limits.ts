/**
 * Limits of the protocol. The server states them in its welcome. A frame or field beyond a limit is refused, never
 * truncated.
 */
export const PROTOCOL_LIMITS = {
  maxFrameBytes: 4 * 1024 * 1024,
  maxItemsPerFrame: 5_000,
  /** Characters of a session key, chain key, call id or client session id. */
  maxKeyLength: 400,
  /** Characters of a title, model, host, folder, branch, reason or name. */
  maxLabelLength: 1_000,
  /** Characters of a checkpoint or a prompt. */
  maxTextLength: 200_000,
  helloTimeoutMs: 10_000,
  /** Milliseconds between server pings. The server disconnects a peer that misses two. */
  pingIntervalMs: 20_000,
} as const;

export type ProtocolLimits = { readonly [K in keyof typeof PROTOCOL_LIMITS]: number };
