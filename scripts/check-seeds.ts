/**
 * Check docs/seeds.md: each requirement of the five documents names existing tests, quotes the sentence of
 * docs/accounting.md that overrides it, or says how this project differs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROW = /^\| (00\d-[\w.-]+) \| (.+?) \| (.*) \|$/;
const TEST = /^`([^`]+)` › (.+)$/;
/** What the project does instead: at least a short sentence. */
const DIFFERS = /^Differs: .{20,}$/;
const OVERRIDDEN = /^Overridden: “(.+)”$/;

/** One sentence per row that has a repeated id, names nothing, or names something that does not exist. */
export function findUnshown(page: string, root: string): string[] {
  const rules = oneLine(readText(root, 'docs/accounting.md') ?? '');
  const seen = new Set<string>();
  return page.split('\n').flatMap((line) => {
    if (!/^\| 00\d-/.test(line)) return [];
    const [, id = '', , shown = ''] = ROW.exec(line) ?? [];
    if (id === '') return [`Not a row of three columns: ${line}`];
    if (seen.has(id)) return [`${id} is listed twice.`];
    seen.add(id);
    if (shown.trim() === '') return [`${id} names no test.`];
    return shown.split('<br>').flatMap((part) => {
      const problem = judge(part.trim(), root, rules);
      return problem === null ? [] : [`${id}: ${problem}`];
    });
  });
}

function judge(part: string, root: string, rules: string): string | null {
  if (DIFFERS.test(part)) return null;
  const [, sentence] = OVERRIDDEN.exec(part) ?? [];
  if (sentence !== undefined) {
    return rules.includes(oneLine(sentence)) ? null : `docs/accounting.md does not say “${sentence}”.`;
  }
  const [, path = '', title = ''] = TEST.exec(part) ?? [];
  if (path === '') return `“${part}” is no test, no override and no difference.`;
  const text = readText(root, path);
  if (text === null) return `${path} does not exist.`;
  return hasTitle(path, text, title.replaceAll('\\|', '|')) ? null : `${path} has no test “${title}”.`;
}

/** Titles are whole strings in TypeScript, docstrings or names in Python, and sentences in a document. */
function hasTitle(path: string, text: string, title: string): boolean {
  if (path.endsWith('.py')) return text.includes(`"""${title}"""`) || text.includes(`def ${title}(`);
  if (path.endsWith('.md')) return oneLine(text).includes(oneLine(title));
  const plain = text.replace(/\\(['"`])/g, '$1');
  return ["'", '"', '`'].some((quote) => plain.includes(`${quote}${title}${quote}`));
}

function readText(root: string, path: string): string | null {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
