'use client';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { formatClockSeconds, formatInstant } from '../../../format/format-time';
import { formatExact } from '../../../format/format-tokens';
import { useConversation } from './conversation-context';

/** A plain click sets the line in the page's address; others are left to the browser. */
function usePress(line: number): React.MouseEventHandler<HTMLAnchorElement> {
  const { nameLine } = useConversation();
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

/** The time, as a link to the message. */
export function LineLink({ outline, entry, zone }: LineLinkProps) {
  const line = outline.columns.line[entry] ?? 0;
  const at = outline.columns.at[entry] ?? null;
  const place = `line ${formatExact(line + 1)}`;
  return (
    <a
      href={`?line=${line}`}
      onClick={usePress(line)}
      className="num when"
      title={`${at === null ? '' : `${formatInstant(at * 1_000, zone)}, `}${place}: link to this message`}
    >
      {at === null ? place : formatClockSeconds(at * 1_000, zone)}
      <span className="sr-only">, link to {place}</span>
    </a>
  );
}

/** The line number, as a link to it. */
export function NumberLink({ line }: { line: number }) {
  return (
    <a href={`?line=${line}`} onClick={usePress(line)} className="num text-small text-ink2">
      {formatExact(line + 1)}
    </a>
  );
}
