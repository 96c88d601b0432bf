/**
 * Sizes a peer may rely on. The server states them in its welcome; a frame or field beyond them is
 * refused, never truncated.
 */
export const PROTOCOL_LIMITS = {
  maxFrameBytes: 4 * 1024 * 1024,
  maxItemsPerFrame: 5_000,
  /** Characters of a session key, chain key, call id or client session id. */
  maxKeyLength: 400,
  /** Characters of a title, model, host, folder, branch, reason or name. */
  maxLabelLength: 1_000,
  /** Characters of a checkpoint text or another long text. */
  maxTextLength: 200_000,
  helloTimeoutMs: 10_000,
  /** Milliseconds between server pings; a peer that misses two is closed. */
  pingIntervalMs: 20_000,
} as const;

export type ProtocolLimits = { readonly [K in keyof typeof PROTOCOL_LIMITS]: number };
