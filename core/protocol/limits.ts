/**
 * Sizes a peer may rely on. The server states them in its welcome; a frame or field beyond them is
 * refused, never truncated.
 */
export const PROTOCOL_LIMITS = {
  /** Bytes of one WebSocket frame or one HTTP body. */
  maxFrameBytes: 4 * 1024 * 1024,
  /** Items in one frame or body. */
  maxItemsPerFrame: 5_000,
  /** Characters of a session key, chain key, call id or client session id. */
  maxKeyLength: 400,
  /** Characters of a title, model, host, folder, branch, reason or name. */
  maxLabelLength: 1_000,
  /** Characters of a checkpoint text or another long text. */
  maxTextLength: 200_000,
  /** Milliseconds a socket may stay silent before its hello. */
  helloTimeoutMs: 10_000,
  /** Milliseconds between server pings; a peer that misses two is closed. */
  pingIntervalMs: 20_000,
} as const;

export type ProtocolLimits = { readonly [K in keyof typeof PROTOCOL_LIMITS]: number };
