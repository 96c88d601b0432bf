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
  servesPages: boolean;
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
  const open = facts.servesPages ? `  Open    ${facts.url}` : `  Serves  ${facts.url} (runners only)`;
  return [
    `Barograph ${facts.version} is ready.`,
    '',
    open,
    `  Data    ${facts.dataFolder} (${facts.database})`,
    '',
    '  Next, in another terminal:',
    `    ${command('demo')}`,
    '      plays a lively fleet; or bring your own sessions of Claude Code:',
    `    ${command('import ~/.claude/projects')}`,
    `    ${command('watch')}`,
    '',
    '  Stop with Ctrl-C.',
    '',
  ].join('\n');
}

/** As a POSIX shell reads it back. */
export function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
