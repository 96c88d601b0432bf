import { readRunnerSettings } from './settings';

/** A server as this machine knows it. */
export interface KnownServer {
  url: string;
  /** Token of scope `ingest`; null: none is known. */
  token: string | null;
  /** What the server has to prove that it knows; null: its address was given, and it is taken for what it says. */
  secret: string | null;
  /** Folder for the durable queue that the `barograph` command uses too. */
  queueFolder: string;
}

/**
 * Finds the server as the `barograph` command does: `BAROGRAPH_URL` and `BAROGRAPH_TOKEN`, else what a server on this
 * machine wrote into its data folder. It does not ask whether anything answers there.
 * @returns null where nothing names a server.
 * @throws an error with a sentence for the operator where a setting is wrong or unknown.
 */
export function findServer(): KnownServer | null {
  const { url, token, secret, queueFolder } = readRunnerSettings({});
  return url === null ? null : { url, token, secret, queueFolder };
}
