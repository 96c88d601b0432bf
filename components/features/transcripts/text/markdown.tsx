'use client';
import { useMemo } from 'react';
import { CodeBlock } from './code-block';
import { DataImage } from './data-image';
import { MaskedText } from './masked-text';
import { PlainText } from './plain-text';
import { type MarkdownNode, readMarkdown } from './read-markdown';

/** A message in Markdown, drawn from a tree of known elements. HTML in it is text; nothing is loaded from anywhere. */
export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => readMarkdown(text), [text]);
  if (nodes === null) {
    return (
      <div className="as-it-is">
        <MaskedText text={text} />
      </div>
    );
  }
  return (
    <div className="markdown">
      <Nodes nodes={nodes} />
    </div>
  );
}

function Nodes({ nodes }: { nodes: readonly MarkdownNode[] }) {
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: nodes of one text have no other name than their place
    <Node key={index} node={node} />
  ));
}

function Node({ node }: { node: MarkdownNode }) {
  switch (node.kind) {
    case 'text':
      return <MaskedText text={node.text} />;
    case 'break':
      return <br />;
    case 'rule':
      return <hr />;
    case 'code':
      return (
        <code>
          <MaskedText text={node.text} />
        </code>
      );
    case 'block':
      return <CodeBlock text={node.text} info={node.info} />;
    case 'link':
      return <WebLink node={node} />;
    case 'image':
      return <DataImage address={node.address} alt={node.alt} />;
    case 'element': {
      const children = <Nodes nodes={node.children} />;
      const Tag = node.tag;
      if (Tag === 'ol') return <ol start={node.start ?? 1}>{children}</ol>;
      if (Tag === 'table') {
        return (
          <div className="table-scroll">
            <table>{children}</table>
          </div>
        );
      }
      return <Tag>{children}</Tag>;
    }
  }
}

/** Characters of an address shown beside its link; the tooltip has all. */
const MOST_ADDRESS = 120;

/** A link with its visible address. Only web addresses can be followed. */
function WebLink({ node }: { node: Extract<MarkdownNode, { kind: 'link' }> }) {
  const words = textOf(node.children);
  const address =
    node.address.length > MOST_ADDRESS ? `${node.address.slice(0, MOST_ADDRESS)}…` : node.address;
  const isNamed = words.trim() !== node.address;
  const shown = (
    <>
      <Nodes nodes={node.children} />
      {isNamed ? (
        <span className="address">
          {words === '' ? '' : ' '}
          <PlainText text={address} />
        </span>
      ) : null}
    </>
  );
  if (!node.safe) return <span title="This address is not followed">{shown}</span>;
  return (
    <a
      href={node.address}
      rel="noreferrer noopener nofollow"
      target="_blank"
      referrerPolicy="no-referrer"
      title={node.address}
      className="link"
    >
      {shown}
    </a>
  );
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => ('text' in node ? node.text : 'children' in node ? textOf(node.children) : ''))
    .join('');
}
