/**
 * Test files share a process and its modules (`isolate: false` in vitest.config.ts). A file that replaces modules must
 * start with fresh ones and restore them at the end. A file that sets the clock must restore it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from './lib/list-files';
import { projectFolder } from './lib/project-folder';

const ROOMS = ['app', 'bench', 'components', 'core', 'db', 'e2e', 'runner', 'scripts', 'server'];
const TEST = /\.test\.tsx?$/;

/** Reasons why a file may change the modules or the clock of other files; empty: it does not. */
function findLeaks(text: string): string[] {
  if (/^\s*vi\.useFakeTimers\(/m.test(text) && !text.includes('vi.useRealTimers()'))
    return ['the clock stays set'];
  const replaced = [...text.matchAll(/^\s*vi\.(?:do)?[mM]ock\(\s*('[^']+')/gm)].map(([, name]) => name);
  if (replaced.length === 0) return [];
  const leaks = replaced
    .filter((name) => !text.includes(`vi.doUnmock(${name})`))
    .map((name) => `${name} stays replaced`);
  if (!/^vi\.hoisted\(\(\) => vi\.resetModules\(\)\);$/m.test(text))
    leaks.push('it may start with modules of other files');
  if (!/^\s+vi\.resetModules\(\);$/m.test(text)) leaks.push('modules that loaded the replaced ones stay');
  return leaks;
}

describe('a test file that replaces modules or sets the clock', () => {
  it('restores them for the files after it', () => {
    const tests = ROOMS.flatMap((room) => listFiles(projectFolder, room)).filter((path) => TEST.test(path));
    const leaks = tests.flatMap((path) =>
      findLeaks(readFileSync(join(projectFolder, path), 'utf8')).map((leak) => `${path}: ${leak}`),
    );
    expect(leaks).toEqual([]);
  });

  it('is reported with a clock that it leaves set', () => {
    const set = 'vi.useFakeTimers({ now: 0 });';
    expect(findLeaks(set)).toEqual(['the clock stays set']);
    expect(findLeaks(`${set}\nafterAll(() => vi.useRealTimers());`)).toEqual([]);
  });

  it('is reported with all modules that it leaves replaced', () => {
    const mock = "vi.mock('./a', () => ({}));";
    expect(findLeaks(mock)).toEqual([
      "'./a' stays replaced",
      'it may start with modules of other files',
      'modules that loaded the replaced ones stay',
    ]);
    const tidy =
      "vi.hoisted(() => vi.resetModules());\nafterAll(() => {\n  vi.doUnmock('./a');\n  vi.resetModules();\n});";
    expect(findLeaks(`${tidy}\n${mock}`)).toEqual([]);
  });
});
