'use client';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { formatCount, formatExact } from '../../../format/format-tokens';
import type { Found } from './use-find';

interface ConversationToolsProps {
  ref: React.Ref<HTMLElement>;
  outline: TranscriptOutline | null;
  words: string;
  setWords: (words: string) => void;
  found: Found;
  /** Index of the current hit; null: none yet. */
  at: number | null;
  step: (by: 1 | -1) => void;
  /** Index of the next compaction; null: past the last. */
  boundary: number | null;
  stepBoundary: (by: 1 | -1) => void;
  /** The secrets are shown. */
  isRevealed: boolean;
  mask: () => void;
  lost: { isOpen: boolean; toggle: () => void };
}

/** Find in the transcript, and steps between places and compactions. */
export function ConversationTools(props: ConversationToolsProps) {
  const { ref, outline, words, setWords, found, at, step, boundary, stepBoundary, isRevealed, mask, lost } =
    props;
  const boundaries = outline?.compactions.length ?? 0;
  return (
    <search ref={ref} className="conversation-tools">
      <input
        type="search"
        aria-label="Find in transcript"
        placeholder="Find in transcript"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
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
            {foundWords(found, at)}
          </span>
          <Steps name="match" isOff={found.hits.length === 0} step={step} />
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
        {outline === null || outline.secrets === 0 ? null : !isRevealed ? (
          <span className="max-sm:hidden">{formatCount(outline.secrets, 'secret')} masked</span>
        ) : (
          <button type="button" className="link text-ink" onClick={mask}>
            Mask {formatCount(outline.secrets, 'secret')} again
          </button>
        )}
        {boundaries === 0 ? null : (
          <span className="flex items-center gap-[6px] text-ink">
            <Steps name="compaction" isOff={false} step={stepBoundary}>
              <span className="num">
                compaction {boundary === null ? '–' : formatExact(boundary + 1)} of {formatExact(boundaries)}
                {outline !== null && outline.boundaries > boundaries
                  ? ` listed, ${formatExact(outline.boundaries)} in the file`
                  : ''}
              </span>
            </Steps>
          </span>
        )}
        <button
          type="button"
          aria-expanded={lost.isOpen}
          className="lost-toggle text-ink"
          onClick={lost.toggle}
        >
          What was lost
        </button>
      </span>
    </search>
  );
}

interface StepsProps {
  name: string;
  isOff: boolean;
  step: (by: 1 | -1) => void;
  children?: React.ReactNode;
}

function Steps({ name, isOff, step, children }: StepsProps) {
  return (
    <>
      <button
        type="button"
        className="step"
        disabled={isOff}
        aria-label={`Previous ${name}`}
        onClick={() => step(-1)}
      >
        <svg width="7" height="8" viewBox="0 0 7 8" aria-hidden="true">
          <path d="M6 .5.5 4 6 7.5z" fill="currentColor" />
        </svg>
      </button>
      {children}
      <button
        type="button"
        className="step"
        disabled={isOff}
        aria-label={`Next ${name}`}
        onClick={() => step(1)}
      >
        <svg width="7" height="8" viewBox="0 0 7 8" aria-hidden="true">
          <path d="M1 .5 6.5 4 1 7.5z" fill="currentColor" />
        </svg>
      </button>
    </>
  );
}

function foundWords(found: Found, at: number | null): string {
  if (found.failed !== null) return `Search failed: ${found.failed}`;
  if (found.pending) return 'Searching';
  const count = found.hits.length;
  if (count === 0) return found.isMore ? 'No matches so far' : 'No matches';
  const rest = found.isMore ? ' so far' : '';
  return at === null
    ? `${formatCount(count, 'match', 'matches')}${rest}`
    : `${formatExact(at + 1)} of ${formatExact(count)}${rest}`;
}
