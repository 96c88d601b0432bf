'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../../format/format-bytes';
import { PlainText } from '../text/plain-text';
import { sourceQuery } from '../transcript-queries';

/** The stored bytes piece by piece, for a file that could not be parsed. */
export function SourceView({ id }: { id: string }) {
  /** Offsets of the pieces up to the current one. */
  const [places, setPlaces] = useState<readonly number[]>([0]);
  const from = places.at(-1) ?? 0;
  const { data: piece, error } = useQuery(sourceQuery(id, from));
  const next = piece?.from === from ? piece.next : undefined;
  const whole = piece?.bytes == null ? '' : ` of ${formatBytes(piece.bytes)}`;
  return (
    <section aria-label="Source" className="pt-[14px]">
      <div className="flex flex-wrap items-center gap-[12px] border-b border-hair pb-[8px]">
        <button
          type="button"
          className="button"
          disabled={places.length < 2}
          onClick={() => setPlaces(places.slice(0, -1))}
        >
          Earlier
        </button>
        <span role="status" className="text-small text-ink2">
          {error !== null
            ? `Part not available: ${error.message}. The download has it.`
            : piece === undefined
              ? 'Loading the source'
              : `${formatBytes(piece.from)} to ${formatBytes(piece.to)}${whole}; secrets masked`}
        </span>
        <button
          type="button"
          className="button"
          // Not while loading: a button disabled for a moment loses the keyboard focus.
          disabled={next === null}
          onClick={() => next != null && setPlaces([...places, next])}
        >
          Later
        </button>
      </div>
      <div className="as-it-is pt-[10px] font-mono">
        <PlainText text={piece?.text ?? ''} />
      </div>
    </section>
  );
}
