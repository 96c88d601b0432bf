/**
 * `connection.json` in the data folder (0600): how a command on the server's machine reaches it. Read without
 * any package, because a hook that reads it has no time to load one.
 */
export const CONNECTION_FILE = 'connection.json';

export interface ConnectionFile {
  url: string;
  ingestToken: string;
  readToken: string;
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
    const { url, ingestToken, readToken } = (value ?? {}) as Record<string, unknown>;
    const isSound =
      typeof url === 'string' &&
      URL.canParse(url) &&
      typeof ingestToken === 'string' &&
      typeof readToken === 'string';
    if (isSound) return { success: true, data: { url, ingestToken, readToken } };
    return { success: false, error: new TypeError(`This is no ${CONNECTION_FILE}.`) };
  },
};
