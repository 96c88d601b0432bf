import { SettingError } from '../../../core/settings/read-settings';
import { type RunnerSettings, readConfigFolder, readRunnerSettings } from '../settings';
import { flagsOf, textValue, UsageError, type Values } from './command';

export type ConnectedSettings = RunnerSettings & { url: string };

/** @throws UsageError with a remedy if no server is known or a setting is wrong. */
export function settingsFor(values: Values): ConnectedSettings {
  const settings = readOrExplain(values);
  if (settings.url === null) throw new UsageError(noServer(settings.dataFolder));
  if (settings.token === null) {
    throw new UsageError(
      `No token for ${settings.url}. Create one on the server's machine with ` +
        '`npm run token -- --name NAME --scope ingest`, and set BAROGRAPH_TOKEN or give --token.',
    );
  }
  return { ...settings, url: settings.url };
}

export function readOrExplain(values: Values): RunnerSettings {
  try {
    return readRunnerSettings(flagsOf(values));
  } catch (error) {
    if (error instanceof SettingError) throw new UsageError(error.message);
    throw error;
  }
}

/** Absolute path of the folder whose `runs/` has the archives. @throws UsageError if it is unknown or wrong. */
export function configFolderFor(values: Values): string {
  try {
    return readConfigFolder(textValue(values, 'config-dir'));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function noServer(dataFolder: string): string {
  return (
    `No server is known: there is no connection.json in ${dataFolder}. On this machine, start the server ` +
    'first; it writes that file (with another data folder, set BAROGRAPH_DATA_DIR to the same one). For a ' +
    'server elsewhere set BAROGRAPH_URL and BAROGRAPH_TOKEN, or give --url and --token.'
  );
}

/** The end of a token, enough to recognise it. */
export function maskToken(token: string): string {
  return token.length <= 8 ? '…' : `…${token.slice(-4)}`;
}
