import { messageOf } from '../guard';
import { type RunnerSettings, readConfigFolder, readRunnerSettings } from '../settings';
import { textValue, UsageError, type Values } from './command';

export const CREATE_TOKEN =
  "Create one on the server's machine: `npx barograph token --name NAME --scope ingest` " +
  '(in a clone `npm run token -- …`)';

export type ConnectedSettings = RunnerSettings & { url: string };

/** @throws UsageError if no server is known or a setting is wrong; the message names a remedy. */
export function settingsFor(values: Values): ConnectedSettings {
  const { url, ...settings } = readOrExplain(values);
  if (url === null) throw new UsageError(noServer(settings.dataFolder));
  if (settings.token === null) {
    throw new UsageError(`No token for ${url}. ${CREATE_TOKEN}, then set BAROGRAPH_TOKEN or give --token.`);
  }
  return { ...settings, url };
}

export const readOrExplain = (values: Values): RunnerSettings => explain(() => readRunnerSettings(values));

/** Absolute path of the folder with the archives in `runs/`. @throws UsageError if it is unknown or relative. */
export const configFolderFor = (values: Values): string =>
  explain(() => readConfigFolder(textValue(values, 'config-dir')));

/** @throws UsageError with the message of an invalid setting */
export function explain<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

export function noServer(dataFolder: string): string {
  return (
    `No server is known: there is no connection.json in ${dataFolder}. A server on this machine writes this ` +
    'file when it starts; if it uses another data folder, set BAROGRAPH_DATA_DIR to that folder. For a ' +
    'server elsewhere set BAROGRAPH_URL and BAROGRAPH_TOKEN, or give --url and --token.'
  );
}
