import { describe, expect, it } from 'vitest';
import { highlightCode } from './highlight-code';

const textOf = (code: string, language: string) =>
  highlightCode(code, language)
    ?.map(({ text }) => text)
    .join('');

describe('code in a message', () => {
  it('marks the parts of code and keeps every character', () => {
    const code = 'const a = `x </script>`; // why\nfunction f() { return "s"; }\n';
    const parts = highlightCode(code, 'TS');
    expect(textOf(code, 'ts')).toBe(code);
    expect(parts).toContainEqual({ text: 'const', as: 'keyword' });
    expect(parts).toContainEqual({ text: '// why', as: 'comment' });
    expect(textOf('<b onclick="x">&amp;</b>', 'html')).toBe('<b onclick="x">&amp;</b>');
    expect(highlightCode('- a\n+ b', 'diff')).toContainEqual({ text: '+ b', as: 'addition' });
  });

  it('leaves unknown languages and very long code plain', () => {
    expect(highlightCode('x', '')).toBeNull();
    expect(highlightCode('x', '__proto__')).toBeNull();
    expect(highlightCode('x', 'constructor')).toBeNull();
    expect(highlightCode('a\n'.repeat(30_000), 'js')).toBeNull();
    expect(highlightCode(`a\n${'a'.repeat(3_000)}\nb`, 'js')).toBeNull();
    expect(highlightCode('a'.repeat(3_000), 'js')).toBeNull();
  });
});
