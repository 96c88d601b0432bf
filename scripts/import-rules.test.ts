/** Shows that each import rule of biome.json catches a breach, by relative path and by alias. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from './lib/list-files';
import { projectFolder } from './lib/project-folder';

/** room → rooms it must not import, and a place it may. */
const rooms: Record<string, { never: string[]; may: string[] }> = {
  core: {
    never: ['runner', 'db', 'server', 'components', 'app', 'e2e', 'bench'],
    may: ['../accounting/fold'],
  },
  runner: {
    never: ['db', 'server', 'components', 'app', 'e2e', 'bench'],
    may: ['../../core/protocol/items', '../queue/record'],
  },
  db: { never: ['runner', 'server', 'components', 'app', 'e2e', 'bench'], may: ['../../core/api/session'] },
  server: {
    never: ['runner', 'components', 'app', 'e2e', 'bench'],
    may: ['../../db/queries/clock', '../../core/live/protocol'],
  },
  components: {
    never: ['runner', 'db', 'server', 'app', 'e2e', 'bench'],
    may: ['@/core/api/session', '@/components/ui/x'],
  },
  app: {
    never: ['runner', 'server', 'e2e', 'bench', 'db'],
    may: ['@/db/queries/clock', '@/db/shared-client', '@/components/ui/x', '@/core/api/session'],
  },
  e2e: {
    never: ['server', 'components', 'app', 'bench', 'db'],
    may: ['@/db/testing/x', '@/runner/src/index', '@/core/api/session'],
  },
};

interface Report {
  diagnostics: { category: string; message: string; location: { path: string; start: { line: number } } }[];
}

let folder = '';
const messages = new Map<string, string>();

/** One probe file a room, whose lines are imports; all are linted in one run, outside the checkout. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-import-rules-'));
  cpSync(join(projectFolder, 'biome.json'), join(folder, 'biome.json'));
  for (const room of Object.keys(rooms)) {
    mkdirSync(join(folder, room, 'folder'), { recursive: true });
    writeFileSync(join(folder, room, 'folder', 'probe.ts'), `${probeLines(room).join('\n')}\n`);
  }
  const biome = join(projectFolder, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { stdout } = spawnSync(
    process.execPath,
    [biome, 'lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json', '.'],
    { cwd: folder, encoding: 'utf8' },
  );
  for (const { category, message, location } of (JSON.parse(stdout) as Report).diagnostics) {
    if (!/noRestrictedImports|noNodejsModules/.test(category)) continue;
    messages.set(
      `${location.path.split('/')[0]}: ${probeLines(location.path.split('/')[0] ?? '')[location.start.line - 1]}`,
      message,
    );
  }
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every way to write an import of something in another room. */
const waysInto = (room: string) => [
  `import '../../${room}/x';`,
  `import '../../${room}';`,
  `import '@/${room}/x/y';`,
  `import type { A } from '@/${room}/x';`,
  `export { b } from '../../../main/${room}/x';`,
  `export const c = await import('../${room}/x');`,
];

function probeLines(room: string): string[] {
  const { never = [], may = [] } = rooms[room] ?? {};
  return [...never.flatMap(waysInto), ...may.map((path) => `import '${path}';`), `import 'node:fs';`];
}

describe.each(Object.entries(rooms))('%s/', (room, { never, may }) => {
  it.each(never)('is refused each way into %s/, with where the code belongs', (other) => {
    for (const line of waysInto(other)) {
      expect(messages.get(`${room}: ${line}`), line).toMatch(
        /belong|Look at|Start the real|Query in|reached over|meet in/,
      );
    }
  });

  it.each(may)('may import %s', (path) => {
    expect(messages.get(`${room}: import '${path}';`)).toBeUndefined();
  });

  it(`${room === 'core' || room === 'components' ? 'is refused' : 'may use'} the modules of Node`, () => {
    expect(messages.has(`${room}: import 'node:fs';`)).toBe(room === 'core' || room === 'components');
  });
});

describe('app/', () => {
  const clientFiles = listFiles(projectFolder, 'app').filter(
    (path) =>
      /\.tsx?$/.test(path) && /^\s*['"]use client['"]/.test(readFileSync(join(projectFolder, path), 'utf8')),
  );

  it('asks the database in server components only', () => {
    const asking = clientFiles.filter((path) =>
      /from ['"]@\/db\//.test(readFileSync(join(projectFolder, path), 'utf8')),
    );
    expect(asking).toEqual([]);
  });
});
