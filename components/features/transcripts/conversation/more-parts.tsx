'use client';
import { formatCount } from '../../../format/format-tokens';
import { useConversation } from './conversation-context';

/** Parts of one message shown at first. */
const FIRST_PARTS = 40;

export interface ShownParts<T> {
  shown: readonly T[];
  /** Number of hidden parts. */
  hidden: number;
  show: () => void;
}

export function useShownParts<T>(fold: string, parts: readonly T[]): ShownParts<T> {
  const { isOpen, toggle } = useConversation();
  const shown = isOpen(fold) ? parts : parts.slice(0, FIRST_PARTS);
  return { shown, hidden: parts.length - shown.length, show: () => toggle(fold) };
}

/** Button for the hidden parts. */
export function MoreParts({ hidden, show }: Pick<ShownParts<unknown>, 'hidden' | 'show'>) {
  if (hidden === 0) return null;
  return (
    <button type="button" className="more" onClick={show}>
      Show {formatCount(hidden, 'more part')}
    </button>
  );
}

/** Parts beyond the parser's limit. */
export function RestPart({ parts }: { parts: number }) {
  return (
    <p className="part text-ink2">{formatCount(parts, 'more part')} only in the raw view and the download</p>
  );
}
