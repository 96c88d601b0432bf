/**
 * Encrypts the secrets of channels before they are stored (AES-256-GCM). The key is in the data folder or a setting, so
 * a copy of the database alone does not contain the secrets.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEX_64 } from '../../core/settings/connection-file';

const CIPHER = 'aes-256-gcm';
/** Values without this mark were stored by an earlier version, unencrypted. */
const SEALED = 'sealed:1:';
const KEY_FILE = 'alert-secrets.key';
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16];

type Secret = Record<string, string>;

export interface SecretBox {
  /** Empty values stay empty, because an answer of the API states which secrets are set. */
  seal(secret: Secret): Secret;
  /** @throws Error if a value was sealed with another key */
  open(secret: Secret): Secret;
}

/** @param key 32 bytes */
export function createSecretBox(key: Buffer): SecretBox {
  const map = (secret: Secret, change: (value: string) => string) =>
    Object.fromEntries(Object.entries(secret).map(([name, value]) => [name, change(value)]));
  return {
    seal: (secret) =>
      map(secret, (value) => {
        if (value === '') return '';
        const iv = randomBytes(IV_BYTES);
        const cipher = createCipheriv(CIPHER, key, iv);
        const parts = [iv, cipher.update(value, 'utf8'), cipher.final()];
        return SEALED + Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64');
      }),
    open: (secret) =>
      map(secret, (value) => {
        if (!value.startsWith(SEALED)) return value;
        const bytes = Buffer.from(value.slice(SEALED.length), 'base64');
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = bytes.subarray(IV_BYTES, -TAG_BYTES);
        return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
      }),
  };
}

/** @param given key of the setting, in hex; null: the key of the data folder, made once. @throws what the file system throws */
export function openSecretBox(dataFolder: string, given: string | null): SecretBox {
  const file = join(dataFolder, KEY_FILE);
  const hex = given ?? readKey(file) ?? makeKey(file);
  return createSecretBox(Buffer.from(hex, 'hex'));
}

function readKey(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (HEX_64.test(text)) return text;
    throw new Error(`${file} does not contain a key of 64 hexadecimal digits.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function makeKey(file: string): string {
  const hex = randomBytes(KEY_BYTES).toString('hex');
  writeFileSync(file, `${hex}\n`, { mode: 0o600, flag: 'wx' });
  return hex;
}
