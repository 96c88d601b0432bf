import type { ServerRole } from './settings';

/** What the server prints when it is ready: where to look, where the data lies, and what to do next. */
export interface WelcomeFacts {
  version: string;
  url: string;
  dataFolder: string;
  /** Needed in front of a command that must find the data folder; false for the default one. */
  isDefaultDataFolder: boolean;
  database: string;
  /** Folder of the project, where `npx barograph` works. */
  projectFolder: string;
  role: ServerRole;
  /** Names in `.env` that only the commands of a runner read, from the environment. */
  unreadSettings: readonly string[];
}

/** What stands in front of the commands of the project's folder: how to get there, and which data is meant. */
export function commandPrefixes(
  facts: Pick<WelcomeFacts, 'dataFolder' | 'isDefaultDataFolder' | 'projectFolder'>,
): { folderPrefix: string; dataPrefix: string } {
  return {
    folderPrefix: `cd ${quote(facts.projectFolder)} && `,
    dataPrefix: facts.isDefaultDataFolder ? '' : `BAROGRAPH_DATA_DIR=${quote(facts.dataFolder)} `,
  };
}

export function formatWelcome(facts: WelcomeFacts): string {
  const { folderPrefix, dataPrefix } = commandPrefixes(facts);
  const command = (rest: string) => `${folderPrefix}${dataPrefix}npx barograph ${rest}`;
  const isIngest = facts.role === 'ingest';
  return [
    `Barograph ${facts.version} is ready.`,
    '',
    isIngest ? `  Serves  ${facts.url} (runners only)` : `  Open    ${facts.url}`,
    `  Data    ${facts.dataFolder} (${facts.database})`,
    ...(isIngest ? ['  Pages   come from a server with BAROGRAPH_ROLE=web on the same database'] : []),
    ...(facts.role === 'web'
      ? ['  Runners report to a server with BAROGRAPH_ROLE=ingest on the same database']
      : []),
    ...(facts.unreadSettings.length === 0 ? [] : [`  Note    ${explainUnread(facts.unreadSettings)}`]),
    '',
    ...nextSteps(facts.role, command),
    '  Stop with Ctrl-C.',
    '',
  ].join('\n');
}

function nextSteps(role: ServerRole, command: (rest: string) => string): string[] {
  if (role === 'web') return [];
  const own = [`    ${command('import ~/.claude/projects')}`, `    ${command('watch')}`, ''];
  const next = '  Next, in another terminal:';
  if (role === 'ingest') return [next, ...own];
  return [
    next,
    `    ${command('demo')}`,
    '      plays a lively fleet; or bring your own sessions of Claude Code:',
    ...own,
  ];
}

/** Why settings in `.env` do not hold. */
export function explainUnread(names: readonly string[]): string {
  return `${names.join(', ')} in .env: only runners read this, from their environment; it has no effect here.`;
}

/** As a POSIX shell reads it back. */
export function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
