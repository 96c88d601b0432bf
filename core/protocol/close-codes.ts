/** WebSocket close codes of the ingest and live sockets. Codes below 4000 are the standard's. */
export const CLOSE = {
  /** 1001: the server stops; reconnect with back-off, nothing acknowledged is lost. */
  goingAway: 1001,
  /** 1009: a frame exceeded `maxFrameBytes`. Do not resend it as it was. */
  frameTooLarge: 1009,
  /** 4400: a frame was no JSON, or no message of this protocol. */
  badMessage: 4400,
  /** 4401: no token, or one the server does not know (or that was revoked). */
  unauthorized: 4401,
  forbidden: 4403,
  unsupportedVersion: 4406,
  helloTimeout: 4408,
  helloTwice: 4409,
  /** 4503: the server cannot store at the moment; reconnect with back-off. */
  unavailable: 4503,
} as const;

export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];
