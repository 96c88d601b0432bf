/** Banned words in UI strings, documents, comments and test titles. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { listFiles } from '../lib/list-files';
import type { SourceFile } from './sources';

const BANNED_WORDS =
  /\b(nobody|somebody|reckon(s|ed|ing)?|befalls?|befell|anew|amiss|thereof|told|tells|stands|dear|holds good|as it is|held up|at present)\b/gi;

/** Fixtures, and documents that quote test titles or docstrings; the quotes are checked at their source. */
const NOT_OURS = /fixtures\/|^docs\/(library\/|seeds\.md)/;

/** `path: word: context` for each banned word in strings, comments and documents. */
export function findBannedWords(root: string, files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => !path.startsWith('scripts/house/'));
  const documents = listFiles(root, '').filter((name) => name.endsWith('.md') && !NOT_OURS.test(name));
  return [
    ...sources.flatMap((file) => readTexts(file).flatMap((text) => judge(file.path, text))),
    ...documents.flatMap((path) => judge(path, readFileSync(join(root, path), 'utf8'))),
  ];
}

function judge(path: string, text: string): string[] {
  const prose = text.replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(BANNED_WORDS)].map(({ 0: word, index }) => {
    const sentence = prose
      .slice(Math.max(0, index - 40), index + 50)
      .replace(/\s+/g, ' ')
      .trim();
    return `${path}: ${word}: … ${sentence} …`;
  });
}

/** A string with a space is a sentence; a single word is an identifier, key or account. */
function readTexts({ path, text, language }: SourceFile): string[] {
  if (language === 'CSS') return text.match(/\/\*[\s\S]*?\*\//g) ?? [];
  if (language === 'Python') return [text];
  const { program, comments } = parseSync(path, text);
  const texts = comments.map(({ value }) => value);
  const add = (value: unknown) => {
    if (typeof value === 'string' && /\S\s+\S/.test(value)) texts.push(value);
  };
  new Visitor({
    Literal: ({ value }) => add(value),
    TemplateElement: ({ value }) => add(value.cooked),
    JSXText: ({ value }) => add(value),
  }).visit(program);
  return texts;
}
