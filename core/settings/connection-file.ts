/**
 * `connection.json` in the data folder (0600): how a command on the server's machine reaches it. Read without
 * any package, because a hook that reads it has no time to load one.
 */
export const CONNECTION_FILE = 'connection.json';

/** What `connection.json` becomes when its server stops: runners go on queueing for the address, the server keeps its tokens. */
export const LAST_CONNECTION_FILE = 'last-connection.json';

export interface ConnectionFile {
  url: string;
  ingestToken: string;
  readToken: string;
  /** 64 hexadecimal digits that never leave this machine's disk: by them the server proves that it is this one. */
  secret: string;
}

type Parsed = { success: true; data: ConnectionFile } | { success: false; error: TypeError };

export const connectionFile = {
  /** @throws TypeError unless the value is what such a file holds. */
  parse(value: unknown): ConnectionFile {
    const parsed = this.safeParse(value);
    if (parsed.success) return parsed.data;
    throw parsed.error;
  },

  safeParse(value: unknown): Parsed {
    const { url, ingestToken, readToken, secret } = (value ?? {}) as Record<string, unknown>;
    const isSound =
      typeof url === 'string' &&
      URL.canParse(url) &&
      typeof ingestToken === 'string' &&
      typeof readToken === 'string' &&
      typeof secret === 'string' &&
      HEX_64.test(secret);
    if (isSound) return { success: true, data: { url, ingestToken, readToken, secret } };
    return { success: false, error: new TypeError(`This is no ${CONNECTION_FILE}.`) };
  },
};

/** A secret, a challenge and a proof alike. */
export const HEX_64 = /^[0-9a-f]{64}$/;

/** Where a server says who it is, and proves it. */
export const IDENTITY_PATH = '/v1/identity';

/** What is proven: of this challenge, by that server, at that port. A proof made for one cannot be shown for another. */
export interface ProofSubject {
  /** 64 hexadecimal digits, made up by who asks. */
  challenge: string;
  /** Id of the server's database. */
  server: string;
  /** As it stands in the address: a proof of the true server must not serve who listens elsewhere. */
  port: number;
}

/** Text whose HMAC-SHA256, keyed with the secret's digits, is the proof: 64 hexadecimal digits. */
export function proofText({ challenge, server, port }: ProofSubject): string {
  return `barograph server proof 1\n${challenge}\n${server}\n${port}`;
}

/** The port of an address, also where it goes without saying. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== '') return Number(port);
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
}
