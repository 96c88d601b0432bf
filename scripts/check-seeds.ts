/**
 * docs/seeds.md names, for every requirement of the five documents, the tests that show it: each must exist. Where
 * another rule stands in its place, the sentence that says so must stand in docs/accounting.md.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish } from './lib/finish';
import { isMain } from './lib/is-main';
import { projectFolder } from './lib/project-folder';

const ROW = /^\| (00\d-[\w.-]+) \| (.+?) \| (.*) \|$/;
const TEST = /^`([^`]+)` › (.+)$/;
const OVERRIDDEN = /^Overridden: “(.+)”$/;

/** Sentences, one for each row that names nothing, a test or sentence that is not there, or an id twice. */
export function findUnshown(page: string, root: string): string[] {
  const rules = oneLine(readText(root, 'docs/accounting.md') ?? '');
  const seen = new Set<string>();
  return page.split('\n').flatMap((line) => {
    if (!/^\| 00\d-/.test(line)) return [];
    const [, id = '', , shown = ''] = ROW.exec(line) ?? [];
    if (id === '') return [`This is no row of three columns: ${line}`];
    if (seen.has(id)) return [`${id} stands there twice.`];
    seen.add(id);
    if (shown.trim() === '') return [`${id} names no test.`];
    return shown.split('<br>').flatMap((part) => {
      const problem = judge(part.trim(), root, rules);
      return problem === null ? [] : [`${id}: ${problem}`];
    });
  });
}

function judge(part: string, root: string, rules: string): string | null {
  const [, sentence] = OVERRIDDEN.exec(part) ?? [];
  if (sentence !== undefined) {
    return rules.includes(oneLine(sentence)) ? null : `docs/accounting.md does not say “${sentence}”.`;
  }
  const [, path = '', title = ''] = TEST.exec(part) ?? [];
  if (path === '') return `“${part}” is neither a test nor a sentence that overrides it.`;
  const text = readText(root, path);
  if (text === null) return `${path} does not exist.`;
  return hasTitle(path, text, title.replaceAll('\\|', '|')) ? null : `${path} has no test “${title}”.`;
}

/** The whole of a string in the source; in Python, the line that says what a test shows; in a document, a sentence. */
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

if (isMain(import.meta.url)) {
  finish('seeds', findUnshown(readFileSync(join(projectFolder, 'docs', 'seeds.md'), 'utf8'), projectFolder));
}
