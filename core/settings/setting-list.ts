/** All settings of all processes, for `.env.example`, the check for unknown names and messages. */
interface SettingDefinition {
  readBy: 'server' | 'runner' | 'both';
  unit: string;
  /** As written in the file; empty: not set. */
  default: string;
  meaning: string;
}

const DEFINITIONS: Readonly<Record<string, SettingDefinition>> = {
  BAROGRAPH_PORT: {
    readBy: 'server',
    unit: 'TCP port, 0 for any free one',
    default: '4680',
    meaning: 'Port of the server: pages, API and runners.',
  },
  BAROGRAPH_HOST: {
    readBy: 'server',
    unit: 'loopback address',
    default: '127.0.0.1',
    meaning: 'Address the server binds. It must be a loopback address until there are accounts.',
  },
  BAROGRAPH_DATA_DIR: {
    readBy: 'both',
    unit: 'absolute path',
    default: '',
    meaning:
      'The folder that holds all data. Unset: /var/lib/barograph for root, otherwise ' +
      '$XDG_DATA_HOME/barograph or ~/.local/share/barograph.',
  },
  DATABASE_URL: {
    readBy: 'server',
    unit: 'postgres:// URL',
    default: '',
    meaning: 'The PostgreSQL server (15 or newer) to use. Unset: the embedded one in the data folder.',
  },
  BAROGRAPH_DATABASE_CONNECTIONS: {
    readBy: 'server',
    unit: 'connections',
    default: '16',
    meaning: 'Maximum number of database connections of this server process.',
  },
  BAROGRAPH_LOG_LEVEL: {
    readBy: 'server',
    unit: 'trace, debug, info, warn, error, fatal or silent',
    default: 'info',
    meaning: 'Minimum level of log lines.',
  },
  BAROGRAPH_IDLE_AFTER_MINUTES: {
    readBy: 'server',
    unit: 'minutes',
    default: '10',
    meaning: 'A session without activity for this long is idle and no longer live.',
  },
  BAROGRAPH_ROLE: {
    readBy: 'server',
    unit: 'all, ingest or web',
    default: 'all',
    meaning: 'What this process serves: runners (ingest), pages with API and live feed (web), or both (all).',
  },
  BAROGRAPH_URL: {
    readBy: 'runner',
    unit: 'http:// or https:// URL',
    default: '',
    meaning: 'The server to report to. Unset: the one in connection.json of the data folder.',
  },
  BAROGRAPH_TOKEN: {
    readBy: 'runner',
    unit: 'token',
    default: '',
    meaning: 'A token of scope ingest. Unset: the one in connection.json.',
  },
  BAROGRAPH_TOKEN_FILE: {
    readBy: 'runner',
    unit: 'absolute path',
    default: '',
    meaning: 'A file that contains the token. It overrides BAROGRAPH_TOKEN.',
  },
  BAROGRAPH_PROJECT: {
    readBy: 'runner',
    unit: 'name',
    default: '',
    meaning: "Project that sessions join. Unset: the base name of the agent's folder.",
  },
  BAROGRAPH_CONTENT: {
    readBy: 'runner',
    unit: 'on or off',
    default: 'on',
    meaning: 'Whether titles and other texts are sent; off sends numbers only.',
  },
  BAROGRAPH_QUEUE_DIR: {
    readBy: 'runner',
    unit: 'absolute path',
    default: '',
    meaning: 'Folder of items that are not acknowledged yet. Unset: queue/ in the data folder.',
  },
  BAROGRAPH_CONFIG_DIR: {
    readBy: 'runner',
    unit: 'absolute path',
    default: '',
    meaning:
      'Folder of archived transcripts, below runs/. Unset: $XDG_CONFIG_HOME/barograph or ~/.config/barograph.',
  },
  BAROGRAPH_UPLOAD_ARCHIVES: {
    readBy: 'runner',
    unit: 'local, on or off',
    default: 'local',
    meaning:
      'Whether archived transcripts are uploaded. They are whole conversations, secrets included. local: to a ' +
      'server on this machine only; on: to any server; off: never. With BAROGRAPH_CONTENT=off none are uploaded.',
  },
};

export const SETTINGS = Object.entries(DEFINITIONS).map(([name, setting]) => ({ name, ...setting }));
