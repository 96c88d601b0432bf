import { expect, test } from 'vitest';
import { toCsv } from './csv';

const NAME = [['n', (value: string | number) => value]] as const;

test('writes a header, one line per row, and an empty cell for null', () => {
  const rows = [
    { name: 'atlas', peak: null },
    { name: 'b', peak: 0.5 },
  ];
  const table = toCsv<(typeof rows)[number]>(
    [
      ['name', ({ name }) => name],
      ['peak', ({ peak }) => peak],
    ],
    rows,
  );
  expect(table).toBe('name,peak\r\natlas,\r\nb,0.5\r\n');
});

test('quotes commas, quotes and line ends', () => {
  expect(toCsv(NAME, ['a,b', 'say "hi"', 'two\nlines'])).toBe(
    'n\r\n"a,b"\r\n"say ""hi"""\r\n"two\nlines"\r\n',
  );
});

test.each([
  ['a;=cmd|calc', `"a;'=cmd|calc"`],
  ['a\t+1', `"a\t'+1"`],
  ['a|@sum', `"a|'@sum"`],
  ['two\r\n-1', `"two\r'\n'-1"`],
  ['a; "=cmd', `"a;' ""=cmd"`],
  ['＝cmd', "'＝cmd"],
  ['{"delta":[1,-2]}', '"{""delta"":[1,-2]}"'],
])('escapes the formula of %j for every separator', (text, cell) => {
  expect(toCsv(NAME, [text])).toBe(`n\r\n${cell}\r\n`);
});

test('escapes text that a spreadsheet would run as a formula', () => {
  expect(toCsv(NAME, ['=cmd()', '@sum', '-1', '+1', -1])).toBe(
    "n\r\n'=cmd()\r\n'@sum\r\n'-1\r\n'+1\r\n-1\r\n",
  );
});
