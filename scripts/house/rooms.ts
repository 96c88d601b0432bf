/**
 * Which room may import which: the one table of the import rules (docs/architecture.md). `npm run house` applies it
 * to every file, tests included.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../lib/project-folder';

interface Room {
  /** Rooms, folders or files of other rooms that it may import. */
  may: string[];
  /** Room that is imported by mistake → where the code belongs instead. */
  advice: Record<string, string>;
  packageAdvice?: string;
}

/** Advice for every room that imports e2e/ or bench/. */
export const TESTS_ADVICE =
  'Test and benchmark code is not imported. Shared generators belong in core/scenario/.';

export const rooms: Record<string, Room> = {
  core: {
    may: [],
    advice: {
      runner: 'core/ is pure. What needs the runner belongs in runner/; pass plain values into core/.',
      db: 'core/ is pure. What needs the database belongs in db/; pass plain values into core/.',
      server: 'core/ is pure. What needs sockets or HTTP belongs in server/; pass plain values into core/.',
      components: 'core/ is pure. What needs React belongs in components/; pass plain values into core/.',
      app: 'core/ is pure. What needs a route belongs in app/; pass plain values into core/.',
    },
    packageAdvice:
      'core/ is pure: no I/O, no framework. What touches files, sockets or timers belongs in runner/, db/ or server/; what draws belongs in components/.',
  },
  runner: {
    may: ['core'],
    advice: {
      db: 'runner/ is published alone. What reads or writes Postgres belongs in db/, behind the wire protocol.',
      server: 'runner/ is published alone. What both ends of the wire share belongs in core/protocol/.',
      components: 'runner/ is published alone. What draws belongs in components/.',
      app: 'runner/ is published alone. A route belongs in app/.',
    },
    packageAdvice: 'runner/ is published alone: only the dependencies of runner/package.json.',
  },
  db: {
    may: ['core'],
    advice: {
      runner: 'What db/ and runner/ share belongs in core/.',
      server: 'What needs sockets or HTTP belongs in server/; what both need belongs in core/.',
      components: 'Shapes for the screen belong in core/api/.',
      app: 'A route belongs in app/.',
    },
  },
  server: {
    may: ['core', 'db'],
    advice: {
      runner: 'What both ends of the wire share belongs in core/protocol/.',
      components: 'Shapes for the screen belong in core/api/ or core/live/.',
      app: 'app/ and server/ never import each other: they share core/ and Postgres (db/queries/).',
    },
  },
  components: {
    may: ['core'],
    advice: {
      runner: 'What components/ and runner/ share belongs in core/.',
      db: 'Query in a server component of app/ and pass the rows in as props; shapes belong in core/api/.',
      server: 'The shapes of the live feed belong in core/live/.',
      app: 'A shared component belongs in components/; the page passes its data in.',
    },
  },
  app: {
    may: ['components', 'core', 'db/queries', 'db/shared-client'],
    advice: {
      runner: 'What app/ and runner/ share belongs in core/.',
      db: 'A database question belongs in db/queries/, called with getSharedDb() of db/shared-client.',
      server: 'app/ and server/ never import each other: they share core/ and Postgres (db/queries/).',
    },
  },
  e2e: {
    may: ['core', 'runner', 'db/testing', 'scripts'],
    advice: {
      db: 'Feed the stack through the runner client; a database helper belongs in db/testing/.',
      server: 'Start the real server as a process; what both need belongs in core/.',
      components: 'Look at the rendered page.',
      app: 'Look at the rendered page.',
    },
  },
  scripts: { may: ['core', 'runner', 'db', 'server', 'e2e'], advice: {} },
  bench: { may: ['core', 'runner', 'db', 'server', 'e2e', 'scripts'], advice: {} },
};

/** Layers of components/, lowest first. A folder imports layers below its own. */
export const components = [
  ['format'],
  ['preferences'],
  ['data'],
  ['ui'],
  ['charts'],
  ['sessions', 'events', 'connect', 'explain', 'notes', 'forecast'],
  ['features'],
  ['shell'],
];

const manifest = JSON.parse(readFileSync(join(projectFolder, 'runner/package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  object
>;
/** Bundled packages are development dependencies. */
const runnerPackages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
/** Packages that tests of these rooms use beside those of the room. */
const TEST_PACKAGES = ['vitest', 'fast-check', 'openai', 'esbuild'];
const allowedPackages: Record<string, string[]> = {
  core: ['zod', 'uuid', '@secretlint/secretlint-rule-preset-recommend'],
  runner: runnerPackages,
};

export function isPackageAllowed(path: string, name: string): boolean {
  const allowed = allowedPackages[path.split('/')[0] ?? ''];
  if (allowed === undefined || name.startsWith('node:')) return true;
  const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  return allowed.includes(packageName) || TEST_PACKAGES.includes(packageName);
}
