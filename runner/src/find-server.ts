import { readRunnerSettings } from './settings';

/** A server known to this machine. */
export interface KnownServer {
  url: string;
  /** Token of scope `ingest`; null if unknown. */
  token: string | null;
  /** Secret that the server must prove to know; null: the address was given and is trusted. */
  secret: string | null;
  /** Folder for the durable queue that the `barograph` command uses too. */
  queueFolder: string;
}

/**
 * Find the server as the `barograph` command does: `BAROGRAPH_URL` and `BAROGRAPH_TOKEN`, else the connection file of a
 * server on this machine. Does not connect.
 * @returns null if no server is known.
 * @throws SettingError if a setting is wrong or unknown.
 */
export function findServer(): KnownServer | null {
  const { url, token, secret, queueFolder } = readRunnerSettings({});
  return url === null ? null : { url, token, secret, queueFolder };
}
