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

describe('findUnshown', () => {
  it.each([
    '`a.test.ts` › adds',
    "`a.test.ts` › keeps a reader's own",
    '`a.test.ts` › reads a\\|b',
    '`a.test.ts` › adds<br>`test_a.py` › Adds turns.',
    '`test_a.py` › test_adds',
    'Overridden: “Sums are exact integers.”',
    'Differs: it rounds up where the document rounds down.',
  ])('accepts %s', (shown) => {
    expect(judge(shown)).toEqual([]);
  });

  it.each([
    ['', 'names no test'],
    ['later', 'no test, no override and no difference'],
    ['`a.test.ts` › add', 'has no test “add”'],
    ['`b.test.ts` › adds', 'b.test.ts does not exist'],
    ['`a.test.ts` › adds<br>`test_a.py` › Adds', 'test_a.py has no test “Adds”'],
    ['Differs: somewhat', 'no difference'],
    ['Overridden: “Sums are inexact.”', 'does not say “Sums are inexact.”'],
  ])('reports "%s"', (shown, reason) => {
    expect(judge(shown)).toEqual([expect.stringContaining(reason)]);
  });

  it('reports a repeated id and a malformed row', () => {
    const row = '| 000-1-a | It adds | `a.test.ts` › adds |';
    expect(findUnshown(`${row}\n${row}\n| 000-1-b | It adds |`, root)).toEqual([
      '000-1-a is listed twice.',
      'Not a row of three columns: | 000-1-b | It adds |',
    ]);
  });
});
