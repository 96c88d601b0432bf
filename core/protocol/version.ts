/**
 * Wire protocol version. A server speaks exactly one major version; new optional fields and new
 * message types may join within a version, and unknown fields are ignored. A hello with another
 * version is refused with close code 4406 (HTTP: 400 `unsupported_version`).
 */
export const PROTOCOL_VERSION = 1;
