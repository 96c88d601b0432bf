import { describe, expect, it } from 'vitest';
import { fc } from '../core/testing/property-runs';
import { toJsonText } from './json-text';

describe('JSON for Postgres', () => {
  it('keeps valid text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('\u0000'));
        expect(JSON.parse(toJsonText({ text }))).toEqual({ text });
      }),
    );
  });

  it('replaces NUL and lone surrogates, and nothing else', () => {
    expect(JSON.parse(toJsonText(['a\u0000b', '\ud800', 'x\udfffy', '😀', '\\ud800', '\\\\u0000']))).toEqual([
      'a\ufffdb',
      '\ufffd',
      'x\ufffdy',
      '😀',
      '\\ud800',
      '\\\\u0000',
    ]);
  });
});
