'use client';
import { useEffect, useState } from 'react';
import { visibleText } from '../../../format/visible-text';
import { CopyButton } from '../../../ui/copy-button';
import type { CodePart } from './highlight-code';
import { MaskedText } from './masked-text';
import { PlainText } from './plain-text';
import { hasSecretMark } from './secret-parts';

type Highlight = typeof import('./highlight-code').highlightCode;

let loaded: Highlight | null = null;
let loading: Promise<Highlight> | null = null;

const IDLE_MS = 300;

/** Load the large highlighter when the page is idle. */
function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve);
    else requestIdleCallback(() => resolve(), { timeout: IDLE_MS });
  });
}

/** The highlighter once it is loaded; null before. */
function useHighlight(isWanted: boolean): Highlight | null {
  const [highlight, setHighlight] = useState<Highlight | null>(() => loaded);
  useEffect(() => {
    if (!isWanted || highlight !== null) return;
    let isHere = true;
    loading ??= whenIdle()
      .then(() => import('./highlight-code'))
      .then((module) => {
        loaded = module.highlightCode;
        return loaded;
      });
    loading.then(
      (found) => {
        if (isHere) setHighlight(() => found);
      },
      () => {
        // Code stays plain; the next block retries.
        loading = null;
      },
    );
    return () => {
      isHere = false;
    };
  }, [isWanted, highlight]);
  return highlight;
}

interface CodeBlockProps {
  text: string;
  /** The fence's info string; the language first. */
  info: string;
}

/** Highlighted code. Parts differ in weight and slope, because colour is reserved for states. */
export function CodeBlock({ text, info }: CodeBlockProps) {
  const language = info.split(/[\s:{]+/)[0] ?? '';
  // A mark in place of a secret must stay one piece.
  const isPlain = language === '' || hasSecretMark(text);
  const highlight = useHighlight(!isPlain);
  const parts: CodePart[] | null = isPlain || highlight === null ? null : highlight(text, language);
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="text-small text-ink2">
          {info === '' ? null : <PlainText text={info.slice(0, 80)} />}
        </span>
        <CopyButton text={visibleText(text)} what="the code" />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <code className="font-mono">
          {parts === null ? (
            <MaskedText text={text} />
          ) : (
            parts.map(({ text: part, as }, index) =>
              as === null ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one code have no other name than their place
                <PlainText key={index} text={part} />
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one code have no other name than their place
                <span key={index} data-code={as}>
                  <PlainText text={part} />
                </span>
              ),
            )
          )}
        </code>
      </pre>
    </div>
  );
}
