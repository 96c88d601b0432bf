'use client';
/**
 * A message in Markdown, made of known elements only. HTML is shown as text, only web links can be followed, and only
 * embedded images are shown. Depth and length are limited against hostile text.
 */
import MarkdownIt from 'markdown-it';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import { CodeBlock } from './code-block';
import { ADDRESS, DataImage } from './data-image';
import { MaskedText, PlainText } from './masked-text';

/** Longer texts are shown plain. Characters. */
const MOST_MARKDOWN = 60_000;
/** Maximum characters of the address beside a link. The tooltip has the full address. */
const MOST_ADDRESS = 120;
/** Maximum nesting. */
const DEEPEST = 24;

const reader = new MarkdownIt('default', { html: false, breaks: true, maxNesting: DEEPEST });
// WebLink decides which links can be followed.
reader.validateLink = () => true;

type Token = ReturnType<typeof reader.parse>[number];

const BLOCK = '[&>:is(p,ul,ol,.code-block)+*]:mt-[8px]';
const CELL = 'border-b py-[3px] pr-[16px] text-left align-top';
/** Elements by the parser's name, with their classes. Headings rank below those of the page. */
const ELEMENTS: Readonly<Record<string, readonly [tag: string, className?: string]>> = {
  h1: ['h3', 'pt-[4px] text-title'],
  h2: ['h3', 'pt-[4px] text-title'],
  h3: ['h4', 'font-semibold'],
  h4: ['h5', 'font-semibold'],
  h5: ['h5', 'font-semibold'],
  h6: ['h5', 'font-semibold'],
  blockquote: ['blockquote', `border-l border-hair2 pl-[12px] text-ink2 ${BLOCK}`],
  ul: ['ul', 'list-["–__"] pl-[22px]'],
  ol: ['ol', 'list-decimal pl-[22px]'],
  li: ['li', BLOCK],
  ...Object.fromEntries(
    ['p', 'strong', 'em', 's', 'table', 'thead', 'tbody', 'tr'].map((tag) => [tag, [tag]]),
  ),
  th: ['th', `border-hair2 font-medium ${CELL}`],
  td: ['td', `border-hair ${CELL}`],
};

export function Markdown({ text }: { text: string }) {
  const content = useMemo(() => draw(text), [text]);
  if (content !== null) return <div className="[&>*+*]:mt-[8px]">{content}</div>;
  return (
    <div className="as-it-is">
      <MaskedText text={text} />
    </div>
  );
}

/** Draws Markdown. Null: the text is too long or too deep, so the caller shows it plain. */
function draw(text: string): ReactNode {
  if (text.length > MOST_MARKDOWN) return null;
  const blocks = reader.parse(text, {});
  // The parser drops deeper content; a list and its item are two levels.
  if (blocks.some(({ level }) => level >= DEEPEST - 2)) return null;
  const tokens = blocks.flatMap((token) => (token.type === 'inline' ? (token.children ?? []) : token));
  const root: ReactNode[] = [];
  const open: { at: number; children: ReactNode[] }[] = [];
  const parentOf = () => open.at(-1)?.children ?? root;
  const add = (node: ReactNode) => {
    const parent = parentOf();
    parent.push(<Fragment key={parent.length}>{node}</Fragment>);
  };
  for (const [index, token] of tokens.entries()) {
    const { nesting, type, tag, hidden } = token;
    if (nesting === 0) add(leaf(token));
    else if (nesting === 1) {
      const isDrawn = type === 'link_open' || (!hidden && Object.hasOwn(ELEMENTS, tag));
      // The children of an element that is not drawn go to its parent.
      open.push({ at: index, children: isDrawn && open.length < DEEPEST ? [] : parentOf() });
    } else {
      const { at = 0, children = root } = open.pop() ?? {};
      if (children !== parentOf()) add(element(tokens, at, index, children));
    }
  }
  return root;
}

/** The element from its opening to its closing token. */
function element(tokens: readonly Token[], at: number, end: number, children: ReactNode[]): ReactNode {
  const token = tokens[at];
  if (token?.type === 'link_open') {
    const words = tokens.slice(at, end).map(({ content }) => content);
    return (
      <WebLink address={attribute(token, 'href')} words={words.join('')}>
        {children}
      </WebLink>
    );
  }
  const [tag = 'p', className] = ELEMENTS[token?.tag ?? ''] ?? [];
  const start = tag === 'ol' ? { start: Number(token?.attrGet('start') ?? 1) } : {};
  const drawn = createElement(tag, { className, ...start }, children);
  return tag === 'table' ? <div className="overflow-x-auto">{drawn}</div> : drawn;
}

const attribute = (token: Token, name: string) => String(token.attrGet(name) ?? '');

function leaf(token: Token): ReactNode {
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr className="border-t border-hair2" />;
    case 'code_inline':
      return (
        <code className="bg-sunken px-[3px] font-mono">
          <MaskedText text={token.content} />
        </code>
      );
    case 'fence':
    case 'code_block':
      return <CodeBlock text={token.content.replace(/\n$/, '')} info={(token.info ?? '').trim()} />;
    case 'image':
      return <DataImage address={attribute(token, 'src')} alt={token.content} />;
    default:
      return <MaskedText text={token.content} />;
  }
}

/** A link with its visible address. Only web addresses can be followed. */
function WebLink({
  address,
  words,
  children,
}: Record<'address' | 'words', string> & { children: ReactNode }) {
  const shown = (
    <>
      {children}
      {words.trim() === address ? null : (
        <span className={ADDRESS}>
          {words === '' ? '' : ' '}
          <PlainText text={address.length > MOST_ADDRESS ? `${address.slice(0, MOST_ADDRESS)}…` : address} />
        </span>
      )}
    </>
  );
  if (!isWebAddress(address)) return <span title="Not a web address">{shown}</span>;
  return (
    <a
      href={address}
      rel="noreferrer noopener nofollow"
      target="_blank"
      referrerPolicy="no-referrer"
      title={address}
      className="link"
    >
      {shown}
    </a>
  );
}

/** Absolute, of http or https, without a user name and password, which can disguise the host. */
function isWebAddress(address: string): boolean {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username === '' && password === '';
}
