'use client';
import { useEffect, useState } from 'react';
import { CopyButton } from '../../ui/copy-button';
import type { CodePart } from './highlight-code';
import { MaskedText } from './masked-text';
import { PlainText } from './plain-text';
import { hasSecretMark } from './secret-parts';
import { visibleText } from './visible-text';

type Highlight = typeof import('./highlight-code').highlightCode;

let loaded: Highlight | null = null;
let loading: Promise<Highlight> | null = null;

const IDLE_MS = 300;

/** After what somebody pressed is drawn: the highlighter is a long piece of script. */
function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve);
    else requestIdleCallback(() => resolve(), { timeout: IDLE_MS });
  });
}

/** The highlighter, once it is here: the page does not wait for it. */
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
        // Without it code is plain; the next block asks again.
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
  /** What stands behind the fence; the language first. */
  info: string;
}

/** Code on sunken paper. Its parts differ in weight and slope: colour is the states' alone. */
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
