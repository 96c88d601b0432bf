import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findForbiddenImports, readImports } from './imports';
import { countCommentLines, readSources } from './sources';
import { findBannedWords } from './words';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'barograph-house-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Path → text. The files of one case replace those of the previous one. */
function write(files: Record<string, string>) {
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return readSources(root);
}

const importing = (from: string, line: string) =>
  findForbiddenImports(readImports(root, write({ [from]: line })));

describe('findForbiddenImports', () => {
  it.each([
    ['core/a/x.ts', "import type { A } from '@/server/x';", 'no I/O'],
    ['core/a/x.ts', "import postgres from 'postgres';", 'no framework'],
    ['runner/src/x.ts', "export { a } from '../../server/x';", 'core/protocol/'],
    ['runner/src/x.ts', "import 'next';", 'runner/package.json'],
    ['db/x.ts', "const a = await import('../app/x');", 'core/api/'],
    ['app/page.tsx', "import '@/db/ingest/x';", 'db/queries/'],
    ['components/ui/x.ts', "import '../charts/y';", 'below'],
    ['components/features/fleet/x.ts', "import '../session/y';", 'no other feature'],
    ['components/features/fleet/x.ts', "import '../../shell/y';", 'below'],
    ['components/other/x.ts', "import '../ui/y';", 'no such layer'],
    ['e2e/x.spec.ts', "import '@/components/ui/x';", 'rendered page'],
    ['scripts/x.ts', "import '../bench/x';", 'not imported'],
  ])('reports %s with %s', (from, line, advice) => {
    expect(importing(from, line)).toEqual([expect.stringContaining(advice)]);
  });

  it.each([
    ['core/a/x.ts', "import * as z from 'zod';"],
    ['runner/src/x.ts', "import { z } from 'zod'; import '../../core/x'; import 'node:fs';"],
    ['server/x.ts', "import '../db/queries/x'; import '../core/x';"],
    ['app/page.tsx', "import '@/db/queries/x'; import '@/db/shared-client'; import '@/components/ui/x';"],
    ['components/features/fleet/x.ts', "import './y'; import '../../ui/z';"],
    [
      'e2e/x.spec.ts',
      "import '@/db/testing/x'; import '@/runner/src/index'; import '@/components/shell/nav-items';",
    ],
  ])('allows %s with %s', (from, line) => {
    expect(importing(from, line)).toEqual([]);
  });
});

describe('readSources', () => {
  it('separates source from tests, helpers and generated files', () => {
    const text = 'a\nb\n';
    const files = write({
      'core/a.ts': text,
      'core/a.test.ts': text,
      'core/testing/b.ts': text,
      'core/c-fixture.ts': text,
      'core/d.generated.ts': text,
      'e2e/support/e.ts': text,
    });
    expect(files.map(({ path, kind, lines }) => `${path} ${kind} ${lines}`)).toEqual([
      'core/a.test.ts test 2',
      'core/a.ts source 2',
      'core/c-fixture.ts test 2',
      'core/testing/b.ts test 2',
      'e2e/support/e.ts test 2',
    ]);
  });

  it('counts lines that contain only a comment', () => {
    const [file] = write({ 'core/a.ts': '/**\n * One.\n */\nconst a = 1; // no\n// two\n' });
    expect(file && countCommentLines(file)).toBe(4);
  });
});

describe('findBannedWords', () => {
  it('finds banned words in strings, JSX text, comments and documents, but not in identifiers', () => {
    const files = write({
      'components/ui/a.tsx':
        "const nobody = 'x'; // the one it befell\nexport const a = <p>No one told us</p>;",
      'core/a.ts': "export const account = 'nobody';\nthrow new Error('it is reckoned twice');",
      'docs/a.md': 'It stands here.',
    });
    const words = findBannedWords(root, files).map((text) => text.split(': ')[1]);
    expect(words).toEqual(['befell', 'told', 'reckoned', 'stands']);
  });
});
