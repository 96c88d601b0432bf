'use client';
import { useState } from 'react';
import { formatCount } from '../../../format/format-tokens';
import { CodeBlock } from '../text/code-block';
import { Markdown } from '../text/markdown';
import { MaskedText } from '../text/masked-text';
import { useConversation } from './conversation-context';

interface LongTextProps {
  text: string;
  /** Length of the whole text, of which `text` may be the beginning. */
  characters: number;
  as: 'markdown' | 'text' | 'json';
  entry: number;
  /** Load the whole text. */
  readAll: (entry: number) => Promise<void>;
}

/** Longer texts are clipped at first. */
const CLIPPED_LINES = 14;
const CLIPPED_CHARACTERS = 1_500;
/** More would freeze the page; the download has everything. */
const MOST_CHARACTERS = 200_000;

/** A text of any length: clipped, expanded, or loaded in full on demand. */
export function LongText({ text, characters, as, entry, readAll }: LongTextProps) {
  const { isOpen, toggle } = useConversation();
  const [pending, setPending] = useState(false);
  const [failed, setFailed] = useState(false);
  const fold = `all ${entry}`;
  const lines = countLines(text);
  const isLong = lines > CLIPPED_LINES || text.length > CLIPPED_CHARACTERS;
  const open = isOpen(fold) || !isLong;
  const shown = open ? text.slice(0, MOST_CHARACTERS) : clip(text);
  const rest = characters - text.length;
  return (
    <>
      <div className={open ? undefined : 'clipped'}>
        {as === 'markdown' ? (
          <Markdown text={shown} />
        ) : as === 'json' ? (
          <CodeBlock text={shown} info="json" />
        ) : (
          <div className="as-it-is">
            <MaskedText text={shown} />
          </div>
        )}
      </div>
      {isLong ? (
        <button type="button" className="more" aria-expanded={open} onClick={() => toggle(fold)}>
          {open ? 'Fold' : `Show ${lines > CLIPPED_LINES ? `all ${formatCount(lines, 'line')}` : 'all'}`}
        </button>
      ) : null}
      {open && rest > 0 ? (
        <button
          type="button"
          className="more"
          disabled={pending}
          onClick={() => {
            setPending(true);
            readAll(entry).then(
              () => setPending(false),
              () => {
                setPending(false);
                setFailed(true);
              },
            );
          }}
        >
          {pending
            ? 'Loading the rest'
            : `${failed ? 'Loading failed. Retry: ' : ''}${formatCount(rest, 'more character')}`}
        </button>
      ) : null}
      {open && text.length > MOST_CHARACTERS ? (
        <p className="text-small text-ink2">
          First {formatCount(MOST_CHARACTERS, 'character')}. The download has all.
        </p>
      ) : null}
    </>
  );
}

/** The part of a text that a clipped view can show, cut at a line end. */
function clip(text: string): string {
  const most = text.slice(0, CLIPPED_CHARACTERS * 2);
  const end = most.split('\n', CLIPPED_LINES + 4).join('\n').length;
  return most.slice(0, end);
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines < 100_000; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
