'use client';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { formatClockSeconds, formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { useTalk } from './talk-context';

/** A line's own address: a plain press puts it into the page's, any other is the browser's. */
function usePress(line: number): React.MouseEventHandler<HTMLAnchorElement> {
  const { nameLine } = useTalk();
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    nameLine(line);
  };
}

interface LineLinkProps {
  outline: TranscriptOutline;
  entry: number;
  zone: string;
}

/** The time, which is the message's own address. */
export function LineLink({ outline, entry, zone }: LineLinkProps) {
  const line = outline.columns.line[entry] ?? 0;
  const at = outline.columns.at[entry] ?? null;
  const place = `line ${formatExact(line + 1)}`;
  return (
    <a
      href={`?line=${line}`}
      onClick={usePress(line)}
      className="num when"
      title={`${at === null ? '' : `${formatInstant(at * 1_000, zone)}, `}${place}: a link to this message`}
    >
      {at === null ? place : formatClockSeconds(at * 1_000, zone)}
      <span className="sr-only">, link to {place}</span>
    </a>
  );
}

/** The line's number, which is its address. */
export function NumberLink({ line }: { line: number }) {
  return (
    <a href={`?line=${line}`} onClick={usePress(line)} className="num text-small text-ink2">
      {formatExact(line + 1)}
    </a>
  );
}
