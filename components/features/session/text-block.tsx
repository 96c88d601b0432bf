import { formatCount } from '../../format/format-tokens';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';

interface TextBlockProps {
  title: string;
  text: string;
  /** The text is a beginning alone, for the whole of it is being read: its length in characters. Null: it is whole. */
  cut: { length: number; failed: boolean } | null;
}

/** A text that a runner sent, as plain text: whatever it holds, it is shown and never interpreted. */
export function TextBlock({ title, text, cut }: TextBlockProps) {
  const size =
    cut === null
      ? `${formatCount(text.split('\n').length, 'line')}, ${formatCount(text.length, 'character')}`
      : `the beginning, ${formatCount(cut.length, 'character')} in all`;
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-[12px] gap-y-[2px] pb-[6px]">
        <h3 className="font-normal">{title}</h3>
        <span className="text-small text-ink2">
          <FiguresText text={size} />
        </span>
        <span className="ml-auto">
          {cut === null ? <CopyButton text={text} what={`the ${title}`} /> : null}
        </span>
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[360px] overflow-auto bg-sunken p-[12px] font-mono text-small whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
        {cut === null ? null : '…'}
      </pre>
      {cut === null ? null : (
        <p role="status" className="pt-[4px] text-small text-ink2">
          {cut.failed ? 'The rest could not be read. Retrying automatically.' : 'Loading the rest…'}
        </p>
      )}
    </div>
  );
}
