/** Source files with room, kind, language and lines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { listFiles } from '../lib/list-files';

export interface SourceFile {
  path: string;
  room: string;
  kind: 'source' | 'test';
  language: string;
  text: string;
  /** As `wc -l` counts them. */
  lines: number;
}

const LANGUAGES: Record<string, string> = { ts: 'TypeScript', tsx: 'TSX', css: 'CSS', py: 'Python' };
const NOT_COUNTED = /^db\/migrations\/|\.generated\.|_pb\.ts$|\.d\.ts$/;
const TEST = [
  /\.(test|spec)\.tsx?$/,
  /^e2e\//,
  /(^|\/)(testing|fixtures)\//,
  /(^|[-/.])(testing|fixture|fake)[-.][^/]*$/,
  /(^|\/)test_\w+\.py$/,
];

export function readSources(root: string): SourceFile[] {
  return listFiles(root, '').flatMap((path): SourceFile[] => {
    const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)];
    if (language === undefined || NOT_COUNTED.test(path)) return [];
    const text = readFileSync(join(root, path), 'utf8');
    const kind = TEST.some((pattern) => pattern.test(path)) ? 'test' : 'source';
    return [
      {
        path,
        room: path.includes('/') ? path.slice(0, path.indexOf('/')) : 'root',
        kind,
        language,
        text,
        lines: text.split('\n').length - 1,
      },
    ];
  });
}

export function countCommentLines({ path, text, language }: SourceFile): number {
  if (language === 'Python') return 0;
  const comments =
    language === 'CSS'
      ? [...text.matchAll(/\/\*[\s\S]*?\*\//g)].map(({ index, 0: { length } }) => ({
          start: index,
          end: index + length,
        }))
      : parseSync(path, text).comments;
  return comments
    .filter(({ start }) => text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() === '')
    .reduce((lines, { start, end }) => lines + text.slice(start, end).split('\n').length, 0);
}
