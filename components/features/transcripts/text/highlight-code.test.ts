import { expect, it } from 'vitest';
import { highlightCode } from './highlight-code';

it.each([
  ['const a = `x </script>`; // why\nfunction f() { return "s"; }\n', 'TS', 'keyword', 'const'],
  ['<b onclick="x">&amp;</b>', 'html', 'attr', 'onclick'],
  ['- a\n+ b', 'diff', 'addition', '+ b'],
])('marks the parts of %j and keeps every character', (code, language, as, text) => {
  const parts = highlightCode(code, language);
  expect(parts).toContainEqual({ text, as });
  expect(parts?.map((part) => part.text).join('')).toBe(code);
});

it.each([
  ['x', ''],
  ['x', '__proto__'],
  ['x', 'constructor'],
  ['a\n'.repeat(30_000), 'js'],
  [`a\n${'a'.repeat(3_000)}\nb`, 'js'],
])('leaves unknown languages and very long code plain (%#)', (code, language) => {
  expect(highlightCode(code, language)).toBeNull();
});
