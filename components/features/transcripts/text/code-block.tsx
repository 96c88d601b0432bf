'use client';
import { useQuery } from '@tanstack/react-query';
import { visibleText } from '../../../format/visible-text';
import { CopyButton } from '../../../ui/copy-button';
import { hasSecret, MaskedText } from './masked-text';
import { PlainText } from './plain-text';

/** Loads the large highlighter when the page is idle. */
async function loadHighlighter() {
  await new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve);
    else requestIdleCallback(resolve, { timeout: 300 });
  });
  return (await import('./highlight-code')).highlightCode;
}

/** Kinds of parts differ in weight and slope, because colour is reserved for states. */
const LOOKS: ReadonlyArray<readonly [kind: RegExp, className: string]> = [
  [/^(comment|quote)$/, 'text-ink2 italic'],
  [/^(keyword|built_in|type|title|name|section|addition)$/, 'font-semibold'],
  [/^(string|regexp|meta|attr)$/, 'text-ink2'],
  [/^deletion$/, 'text-ink2 line-through decoration-ink3'],
];

interface CodeBlockProps {
  text: string;
  /** The fence's info string; the language first. */
  info: string;
}

/** Code, highlighted once the highlighter is loaded. */
export function CodeBlock({ text, info }: CodeBlockProps) {
  const language = info.split(/[\s:{]+/)[0] ?? '';
  const { data: highlight } = useQuery({
    queryKey: ['code highlighter'],
    queryFn: loadHighlighter,
    // The mark of a secret must stay one piece.
    enabled: language !== '' && !hasSecret(text),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const parts = hasSecret(text) ? null : (highlight?.(text, language) ?? null);
  return (
    <div className="code-block bg-sunken">
      <div className="flex min-h-[28px] items-center justify-between pt-[4px] pr-[6px] pl-[12px]">
        <span className="text-small text-ink2">{visibleText(info.slice(0, 80))}</span>
        <CopyButton text={visibleText(text)} what="the code" />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[420px] overflow-auto px-[12px] pt-[2px] pb-[10px] font-mono whitespace-pre"
      >
        <code className="font-mono">
          {parts === null ? (
            <MaskedText text={text} />
          ) : (
            parts.map(({ text: part, as }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts of one code have no other name than their place
              <span key={index} data-code={as} className={LOOKS.find(([kind]) => kind.test(as ?? ''))?.[1]}>
                <PlainText text={part} />
              </span>
            ))
          )}
        </code>
      </pre>
    </div>
  );
}
