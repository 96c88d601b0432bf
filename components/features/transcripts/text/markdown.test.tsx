import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from './markdown';

const drawn = (text: string) =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <Markdown text={text} />
    </QueryClientProvider>,
  );
const tagsOf = (text: string) => new Set([...drawn(text).matchAll(/<(\w+)/g)].map(([, tag]) => tag));
const isPlain = (text: string) => drawn(text).startsWith('<div class="as-it-is">');

describe('Markdown of a transcript', () => {
  it('has headings, lists, tables, emphasis and code', () => {
    const text =
      '# One\n\n3. a **b** `c`\n\n| x | y |\n|---|---|\n| 1 | ~~2~~ |\n\n```ts run\nlet a;\n```\n\n---';
    const tags = ['h3', 'ol', 'li', 'strong', 'table', 'th', 'td', 's', 'pre', 'hr'];
    expect([...tagsOf(text)]).toEqual(expect.arrayContaining(tags));
    expect(drawn(text)).toContain('start="3"');
    expect(drawn(text)).toMatch(/ts run.*<code[^>]*>let a;<\/code>/);
  });

  it('shows HTML tags as text', () => {
    const html =
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\na <b onclick="x()">b</b> <!-- c --> <svg/onload=x>';
    expect([...tagsOf(html)].sort()).toEqual(['div', 'p']);
    for (const piece of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg/onload=x>'])
      expect(drawn(html)).toContain(piece.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
  });

  it.each([
    ['http://example.test', true],
    ['HTTPS://EXAMPLE.test/a?b#c', true],
    ['https:example.test', false],
    ['java&#10;script:alert(1)', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['vbscript:x', false],
    ['file:///etc/passwd', false],
    ['//host/x', false],
    ['/sessions', false],
    ['https://', false],
    ['https://user:word@example.test', false],
    ['https://bank.test@evil.test/', false],
    ['mailto:a@example.test', false],
  ])('shows the link address %s; the link is active: %s', (address, isFollowed) => {
    expect(tagsOf(`[word](<${address}>)`).has('a')).toBe(isFollowed);
    expect(drawn(`[word](<${address}>)`)).toContain(address.slice(-9));
  });

  it.each([
    `${'> '.repeat(20_000)}deep`,
    `${'- '.repeat(20_000)}deep`,
    `${'*a '.repeat(10_000)}deep${' a*'.repeat(9_000)}`,
    `${'['.repeat(25_000)}deep${']'.repeat(25_000)}`,
    `${'![a]('.repeat(10_000)}deep`,
    `${'`'.repeat(30_000)}deep`,
  ])('limits the depth of any nesting without losing a word (%#)', (text) => {
    const html = drawn(text);
    let depth = 0;
    let most = 0;
    for (const [tag] of html.matchAll(/<\/?\w+/g)) {
      depth += tag.startsWith('</') ? -1 : 1;
      most = Math.max(most, depth);
    }
    expect(most).toBeLessThan(40);
    expect(html).toContain('deep');
  });

  it.each(['> ', '- ', '1. '])(
    'shows a text plain if its nesting of %j is too deep or the text too long',
    (mark) => {
      expect(isPlain(`${mark.repeat(30)}deep`)).toBe(true);
      expect(isPlain(`${mark.repeat(6)}not so deep`)).toBe(false);
      expect(isPlain(mark.repeat(60_001))).toBe(true);
    },
  );
});
