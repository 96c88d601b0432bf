import { expect, test } from 'vitest';
import { toCsv } from './csv';

test('a table has its head, a line a row, and an empty cell for what is not known', () => {
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

test('commas, quotes and line ends stay in their cell', () => {
  expect(toCsv(['n'], [['a,b'], ['say "hi"'], ['two\nlines']])).toBe(
    'n\r\n"a,b"\r\n"say ""hi"""\r\n"two\nlines"\r\n',
  );
});

test('a name that a spreadsheet would run as a formula is text', () => {
  expect(toCsv(['n'], [['=cmd()'], ['@sum'], ['-1'], ['+1'], [-1]])).toBe(
    "n\r\n'=cmd()\r\n'@sum\r\n'-1\r\n'+1\r\n-1\r\n",
  );
});
