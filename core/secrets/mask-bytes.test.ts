import { describe, expect, it } from 'vitest';
import { maskBytes } from './mask-bytes';
import type { NumberedSecret } from './secret-rule';

const encoder = new TextEncoder();

/** Mask the first occurrence of each text. */
function mask(line: string, texts: readonly string[], isJson = true): string {
  let at = 0;
  const secrets = texts.map((text, index): NumberedSecret => {
    const from = line.indexOf(text, at);
    if (from === -1) throw new Error(`the line has no ${text} from ${at} on`);
    at = from + text.length;
    return { secret: index + 1, rule: 'r', from, to: at };
  });
  return new TextDecoder().decode(maskBytes(encoder.encode(line), 0, secrets, isJson));
}

describe('a mask', () => {
  it('replaces each secret of a line, including adjacent ones', () => {
    expect(mask('{"a":"xAAyBBz"}', ['AA', 'BB'])).toBe('{"a":"x[secret 1: r]y[secret 2: r]z"}');
    expect(mask('{"a":"AABB","b":"CC"}', ['AA', 'BB', 'CC'])).toBe(
      '{"a":"[secret 1: r][secret 2: r]","b":"[secret 3: r]"}',
    );
    expect(mask('xAAyBBz', ['AA', 'BB'], false)).toBe('x[secret 1: r]y[secret 2: r]z');
  });

  it('keeps the JSON around a secret that spans strings', () => {
    expect(mask('{"a":"AA","b":"BB"} ', ['AA","b":"BB'])).toBe(
      '{"a":"[secret 1: r]","[secret 1: r]":"[secret 1: r]"} ',
    );
  });

  it('never splits an escape before, after or between secrets', () => {
    expect(mask('["\\u0041BC"]', ['41BC'])).toBe('["[secret 1: r]"]');
    expect(mask('["AB\\nC"]', ['AB\\'])).toBe('["[secret 1: r]C"]');
    const between = mask('["AB\\u0041CD"]', ['AB\\u0', '041CD']);
    expect(JSON.parse(between)).toEqual(['[secret 1: r][secret 2: r]']);
    expect(mask('["\\"AA"]', ['AA'])).toBe('["\\"[secret 1: r]"]');
  });

  it('masks thousands of secrets on one line, and walks the line once', () => {
    const count = 2_000;
    const text = 'key=0123456789abcdef ';
    const line = encoder.encode(`"${text.repeat(count)}"`);
    let reads = 0;
    const counted = new Proxy(line, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const secrets = Array.from({ length: count }, (_, index): NumberedSecret => {
      const from = 1 + index * text.length + 'key='.length;
      return { secret: index + 1, rule: 'r', from, to: from + 16 };
    });
    const masked = new TextDecoder().decode(maskBytes(counted, 0, secrets, true));
    expect(masked).not.toContain('0123456789abcdef');
    expect(masked.split('[secret ')).toHaveLength(count + 1);
    expect(reads).toBeLessThan(5 * line.length);
  });
});
