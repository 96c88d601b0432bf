'use client';
import { formatCount, formatExact } from '../../../format/format-tokens';
import type { Found } from './use-find';

type Step = (by: 1 | -1) => void;

interface ConversationToolsProps {
  ref: React.Ref<HTMLElement>;
  words: string;
  setWords: (words: string) => void;
  found: Found;
  stepHit: Step;
  /** Number of the next compaction; null: past the last. */
  boundary: number | null;
  boundaries: number;
  stepBoundary: Step;
  secrets: number;
  /** Mask the secrets again; null: they are masked. */
  mask: (() => void) | null;
  isLostOpen: boolean;
  toggleLost: () => void;
}

/** Find in the transcript, and steps between matches and compactions. */
export function ConversationTools(props: ConversationToolsProps) {
  const { words, setWords, found, stepHit, boundary, boundaries, secrets, mask } = props;
  return (
    <search
      ref={props.ref}
      className="sticky top-0 z-10 flex min-h-[40px] flex-wrap items-center gap-x-[14px] border-b border-hair2 bg-paper"
    >
      <input
        type="search"
        aria-label="Find in transcript"
        placeholder="Find in transcript"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') stepHit(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape' && words !== '') setWords('');
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
          {found.isMore ? (
            <button
              type="button"
              className="link text-small"
              disabled={found.pending}
              title="The end of the file is not searched yet"
              onClick={found.searchOn}
            >
              Search further
            </button>
          ) : null}
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
          <Steps name="compaction" canGo step={props.stepBoundary}>
            compaction {boundary === null ? '–' : formatExact(boundary)} of {formatExact(boundaries)}
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
  step: Step;
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

function foundWords({ failed, pending, hits, isMore, at }: Found): string {
  if (failed !== null) return `Search failed: ${failed}`;
  if (pending) return 'Searching';
  const rest = isMore ? ' so far' : '';
  if (hits.length === 0) return `No matches${rest}`;
  const count = at === -1 ? formatCount(hits.length, 'match', 'matches') : null;
  return `${count ?? `${formatExact(at + 1)} of ${formatExact(hits.length)}`}${rest}`;
}
