/**
 * Which room may import which: the one table of the import rules (docs/architecture.md). `npm run house` applies it
 * to every file, tests included.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../lib/project-folder';

interface Room {
  may: string[];
  /** Where to move code that the room needs but may not import. */
  advice: string;
}

export const rooms: Record<string, Room> = {
  core: {
    may: [],
    advice:
      'core/ is pure: no I/O, no framework. Pass plain values in. What touches files, sockets or timers belongs in runner/, db/ or server/; what draws belongs in components/.',
  },
  runner: {
    may: ['core'],
    advice:
      'runner/ is published alone, with the dependencies of runner/package.json. What it shares belongs in core/, the wire in core/protocol/.',
  },
  db: {
    may: ['core'],
    advice:
      'What db/ shares belongs in core/, shapes for the screen in core/api/; sockets and HTTP belong in server/.',
  },
  server: {
    may: ['core', 'db'],
    advice:
      'server/ shares only core/ with runner/, components/ and app/: the wire in core/protocol/, shapes in core/api/ and core/live/.',
  },
  components: {
    may: ['core'],
    advice: 'A server component of app/ queries and passes props; shapes belong in core/api/ and core/live/.',
  },
  app: {
    may: ['components', 'core', 'db/queries', 'db/shared-client'],
    advice:
      'A question to the database belongs in db/queries/, called with getSharedDb() of db/shared-client.',
  },
  e2e: {
    may: ['core', 'runner', 'db/testing', 'scripts', 'components/shell/nav-items'],
    advice:
      'A story looks at the rendered page and sends data through the runner; database helpers belong in db/testing/.',
  },
  scripts: { may: ['core', 'runner', 'db', 'server', 'e2e'], advice: 'bench/ is not imported.' },
  bench: { may: ['core', 'runner', 'db', 'server', 'e2e', 'scripts'], advice: 'Look at the rendered page.' },
};

/** Layers of components/, lowest first. A folder imports layers below its own. */
export const components = [
  ['format'],
  ['preferences'],
  ['data'],
  ['ui'],
  ['charts'],
  ['sessions', 'events', 'connect', 'explain', 'notes', 'forecast', 'alerts', 'commands'],
  ['features'],
  ['shell'],
];

const manifest = JSON.parse(readFileSync(join(projectFolder, 'runner/package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  object
>;
/** Bundled packages are development dependencies. */
const runnerPackages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
/** Packages that the tests of these rooms may also use. */
const TEST_PACKAGES = ['vitest', 'fast-check', 'openai', 'esbuild', '@modelcontextprotocol/client'];
const allowedPackages: Record<string, string[]> = {
  // The SDK's server is pure: its transports are separate.
  core: ['zod', 'uuid', '@secretlint/secretlint-rule-preset-recommend', '@modelcontextprotocol/server'],
  runner: runnerPackages,
};

export function isPackageAllowed(path: string, name: string): boolean {
  const allowed = allowedPackages[path.split('/')[0] ?? ''];
  if (allowed === undefined || name.startsWith('node:')) return true;
  const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  return allowed.includes(packageName) || TEST_PACKAGES.includes(packageName);
}
