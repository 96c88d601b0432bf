import { expect, test } from 'vitest';
import { toCsv } from './csv';

test('writes a header, one line per row, and an empty cell for null', () => {
  expect(
    toCsv(
      ['name', 'turns', 'peak'],
      [
        ['atlas', 3, null],
        ['b', 0, 0.5],
      ],
    ),
  ).toBe('name,turns,peak\r\natlas,3,\r\nb,0,0.5\r\n');
});

test('quotes commas, quotes and line ends', () => {
  expect(toCsv(['n'], [['a,b'], ['say "hi"'], ['two\nlines']])).toBe(
    'n\r\n"a,b"\r\n"say ""hi"""\r\n"two\nlines"\r\n',
  );
});

test('escapes text that a spreadsheet would run as a formula', () => {
  expect(toCsv(['n'], [['=cmd()'], ['@sum'], ['-1'], ['+1'], [-1]])).toBe(
    "n\r\n'=cmd()\r\n'@sum\r\n'-1\r\n'+1\r\n-1\r\n",
  );
});
