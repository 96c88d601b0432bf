/**
 * Markdown as a tree of a few node kinds. HTML tags stay text, only web links can be followed, and images must be
 * embedded in the file. Depth and length are limited against hostile text.
 */
import MarkdownIt from 'markdown-it';

type MarkdownTag =
  | 'p'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'blockquote'
  | 'ul'
  | 'ol'
  | 'li'
  | 'strong'
  | 'em'
  | 's'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td';

export type MarkdownNode =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'rule' }
  | { kind: 'code'; text: string }
  /** `info`: the fence's info string, the language first. */
  | { kind: 'block'; text: string; info: string }
  | { kind: 'link'; address: string; safe: boolean; children: MarkdownNode[] }
  | { kind: 'image'; address: string; alt: string }
  | { kind: 'element'; tag: MarkdownTag; start: number | null; children: MarkdownNode[] };

/** Longer texts are shown plain. Characters. */
export const MOST_MARKDOWN = 60_000;
/** Maximum nesting. */
const DEEPEST = 24;

const reader = new MarkdownIt('default', {
  html: false,
  linkify: false,
  typographer: false,
  breaks: true,
  maxNesting: DEEPEST,
});
// The renderer decides which links can be followed.
reader.validateLink = () => true;

type Token = ReturnType<typeof reader.parse>[number];

const TAGS: Readonly<Record<string, MarkdownTag>> = {
  // Headings of a message rank below those of the page.
  h1: 'h3',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h5',
  h6: 'h5',
  p: 'p',
  blockquote: 'blockquote',
  ul: 'ul',
  ol: 'ol',
  li: 'li',
  strong: 'strong',
  em: 'em',
  s: 's',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
};

/** Null: too long or too deep; show the text plain. */
export function readMarkdown(text: string): MarkdownNode[] | null {
  if (text.length > MOST_MARKDOWN) return null;
  const tokens = reader.parse(text, {});
  // The parser drops deeper content; a list and its item are two levels.
  if (tokens.some(({ level }) => level >= DEEPEST - 2)) return null;
  return build(tokens);
}

function build(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = [];
  /** Targets of children; null: an element that is not drawn, its children go to its parent. */
  const open: (MarkdownNode[] | null)[] = [];
  let depth = 0;
  const into = () => open.findLast((children) => children !== null) ?? root;
  const flat: Token[] = tokens.flatMap((token) =>
    token.type === 'inline' ? (token.children ?? []) : [token],
  );
  for (const token of flat) {
    if (token.nesting === 1) {
      const node = depth < DEEPEST && !token.hidden ? opened(token) : null;
      if (node === null) {
        open.push(null);
        continue;
      }
      into().push(node);
      open.push(node.children);
      depth += 1;
    } else if (token.nesting === -1) {
      if (open.pop()) depth -= 1;
    } else {
      const node = leaf(token);
      if (node !== null) into().push(node);
    }
  }
  return root;
}

type Parent = Extract<MarkdownNode, { children: MarkdownNode[] }>;

function opened(token: Token): Parent | null {
  if (token.type === 'link_open') {
    const address = String(token.attrGet('href') ?? '');
    return { kind: 'link', address, safe: isWebAddress(address), children: [] };
  }
  const tag = Object.hasOwn(TAGS, token.tag) ? TAGS[token.tag] : undefined;
  if (tag === undefined) return null;
  const start = tag === 'ol' ? Number(token.attrGet('start') ?? 1) : null;
  return { kind: 'element', tag, start: Number.isSafeInteger(start) ? start : null, children: [] };
}

function leaf(token: Token): MarkdownNode | null {
  switch (token.type) {
    case 'text':
      return token.content === '' ? null : { kind: 'text', text: token.content };
    case 'softbreak':
    case 'hardbreak':
      return { kind: 'break' };
    case 'hr':
      return { kind: 'rule' };
    case 'code_inline':
      return { kind: 'code', text: token.content };
    case 'fence':
    case 'code_block':
      return {
        kind: 'block',
        text: token.content.replace(/\n$/, ''),
        info: (token.info ?? '').trim(),
      };
    case 'image':
      return { kind: 'image', address: String(token.attrGet('src') ?? ''), alt: token.content };
    default:
      return token.content === '' ? null : { kind: 'text', text: token.content };
  }
}

/** Of http or https, whole, and without a name and password in it: those are there to deceive. */
export function isWebAddress(address: string): boolean {
  if (!/^https?:\/\//i.test(address)) return false;
  try {
    const { protocol, username, password, hostname } = new URL(address);
    return /^https?:$/.test(protocol) && username === '' && password === '' && hostname !== '';
  } catch {
    return false;
  }
}
