/** WebSocket close codes of the ingest and live sockets, as PROTOCOL.md explains them. */
export const CLOSE = {
  goingAway: 1001,
  frameTooLarge: 1009,
  badMessage: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  unsupportedVersion: 4406,
  helloTimeout: 4408,
  helloTwice: 4409,
  rateLimited: 4429,
  unavailable: 4503,
} as const;

export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];
