/** Words that mark the old manner of this project's texts, found in UI strings, documents, comments and test titles. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { listFiles } from '../lib/list-files';
import type { SourceFile } from './sources';

const OLD_WORDS =
  /\b(nobody|somebody|reckon(s|ed|ing)?|befalls?|befell|anew|amiss|thereof|told|tells|stands|dear|holds good|as it is|held up|at present)\b/gi;

/** Documents that quote test titles or docstrings, which are checked at their source. */
const NOT_OURS = /fixtures\/|^docs\/(library\/|seeds\.md)/;

export interface OldWords {
  /** `path: word: sentence` in strings of the source and in documents. */
  texts: string[];
  /** The same in comments, test titles and other strings of tests. */
  asides: string[];
}

export function findOldWords(root: string, files: readonly SourceFile[]): OldWords {
  const found: OldWords = { texts: [], asides: [] };
  for (const file of files) {
    if (file.path.startsWith('scripts/house/')) continue;
    const { strings, comments } = readTexts(file);
    (file.kind === 'test' ? found.asides : found.texts).push(
      ...strings.flatMap((text) => judge(file.path, text)),
    );
    found.asides.push(...comments.flatMap((text) => judge(file.path, text)));
  }
  for (const path of listFiles(root, '').filter((name) => name.endsWith('.md') && !NOT_OURS.test(name))) {
    found.texts.push(
      ...readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line) => judge(path, line)),
    );
  }
  return found;
}

function judge(path: string, text: string): string[] {
  const prose = text.replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(OLD_WORDS)].map(({ 0: word, index }) => {
    const sentence = prose
      .slice(Math.max(0, index - 40), index + 50)
      .replace(/\s+/g, ' ')
      .trim();
    return `${path}: ${word}: … ${sentence} …`;
  });
}

/** Strings that hold a space are sentences; single words are identifiers, keys and accounts. */
function readTexts({ path, text, language }: SourceFile): { strings: string[]; comments: string[] } {
  if (language === 'CSS') return { strings: [], comments: text.match(/\/\*[\s\S]*?\*\//g) ?? [] };
  if (language === 'Python') return { strings: text.split('\n'), comments: [] };
  const { program, comments } = parseSync(path, text);
  const strings: string[] = [];
  const add = (value: unknown) => {
    if (typeof value === 'string' && /\S\s+\S/.test(value)) strings.push(value);
  };
  new Visitor({
    Literal: ({ value }) => add(value),
    TemplateElement: ({ value }) => add(value.cooked),
    JSXText: ({ value }) => add(value),
  }).visit(program);
  return { strings, comments: comments.map(({ value }) => value) };
}
