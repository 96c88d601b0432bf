/**
 * Wire protocol version. A server speaks exactly one version. A version may gain optional fields and message types, and
 * unknown fields are ignored. A hello with another version is refused with close code 4406 (HTTP 400).
 */
export const PROTOCOL_VERSION = 1;
