/** `connection.json` in the data folder (0600). Parsed without any package: a hook has no time to load one. */
export const CONNECTION_FILE = 'connection.json';

/** Its name after the server stopped: runners still queue for the address, and the server reuses its tokens. */
export const LAST_CONNECTION_FILE = 'last-connection.json';

export interface ConnectionFile {
  url: string;
  ingestToken: string;
  readToken: string;
  /** 64 hexadecimal digits that never leave this machine. The server proves its identity with them. */
  secret: string;
}

export const HEX_64 = /^[0-9a-f]{64}$/;

/** @throws TypeError unless the value is a connection file. */
export function parseConnectionFile(value: unknown): ConnectionFile {
  const { url, ingestToken, readToken, secret } = Object(value) as Record<string, unknown>;
  const texts = [url, ingestToken, readToken, secret];
  if (texts.every((text) => typeof text === 'string') && URL.canParse(`${url}`) && HEX_64.test(`${secret}`)) {
    return { url, ingestToken, readToken, secret } as ConnectionFile;
  }
  throw new TypeError(`This is not a ${CONNECTION_FILE}.`);
}

export const IDENTITY_PATH = '/v1/identity';

/** Subject of a proof: this challenge, that server, that port. A proof for one is not valid for another. */
export interface ProofSubject {
  challenge: string;
  server: string;
  /** Port of the address, so that a proof cannot be reused by a program on another port. */
  port: number;
}

/** Text whose HMAC-SHA256, keyed with the secret, is the proof. */
export function proofText({ challenge, server, port }: ProofSubject): string {
  return `barograph server proof 1\n${challenge}\n${server}\n${port}`;
}

export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== '') return Number(port);
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
}
