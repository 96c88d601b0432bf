/** Syntax highlighting for the most common languages, loaded with the first block of code. */
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import { common, createLowlight } from 'lowlight';

const highlighter = createLowlight({ ...common, dockerfile });

export interface CodePart {
  text: string;
  /** Kind of the innermost enclosing part: `keyword`, `comment`, …; null: none. */
  as: string | null;
}

/** Longer code is not highlighted. Characters. */
const MOST_CODE = 30_000;
const LONGEST_LINE = 2_000;

/** Null: an unknown language, or the code is too long. */
export function highlightCode(code: string, language: string): CodePart[] | null {
  const name = language.toLowerCase();
  if (code.length > MOST_CODE || !highlighter.registered(name)) return null;
  if (code.split('\n').some((line) => line.length > LONGEST_LINE)) return null;
  return partsOf(highlighter.highlight(name, code).children, null);
}

type Nodes = ReturnType<typeof highlighter.highlight>['children'];

function partsOf(nodes: Nodes, as: string | null): CodePart[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return { text: node.value, as };
    if (node.type !== 'element') return [];
    const [name] = [node.properties.className].flat();
    return partsOf(node.children as Nodes, name ? String(name).replace(/^hljs-/, '') : as);
  });
}
