import { TEST_SECRET } from '../proof/testing/identity';
import { type Flags, type RunnerSettings, readRunnerSettings } from '../settings';

/** The connection file of a server on this machine. */
export const CONNECTION = JSON.stringify({
  url: 'http://127.0.0.1:4680',
  ingestToken: 'bg_local',
  readToken: 'bg_read',
  secret: TEST_SECRET,
});

/** Settings of an account with a home folder. @param connection content of every connection file. */
export function settingsOf(
  environment: Record<string, string>,
  { flags = {}, connection = null }: { flags?: Flags; connection?: string | null } = {},
): RunnerSettings {
  const machine = { isRoot: false, home: () => '/home/ines', host: 'pier', readConnection: () => connection };
  return readRunnerSettings(flags, { ...machine, environment });
}
