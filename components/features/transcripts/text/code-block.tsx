'use client';
import { useQuery } from '@tanstack/react-query';
import { visibleText } from '../../../format/visible-text';
import { CopyButton } from '../../../ui/copy-button';
import { hasSecret, MaskedText, PlainText } from './masked-text';

/** The highlighter is large, so the page loads first. */
async function loadHighlighter() {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return (await import('./highlight-code')).highlightCode;
}

/** Kinds differ in weight and slope, because colour is reserved for states. */
const LOOKS: ReadonlyArray<readonly [kind: RegExp, className: string]> = [
  [/^(comment|quote)$/, 'text-ink2 italic'],
  [/^(keyword|built_in|type|title|name|section|addition)$/, 'font-semibold'],
  [/^(string|regexp|meta|attr)$/, 'text-ink2'],
  [/^deletion$/, 'text-ink2 line-through decoration-ink3'],
];

/** @param props.info the fence's info string; the language first */
export function CodeBlock({ text, info }: { text: string; info: string }) {
  const language = info.split(/[\s:{]+/)[0] ?? '';
  const { data: highlight } = useQuery({
    queryKey: ['code highlighter'],
    queryFn: loadHighlighter,
    // Highlighting would split the mark of a secret.
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
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
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
