/**
 * Syntax highlighting for the languages that agents use most. Loaded when the first block of code is
 * seen. It reads text and gives names; what is drawn is decided in code-block.tsx.
 */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

const highlighter = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

export interface CodePart {
  text: string;
  /** What the innermost part around it is: `keyword`, `comment`, …; null: nothing in particular. */
  as: string | null;
}

/** Longer code is not highlighted. Characters. */
export const MOST_CODE = 30_000;
const LONGEST_LINE = 2_000;

/** Null: the language is not known here, or the code is too long. */
export function highlightCode(code: string, language: string): CodePart[] | null {
  const name = language.toLowerCase();
  if (code.length > MOST_CODE || !highlighter.registered(name) || hasLongLine(code)) return null;
  const parts: CodePart[] = [];
  collect(highlighter.highlight(name, code).children, null, parts);
  return parts;
}

type Nodes = ReturnType<typeof highlighter.highlight>['children'];

function collect(nodes: Nodes, as: string | null, parts: CodePart[]): void {
  for (const node of nodes) {
    if (node.type === 'text') parts.push({ text: node.value, as });
    else if (node.type === 'element') {
      const names = node.properties.className;
      const name = Array.isArray(names) ? String(names[0] ?? '').replace(/^hljs-/, '') : '';
      collect(node.children as Nodes, name === '' ? as : name, parts);
    }
  }
}

function hasLongLine(code: string): boolean {
  let from = 0;
  for (let to = code.indexOf('\n'); to !== -1; to = code.indexOf('\n', from)) {
    if (to - from > LONGEST_LINE) return true;
    from = to + 1;
  }
  return code.length - from > LONGEST_LINE;
}
