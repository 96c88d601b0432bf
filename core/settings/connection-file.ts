/** `connection.json` in the data folder (0600). Parsed without a package, because loading one would delay a hook. */
export const CONNECTION_FILE = 'connection.json';

/** Name of the file after the server has stopped. Runners still read the address, and the next server the tokens. */
export const LAST_CONNECTION_FILE = 'last-connection.json';

export interface ConnectionFile {
  url: string;
  ingestToken: string;
  readToken: string;
  /** 64 hexadecimal digits that never leave this machine. The server proves its identity with them. */
  secret: string;
}

export const HEX_64 = /^[0-9a-f]{64}$/;

/** @throws TypeError unless the value is a connection file */
export function parseConnectionFile(value: unknown): ConnectionFile {
  const { url, ingestToken, readToken, secret } = Object(value) as Record<string, unknown>;
  const texts = [url, ingestToken, readToken, secret];
  if (texts.every((text) => typeof text === 'string') && URL.canParse(`${url}`) && HEX_64.test(`${secret}`)) {
    return { url, ingestToken, readToken, secret } as ConnectionFile;
  }
  throw new TypeError(`This is not a ${CONNECTION_FILE}.`);
}

export const IDENTITY_PATH = '/v1/identity';

/** What a server proves. A proof is valid only for this challenge, server and port. */
export interface ProofSubject {
  challenge: string;
  server: string;
  /** Port of the address, so that a proof cannot be reused by a program on another port. */
  port: number;
}

/** The text of a proof. The proof is the text's HMAC-SHA256 with the secret as its key. */
export function proofText({ challenge, server, port }: ProofSubject): string {
  return `barograph server proof 1\n${challenge}\n${server}\n${port}`;
}

export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== '') return Number(port);
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
}

/**
 * The OTLP key is the HMAC-SHA256 of this text with the secret as its key. It only lets a program of this machine add
 * telemetry, because the settings of Codex and Gemini CLI contain it as plain text.
 */
export const OTLP_KEY_TEXT = 'barograph otlp key 1';

/** Paths below this one name the key, for exporters that cannot send a header: `/v1/otlp/KEY/v1/logs`. */
export const OTLP_KEY_PATH = '/v1/otlp';
