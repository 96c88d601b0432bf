import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDeadLinks } from './check-links';
import { findMissingOptionals } from './check-lockfile';

describe('the check of the lock file', () => {
  const parent = { optionalDependencies: { '@x/linux': '1', '@x/mac': '1' } };

  it('reports a platform package that npm left out', () => {
    expect(
      findMissingOptionals({ packages: { 'node_modules/x': parent, 'node_modules/@x/linux': {} } }),
    ).toEqual(['package-lock.json lacks @x/mac, an optional dependency of node_modules/x.']);
  });

  it('finds a package below another one', () => {
    const packages = {
      'node_modules/x': parent,
      'node_modules/@x/linux': {},
      'node_modules/x/node_modules/@x/mac': {},
    };
    expect(findMissingOptionals({ packages })).toEqual([]);
  });
});

describe('the check of links', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'barograph-links-'));
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs', 'b.md'), '# One *Heading*, here\n\n## Twice\n\n## Twice\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const check = (text: string) => {
    writeFileSync(join(root, 'a.md'), text);
    return findDeadLinks(root);
  };

  it('accepts files, headings, and web addresses', () => {
    expect(
      check('[b](docs/b.md) [h](docs/b.md#one-heading-here) [2](docs/b.md#twice-1) [w](https://example.org)'),
    ).toEqual([]);
  });

  it('reports a missing file, a missing heading and a missing picture', () => {
    expect(check('[b](docs/c.md) [h](docs/b.md#none) ![p](p.png)')).toEqual([
      'a.md: docs/c.md leads nowhere.',
      'a.md: docs/b.md has no heading #none.',
      'a.md: p.png leads nowhere.',
    ]);
  });

  it('ignores links in code', () => {
    expect(check('`[b](none.md)`\n\n```\n[b](none.md)\n```\n')).toEqual([]);
  });
});
