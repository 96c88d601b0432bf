'use client';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { useShortcut } from '../../../ui/use-shortcut';
import { type Found, useFind } from './use-find';

interface ConversationToolsProps {
  ref: React.Ref<HTMLElement>;
  id: string;
  outline: TranscriptOutline;
  words: string;
  change: (part: { q?: string; line?: number | null; at?: null }) => void;
  /** First entry on screen. */
  firstSeen: number;
  /** Entry from which to search the next match or compaction. */
  here: number;
  go: (entry: number) => void;
  /** Masks the secrets again; null: they are masked. */
  mask: (() => void) | null;
  isLostOpen: boolean;
  toggleLost: () => void;
}

export function ConversationTools(props: ConversationToolsProps) {
  const { id, outline, words, change, firstSeen, here, go, mask } = props;
  const { compactions: places, boundaries, secrets } = outline;
  const found = useFind(id, words);
  const stepTo = (entry: number, line: number | null) => {
    go(entry);
    change({ line, at: null });
  };
  const stepHit = (by: 1 | -1) => {
    const hit = found.step(by, here);
    if (hit !== undefined) stepTo(hit.entry, hit.line);
  };
  const stepBoundary = (by: 1 | -1) => {
    const next = places.find(({ entry }) => entry > here) ?? places[0];
    const previous = places.findLast(({ entry }) => entry < here) ?? places.at(-1);
    const place = by === 1 ? next : previous;
    if (place !== undefined) stepTo(place.entry, outline.columns.line[place.entry] ?? null);
  };
  useShortcut('n', () => stepHit(1));
  useShortcut('p', () => stepHit(-1));
  useShortcut(']', () => stepBoundary(1));
  useShortcut('[', () => stepBoundary(-1));
  /** Number of the next compaction; 0: none. */
  const boundary = places.findIndex(({ entry }) => entry >= firstSeen) + 1;
  return (
    <search
      ref={props.ref}
      className="sticky top-(--head) z-10 flex min-h-[40px] flex-wrap items-center gap-x-[14px] border-b border-hair2 bg-paper"
    >
      <input
        type="search"
        aria-label="Find in transcript"
        placeholder="Find in transcript"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => change({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') stepHit(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape' && words !== '') change({ q: '' });
          else if (event.key === 'Escape') event.currentTarget.blur();
          else return;
          event.preventDefault();
        }}
        className="h-[28px] w-[220px] min-w-0 appearance-none bg-transparent outline-none max-sm:w-[130px] [&::-webkit-search-cancel-button]:hidden"
      />
      {words.trim() === '' ? null : (
        <span className="flex items-center gap-[8px]">
          <span role="status" className="num text-small text-ink2">
            {foundWords(found)}
          </span>
          <Steps name="match" canGo={found.hits.length > 0} step={stepHit} />
        </span>
      )}
      <span className="ml-auto flex items-center gap-x-[18px] text-small whitespace-nowrap text-ink2 max-sm:ml-0 max-sm:w-full max-sm:justify-between">
        {secrets === 0 ? null : mask === null ? (
          <span className="max-sm:hidden">{formatCount(secrets, 'secret')} masked</span>
        ) : (
          <button type="button" className="link text-ink" onClick={mask}>
            Mask {formatCount(secrets, 'secret')} again
          </button>
        )}
        {boundaries === 0 ? null : (
          <Steps name="compaction" canGo step={stepBoundary}>
            compaction {boundary === 0 ? '–' : formatExact(boundary)} of {formatExact(boundaries)}
          </Steps>
        )}
        <button
          type="button"
          aria-expanded={props.isLostOpen}
          className="hidden min-h-[24px] items-center text-ink max-xl:inline-flex"
          onClick={props.toggleLost}
        >
          What was lost
        </button>
      </span>
    </search>
  );
}

interface StepsProps {
  name: string;
  canGo: boolean;
  step: (by: 1 | -1) => void;
  children?: React.ReactNode;
}

function Steps({ name, canGo, step, children }: StepsProps) {
  const arrow = (by: 1 | -1, word: string, d: string) => (
    <button
      type="button"
      className="inline-flex size-[24px] items-center justify-center disabled:opacity-40"
      disabled={!canGo}
      aria-label={`${word} ${name}`}
      onClick={() => step(by)}
    >
      <svg width="7" height="8" viewBox="0 0 7 8" aria-hidden="true">
        <path d={d} fill="currentColor" />
      </svg>
    </button>
  );
  return (
    <span className="flex items-center gap-[6px] text-ink">
      {arrow(-1, 'Previous', 'M6 .5.5 4 6 7.5z')}
      {children === undefined ? null : <span className="num">{children}</span>}
      {arrow(1, 'Next', 'M1 .5 6.5 4 1 7.5z')}
    </span>
  );
}

function foundWords({ failed, pending, hits, at }: Found): string {
  if (failed !== null) return `Search failed: ${failed}`;
  if (hits.length === 0) return pending ? 'Searching' : 'No matches';
  const count = at === -1 ? '' : `${formatExact(at + 1)} of `;
  return `${count}${formatCount(hits.length, 'match', 'matches')}${pending ? ' so far' : ''}`;
}
