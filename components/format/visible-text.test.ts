import { describe, expect, it } from 'vitest';
import { visibleParts, visibleText } from './visible-text';

const joined = (text: string) =>
  visibleParts(text)
    .map((part) => part.text)
    .join('');

describe('text of a transcript', () => {
  it('stays unchanged without hidden characters', () => {
    const text = 'Grüße, 日本語, שלום, 👩‍👩‍👧\n\tfn()\r\n';
    expect(visibleParts(text)).toEqual([{ text, was: null }]);
    expect(visibleParts('')).toEqual([]);
  });

  it('shows a terminal escape as one sign, without its effect', () => {
    const parts = visibleParts('a\u001b[31mred\u001b[0m');
    expect(parts.map(({ text }) => text)).toEqual(['a', '␛[31m', 'red', '␛[0m']);
    expect(parts.map(({ was }) => was)).toEqual([null, 'terminal escape', null, 'terminal escape']);
    const link = '\u001b]0;title\u0007\u001b]8;;http://evil.test\u001b\\x';
    expect(visibleText(link)).toBe('␛]0;title␇␛]8;;http://evil.test␛\\x');
    expect(visibleText('\u001b[2J\u001b[H')).toBe('␛[2J␛[H');
  });

  it('shows marks that change the direction of text', () => {
    expect(visibleText('if (admin\u202e\u2066)// \u2069\u2066')).toBe('if (admin⟨RLO⟩⟨LRI⟩)// ⟨PDI⟩⟨LRI⟩');
    expect(visibleParts('\u202e')[0]?.was).toBe('right-to-left override');
  });

  it('shows NUL, carriage returns and zero-width spaces', () => {
    expect(visibleText('a\u0000b\rc\u200bd\ufeff')).toBe('a␀b␍c⟨ZWSP⟩d⟨BOM⟩');
  });

  it('shows text that is written in invisible tag characters', () => {
    const tags = [...'rm'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');
    expect(visibleText(`x${tags}`)).toBe('x⟨tags: rm⟩');
  });

  it('shows every hidden character of a long text', () => {
    const many = 'a\u001b\u202e'.repeat(30_000);
    const parts = visibleParts(many);
    expect(parts.length).toBeLessThan(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
    expect(joined(many)).not.toMatch(/[\u0000-\u0008\u000e-\u001f\u202a-\u202e]/);
    expect(joined(many)).toBe(visibleText(many));
  });
});
