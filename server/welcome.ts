/** Facts about this installation: the project's folder, and the text printed when the server is ready. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerRole } from './settings';

export interface ProjectFolder {
  path: string;
  version: string;
}

/** @throws when no folder above `from` is the project's. */
export function findProjectFolder(from: string): ProjectFolder {
  for (let path = dirname(fileURLToPath(from)); ; path = dirname(path)) {
    const manifest = readManifest(join(path, 'package.json'));
    if (manifest?.name === 'barograph-server') return { path, version: manifest.version ?? '0.0.0' };
    if (path === dirname(path)) throw new Error('package.json of barograph-server was not found.');
  }
}

function readManifest(path: string): { name?: string; version?: string } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
  } catch {
    return null;
  }
}

export interface WelcomeFacts {
  version: string;
  url: string;
  /** Null: the server has an admin, or no accounts. */
  firstAdminLink: string | null;
  dataFolder: string;
  /** False if commands need BAROGRAPH_DATA_DIR. */
  isDefaultDataFolder: boolean;
  database: string;
  /** Folder of the project, where `npx barograph` works. */
  projectFolder: string;
  role: ServerRole;
}

/** Prefixes for commands: one changes to the project's folder, one sets the data folder. */
export function commandPrefixes(
  facts: Pick<WelcomeFacts, 'dataFolder' | 'isDefaultDataFolder' | 'projectFolder'>,
): { folderPrefix: string; dataPrefix: string } {
  return {
    // The commands of an installed package run in any folder.
    folderPrefix: /[\\/]node_modules[\\/]/.test(facts.projectFolder)
      ? ''
      : `cd ${quote(facts.projectFolder)} && `,
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
    ...(facts.firstAdminLink === null
      ? []
      : ['', '  Create the first admin with this link, which works once:', `    ${facts.firstAdminLink}`]),
    ...(isIngest ? ['  Pages   come from a server with BAROGRAPH_ROLE=web on the same database'] : []),
    ...(facts.role === 'web'
      ? ['  Runners report to a server with BAROGRAPH_ROLE=ingest on the same database']
      : []),
    '',
    ...nextSteps(facts.role, command),
    '  Stop with Ctrl-C.',
    '',
  ].join('\n');
}

function nextSteps(role: ServerRole, command: (rest: string) => string): string[] {
  if (role === 'web') return [];
  const own = [`    ${command('connect')}`, `    ${command('import ~/.claude/projects')}`, ''];
  const next = '  Next, in another terminal:';
  if (role === 'ingest') return [next, ...own];
  return [
    next,
    `    ${command('demo')}`,
    '      shows a simulated fleet. To bring your own sessions:',
    ...own,
  ];
}

function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
