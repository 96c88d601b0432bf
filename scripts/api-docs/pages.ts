/** TypeDoc's pages, named and introduced as the package's entry points. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bare package name is the client. */
const CLIENT_PAGE = 'client.md';

export interface EntryPoint {
  /** As a program imports it: `barograph/usage`. */
  name: string;
  /** Path of the source, relative to the project. */
  source: string;
  /** TypeDoc's name for it. */
  module: string;
  /** Name of its page. */
  page: string;
  /** What the file says of itself. */
  introduction: string;
}

/** All entry points that the package exports, in its order; each must begin with a comment about itself. */
export function entryPoints(root: string): EntryPoint[] {
  const manifest: { name: string; exports: Record<string, { types: string } | string> } = JSON.parse(
    readFileSync(join(root, 'runner', 'package.json'), 'utf8'),
  );
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const source = target.types.replace(/^\.\/dist\/types\//, '').replace(/\.d\.ts$/, '.ts');
    const module = source.replace(/^runner\/src\//, '').replace(/(\/index)?\.ts$/, '');
    return [
      {
        name: path.replace(/^\./, manifest.name),
        source,
        module,
        page: module === 'index' ? CLIENT_PAGE : `${module}.md`,
        introduction: firstComment(source, readFileSync(join(root, source), 'utf8')),
      },
    ];
  });
}

function firstComment(source: string, text: string): string {
  const [, comment] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  if (comment === undefined) throw new Error(`${source} must begin with a comment about itself`);
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}

export function writePage({ name, source, introduction }: EntryPoint, generated: string): string {
  const body = generated
    .replace(/^# .*\n/, '')
    // Rows of tables are named for links that nothing makes.
    .replace(/<a id="[^"]*"><\/a> /g, '')
    .replaceAll('](index.md', `](${CLIENT_PAGE}`)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return [
    `# ${name}`,
    introduction,
    `_Written from the docstrings of \`${source}\` by \`npm run api-docs\`._`,
    `\`\`\`ts\nimport { … } from '${name}';\n\`\`\``,
    `${body}\n`,
  ].join('\n\n');
}

export function writeIndex(entries: readonly EntryPoint[]): string {
  return [
    '# The library, entry by entry',
    'The package `barograph` as its docstrings describe it: shapes, units, errors and sources. What it is for and how to begin is in [its README](../../runner/README.md).',
    [
      '| import | what it is |',
      '|---|---|',
      ...entries.map(
        ({ name, page, introduction }) => `| [\`${name}\`](${page}) | ${firstSentence(introduction)} |`,
      ),
    ].join('\n'),
    '_Written by `npm run api-docs`._\n',
  ].join('\n\n');
}

/** Without the entry's own name before it, in one line. */
function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').replace(/^`barograph[\w/]*`:? /, '');
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  return (sentence.charAt(0).toUpperCase() + sentence.slice(1)).replaceAll('|', '\\|');
}
