'use client';
import { formatCount } from '../../format/format-tokens';
import { useTalk } from './talk-context';

/** Parts of one message that are drawn at once: people write a few, and a machine that writes thousands is rare. */
const FIRST_PARTS = 40;

export interface ShownParts<T> {
  shown: readonly T[];
  /** How many are folded away. */
  hidden: number;
  show: () => void;
}

export function useShownParts<T>(fold: string, parts: readonly T[]): ShownParts<T> {
  const { isOpen, toggle } = useTalk();
  const shown = isOpen(fold) ? parts : parts.slice(0, FIRST_PARTS);
  return { shown, hidden: parts.length - shown.length, show: () => toggle(fold) };
}

/** The rest of a message of very many parts. */
export function MoreParts({ hidden, show }: Pick<ShownParts<unknown>, 'hidden' | 'show'>) {
  if (hidden === 0) return null;
  return (
    <button type="button" className="more" onClick={show}>
      Show {formatCount(hidden, 'more part')}
    </button>
  );
}

/** What was not even taken apart. */
export function RestPart({ parts }: { parts: number }) {
  return (
    <p className="part text-ink2">
      {formatCount(parts, 'more part')}, not shown: the raw view and the download have them.
    </p>
  );
}
