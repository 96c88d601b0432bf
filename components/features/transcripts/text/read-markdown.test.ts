import { describe, expect, it } from 'vitest';
import { isWebAddress, type MarkdownNode, MOST_MARKDOWN, readMarkdown } from './read-markdown';

function all(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.flatMap((node) => [node, ...('children' in node ? all(node.children) : [])]);
}

function depthOf(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce((most, node) => Math.max(most, 'children' in node ? 1 + depthOf(node.children) : 1), 0);
}

const read = (text: string) => all(readMarkdown(text) ?? []);
const textOf = (text: string) =>
  read(text)
    .map((node) => ('text' in node ? node.text : node.kind === 'break' ? '\n' : ''))
    .join('');

describe('Markdown of a transcript', () => {
  it('has its structure: headings, lists, tables, emphasis, code', () => {
    const nodes = read(
      '# One\n\n3. a **b** `c`\n\n| x | y |\n|---|---|\n| 1 | ~~2~~ |\n\n```ts run\nlet a;\n```\n\n---',
    );
    const tags = nodes.flatMap((node) => (node.kind === 'element' ? [node.tag] : []));
    expect(tags).toEqual(expect.arrayContaining(['h3', 'ol', 'li', 'strong', 'table', 'th', 'td', 's']));
    expect(nodes).toContainEqual({ kind: 'block', text: 'let a;', info: 'ts run' });
    expect(nodes).toContainEqual({ kind: 'code', text: 'c' });
    expect(nodes).toContainEqual({ kind: 'rule' });
    expect(nodes.find((node) => node.kind === 'element' && node.tag === 'ol')).toMatchObject({ start: 3 });
  });

  it('knows no HTML: every tag is text', () => {
    const html =
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\na <b onclick="x()">b</b> <!-- c --> <svg/onload=x>';
    const kinds = new Set(read(html).map((node) => (node.kind === 'element' ? node.tag : node.kind)));
    expect([...kinds].sort()).toEqual(['p', 'text']);
    for (const piece of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg/onload=x>']) {
      expect(textOf(html)).toContain(piece);
    }
  });

  it('follows links of the web alone, and keeps the address of every other to be shown', () => {
    const links = read(
      '[a](https://example.test/x) [b](javascript:alert(1)) [c](data:text/html,x) [d](//host/x) [e](file:///etc/passwd) <vbscript:x> [f](https://bank.test@evil.test/)',
    ).flatMap((node) => (node.kind === 'link' ? [{ address: node.address, safe: node.safe }] : []));
    expect(links.filter(({ safe }) => safe)).toEqual([{ address: 'https://example.test/x', safe: true }]);
    expect(links.map(({ address }) => address)).toEqual(
      expect.arrayContaining(['javascript:alert(1)', 'data:text/html,x', '//host/x', 'file:///etc/passwd']),
    );
  });

  it.each([
    ['http://example.test', true],
    ['HTTPS://EXAMPLE.test/a?b#c', true],
    ['https:example.test', false],
    ['java\nscript:alert(1)', false],
    [' https://example.test', false],
    ['/sessions', false],
    ['https://', false],
    ['https://user:word@example.test', false],
    ['mailto:a@example.test', false],
  ])('%j leads somewhere: %s', (address, expected) => {
    expect(isWebAddress(address)).toBe(expected);
  });

  it('is bounded in depth, whatever is nested in it, and loses no word', () => {
    for (const text of [
      `${'> '.repeat(20_000)}deep`,
      `${'- '.repeat(20_000)}deep`,
      `${'*a '.repeat(10_000)}deep${' a*'.repeat(9_000)}`,
      `${'['.repeat(25_000)}deep${']'.repeat(25_000)}`,
      `${'![a]('.repeat(10_000)}deep`,
      `${'`'.repeat(30_000)}deep`,
    ]) {
      const nodes = readMarkdown(text);
      // Too deep: shown plain.
      if (nodes === null) continue;
      expect(depthOf(nodes)).toBeLessThan(40);
      expect(JSON.stringify(nodes)).toContain('deep');
    }
  });

  it('returns null for text that is too long or too deep', () => {
    for (const mark of ['> ', '- ', '1. ']) {
      expect(readMarkdown(`${mark.repeat(30)}deep`)).toBeNull();
      expect(textOf(`${mark.repeat(6)}not so deep`)).toContain('not so deep');
    }
    expect(readMarkdown('a'.repeat(MOST_MARKDOWN + 1))).toBeNull();
    expect(readMarkdown('')).toEqual([]);
  });
});
