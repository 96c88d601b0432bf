/**
 * Every setting of every process, once: `.env.example`, the check for unknown names and the messages come
 * from here. Who reads one parses it in its own settings file.
 */
export interface SettingDefinition {
  name: string;
  readBy: 'server' | 'runner' | 'both';
  /** What its value is counted in or written as. */
  unit: string;
  /** As one would write it; empty: not set. */
  default: string;
  meaning: string;
}

export const SETTINGS: readonly SettingDefinition[] = [
  {
    name: 'BAROGRAPH_PORT',
    readBy: 'server',
    unit: 'TCP port, 0 for any free one',
    default: '4680',
    meaning: 'Where the server answers: pages, API and runners alike.',
  },
  {
    name: 'BAROGRAPH_HOST',
    readBy: 'server',
    unit: 'loopback address',
    default: '127.0.0.1',
    meaning: 'Address the server binds. Until there are accounts it must be one of this machine alone.',
  },
  {
    name: 'BAROGRAPH_DATA_DIR',
    readBy: 'both',
    unit: 'absolute path',
    default: '',
    meaning:
      'The one folder that holds all data. Unset: /var/lib/barograph for root, otherwise ' +
      '$XDG_DATA_HOME/barograph or ~/.local/share/barograph.',
  },
  {
    name: 'DATABASE_URL',
    readBy: 'server',
    unit: 'postgres:// URL',
    default: '',
    meaning: 'A PostgreSQL (15 or newer) to use. Unset: the embedded one, in the data folder.',
  },
  {
    name: 'BAROGRAPH_DATABASE_CONNECTIONS',
    readBy: 'server',
    unit: 'connections',
    default: '16',
    meaning: 'Most connections this server process holds to the database.',
  },
  {
    name: 'BAROGRAPH_LOG_LEVEL',
    readBy: 'server',
    unit: 'trace, debug, info, warn, error, fatal or silent',
    default: 'info',
    meaning: 'Least serious log line that is written.',
  },
  {
    name: 'BAROGRAPH_IDLE_AFTER_MINUTES',
    readBy: 'server',
    unit: 'minutes',
    default: '10',
    meaning: 'A session without activity for this long is idle and no longer live.',
  },
  {
    name: 'BAROGRAPH_ROLE',
    readBy: 'server',
    unit: 'all, ingest or web',
    default: 'all',
    meaning: 'What this process serves: runners (ingest), pages with API and live feed (web), or both (all).',
  },
  {
    name: 'BAROGRAPH_URL',
    readBy: 'runner',
    unit: 'http:// or https:// URL',
    default: '',
    meaning: 'The server to report to. Unset: the one that connection.json in the data folder names.',
  },
  {
    name: 'BAROGRAPH_TOKEN',
    readBy: 'runner',
    unit: 'token',
    default: '',
    meaning: 'A token of scope ingest. Unset: the one of connection.json.',
  },
  {
    name: 'BAROGRAPH_PROJECT',
    readBy: 'runner',
    unit: 'name',
    default: '',
    meaning: "Project that sessions join. Unset: the base name of the agent's folder.",
  },
  {
    name: 'BAROGRAPH_CONTENT',
    readBy: 'runner',
    unit: 'on or off',
    default: 'on',
    meaning: 'Whether titles and other texts are sent; off sends numbers only.',
  },
  {
    name: 'BAROGRAPH_QUEUE_DIR',
    readBy: 'runner',
    unit: 'absolute path',
    default: '',
    meaning: 'Where a runner keeps what is not acknowledged yet. Unset: queue/ in the data folder.',
  },
  {
    name: 'BAROGRAPH_CONFIG_DIR',
    readBy: 'runner',
    unit: 'absolute path',
    default: '',
    meaning:
      'Where archives of transcripts lie, below runs/. Unset: $XDG_CONFIG_HOME/barograph or ' +
      '~/.config/barograph.',
  },
  {
    name: 'BAROGRAPH_UPLOAD_ARCHIVES',
    readBy: 'runner',
    unit: 'local, on or off',
    default: 'local',
    meaning:
      'Who gets archived transcripts, whole conversations with whatever secrets came up in them. local: a server ' +
      'on this machine alone; on: whichever server is reported to; off: none. With BAROGRAPH_CONTENT=off none ' +
      'ever does.',
  },
  {
    name: 'BAROGRAPH_HOOK_PATIENCE_SECONDS',
    readBy: 'runner',
    unit: 'seconds, 0 to 840',
    default: '720',
    meaning:
      'For how long after its hook the process that a hook leaves behind hands archives over to a server that does ' +
      'not answer, again and again. 0: it tries once. What is left then waits for the next hook, watch, import or ' +
      'barograph archives upload.',
  },
];
