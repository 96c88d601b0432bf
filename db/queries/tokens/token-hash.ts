import { createHash, randomBytes } from 'node:crypto';

/** How every token begins: a leaked one is found by its look. */
const TOKEN_PREFIX = 'bg_';
const SHAPE = /^bg_[A-Za-z0-9_-]{20,120}$/;

/** 256 random bits, so that a plain hash protects it as well as a slow one would. */
export function makeToken(): string {
  return TOKEN_PREFIX + randomBytes(32).toString('base64url');
}

/** Whether a text can be a token at all; anything else is not worth a look into the database. */
export function looksLikeToken(text: string): boolean {
  return SHAPE.test(text);
}

/** What is stored instead of the token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
