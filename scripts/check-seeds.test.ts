import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUnshown } from './check-seeds';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'barograph-seeds-'));
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs', 'accounting.md'), 'Sums are\nexact integers. Nothing else.');
  writeFileSync(
    join(root, 'a.test.ts'),
    `it('adds', x); it("keeps a reader's own", x); it(\`reads a|b\`, x);`,
  );
  writeFileSync(join(root, 'test_a.py'), 'def test_adds(self):\n    """Adds turns."""');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const judge = (shown: string) => findUnshown(`| 000-1-a | It adds | ${shown} |`, root);

describe('the table of requirements', () => {
  it.each([
    '`a.test.ts` › adds',
    '`a.test.ts` › keeps a reader’s own'.replace('’', "'"),
    '`a.test.ts` › reads a\\|b',
    '`a.test.ts` › adds<br>`test_a.py` › Adds turns.',
    '`test_a.py` › test_adds',
    'Overridden: “Sums are exact integers.”',
  ])('takes %s', (shown) => {
    expect(judge(shown)).toEqual([]);
  });

  it.each([
    ['', 'names no test'],
    ['later', 'neither a test nor a sentence'],
    ['`a.test.ts` › add', 'has no test “add”'],
    ['`b.test.ts` › adds', 'b.test.ts does not exist'],
    ['`a.test.ts` › adds<br>`test_a.py` › Adds', 'test_a.py has no test “Adds”'],
    ['Overridden: “Sums are inexact.”', 'does not say “Sums are inexact.”'],
  ])('refuses "%s"', (shown, reason) => {
    expect(judge(shown)).toEqual([expect.stringContaining(reason)]);
  });

  it('refuses an id twice and a row that is none', () => {
    const row = '| 000-1-a | It adds | `a.test.ts` › adds |';
    expect(findUnshown(`${row}\n${row}\n| 000-1-b | It adds |`, root)).toEqual([
      '000-1-a stands there twice.',
      'This is no row of three columns: | 000-1-b | It adds |',
    ]);
  });
});
