/** All settings of all processes, for `.env.example`, the check for unknown names and messages. */
import settings from './setting-list.json' with { type: 'json' };

interface SettingDefinition {
  readBy: 'server' | 'runner' | 'both';
  unit: string;
  /** As written in the file; empty: not set. */
  default: string;
  meaning: string;
}

const definitions = settings as Readonly<Record<string, SettingDefinition>>;

export const SETTINGS = Object.entries(definitions).map(([name, setting]) => ({ name, ...setting }));
