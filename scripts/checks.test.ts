import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../runner/src/cli/run-command-line';
import { findDeadLinks } from './check-links';
import { findMissingOptionals } from './check-lockfile';
import { projectFolder } from './lib/project-folder';

describe('the check of the lock file', () => {
  const parent = { optionalDependencies: { '@x/linux': '1', '@x/mac': '1' } };

  it('reports a platform package that npm left out', () => {
    const packages = { 'node_modules/x': parent, 'node_modules/@x/linux': {} };
    const problem = 'package-lock.json lacks @x/mac, an optional dependency of node_modules/x.';
    expect(findMissingOptionals({ packages })).toEqual([problem]);
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
    const headings = '[h](docs/b.md#one-heading-here) [2](docs/b.md#twice-1)';
    expect(check(`[b](docs/b.md) ${headings} [w](https://example.org)`)).toEqual([]);
  });

  it('reports a missing file, a missing heading and a missing picture', () => {
    const pictures = '![p](p.png) <img width="640" src="q.png"> <source srcset="r.png">';
    expect(check(`[b](docs/c.md) [h](docs/b.md#none) ${pictures}`)).toEqual([
      'a.md: docs/c.md leads nowhere.',
      'a.md: docs/b.md has no heading #none.',
      'a.md: p.png leads nowhere.',
      'a.md: q.png leads nowhere.',
      'a.md: r.png leads nowhere.',
    ]);
  });

  it('ignores links in code', () => {
    expect(check('`[b](none.md)`\n\n```\n[b](none.md)\n```\n')).toEqual([]);
  });
});

describe('the shell lines of the README and of docs/connect', () => {
  const read = (name: string) => readFileSync(join(projectFolder, name), 'utf8');
  const linesOf = (text: string) =>
    [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.trim().split('\n'));
  const pages = readdirSync(join(projectFolder, 'docs/connect')).map((name) => read(`docs/connect/${name}`));
  const commands = pages.flatMap(linesOf).filter((line) => line.startsWith('npx'));
  const lines = [...new Set([...linesOf(read('README.md')), ...commands])];
  const npmCommands = ['ci', ...Object.keys(JSON.parse(read('package.json')).scripts)];

  it.each(lines)('contain only existing commands and options: %s', async (line) => {
    for (const command of line.replace(/ #.*/, '').split('&&')) {
      const words = command.split(' ').filter((word) => word !== '' && !/^[A-Z_]+=/.test(word));
      const [program, name, ...rest] = words;
      expect(['npm', 'npx', 'ssh']).toContain(program);
      if (program === 'npm') expect(npmCommands).toContain(name === 'run' ? rest[0] : name);
      if (program !== 'npx') continue;
      const problems: string[] = [];
      const ignore = () => undefined;
      const out = { line: ignore, progress: ignore, problem: (text: string) => problems.push(text) };
      const { signal } = new AbortController();
      // With --help, the command line is only parsed.
      const code = await runCommandLine([...rest, '--help'], { out, signal, now: Date.now });
      expect({ name, code, problems }).toEqual({ name: 'barograph', code: 0, problems: [] });
    }
  });
});
