import { expect, it } from 'vitest';
import { projectOf } from '../agents/fields';
import { makeTitle } from '../agents/session-facts';
import { cleanName, cleanNames } from './clean-name';
import { parseHello } from './parse-frame';
import { PROTOCOL_VERSION } from './version';

it.each([
  ['Fix the login form', 'Fix the login form'],
  ['  two  words\t', 'two  words'],
  ['invoice\u202egnp.exe', 'invoicegnp.exe'],
  ['\u2066a\u2069\u200b\u200fb\ufeff', 'ab'],
  ['a\nb\u0007c', 'a b c'],
  ['a\n[draft]', 'a [draft]'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['שלום עולם', 'שלום עולם'],
  ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
])('keeps the visible characters of %j', (name, clean) => {
  expect(cleanName(name)).toBe(clean);
});

it.each(['', '   ', '\u00a0\u3000', '\u202e\u2066', '\u200b\u200d\ufe0f', '\u3164'])(
  'finds nothing visible in %j',
  (name) => {
    expect(cleanName(name)).toBeNull();
  },
);

it('makes a title from the first visible line, clipped with an ellipsis', () => {
  expect(makeTitle('\u200b\n \u202eRight\nmore', 1, false)?.text).toBe('Right');
  expect(makeTitle('x'.repeat(900), 1, false)?.text).toBe(`${'x'.repeat(199)}…`);
  expect(makeTitle(' \n\u202e', 1, false)).toBeNull();
});

it('names a project by the visible characters of its folder', () => {
  expect(projectOf('/srv/har\u202ebour')).toBe('harbour');
  expect([projectOf('/srv/ '), projectOf('/'), projectOf(null)]).toEqual([null, null, null]);
});

it('leaves out a name without a visible character, and keeps paths', () => {
  const item = { type: 'session_start' as const, seq: 1, session: 's', at: 0 };
  const names = { title: '  ', model: 'opus\u202e', host: '\u001b[2Jvm', branch: 'main', folder: '/a\u200b' };
  const start = { ...item, ...names };
  cleanNames(start);
  expect(start).toEqual({ ...item, model: 'opus', host: 'vm', branch: 'main', folder: '/a\u200b' });
});

it('reads a hello with the clean name of its runner', () => {
  const stream = '00000000-0000-4000-8000-000000000000';
  const hello = { type: 'hello', v: PROTOCOL_VERSION, project: 'p', stream };
  const nameOf = (name: string) => {
    const parsed = parseHello({ ...hello, runner: { name } });
    return parsed.ok ? parsed.hello.runner.name : parsed.reason;
  };
  expect([nameOf('ci\u202e-1'), nameOf(' ')]).toEqual(['ci-1', ' ']);
});
