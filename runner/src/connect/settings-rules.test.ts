import { expect, test } from 'vitest';
import { findRefusal } from './settings-rules';

const strict = { hasComments: false, hasMark: false };

test.each([
  ['{"model": "a"}', null],
  ['{"model": "a"} // mine', 'line 1 has a comment'],
  ['{\n"model": "a", /* mine */\n}', 'line 2 has a comment'],
  ['{\n"model": "a",\n}', 'line 3 has a comma before a bracket'],
  ['{"models": ["a",]}', 'line 1 has a comma before a bracket'],
  ['{"model": "a"}{}', 'line 1 is not valid JSON: end of file expected'],
  ['{"model": "a\tb"}', 'line 1 is not valid JSON: invalid character'],
  ['\uFEFF{}', 'it begins with a byte order mark'],
  ['[]', 'it is not a JSON object'],
  ['null', 'it is not a JSON object'],
])('a strict agent reads %j: %s', (text, refusal) => {
  expect(findRefusal(text, strict)).toBe(refusal);
});

test('an agent may accept comments, or a byte order mark, but no comma before a bracket', () => {
  expect(findRefusal('{ /* mine */ } // more', { ...strict, hasComments: true })).toBeNull();
  expect(findRefusal('{"a": 1, /* mine */ }', { ...strict, hasComments: true })).toContain('comma');
  expect(findRefusal('\uFEFF{}', { ...strict, hasMark: true })).toBeNull();
  expect(findRefusal('\uFEFF{} // mine', { ...strict, hasMark: true })).toBe('line 1 has a comment');
});

test('an agent may refuse unknown keys', () => {
  expect(findRefusal('{"hooks": {}, "model": "a"}', { ...strict, names: ['hooks'] })).toBe(
    'it has the unknown key "model"',
  );
});
