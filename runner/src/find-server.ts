import { type RunnerSettings, readRunnerSettings } from './settings';

/** A server known to this machine, and the queue folder that the `barograph` command uses. */
export interface KnownServer extends Pick<RunnerSettings, 'token' | 'secret' | 'queueFolder'> {
  /** The server's address. */
  url: string;
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
