'use client';
import { useEffect, useState } from 'react';
import type { TranscriptSource } from '@/core/api/transcript-secrets';
import { formatBytes } from '../../format/format-bytes';
import { fetchSource } from '../fetch-transcripts';
import { PlainText } from '../text/plain-text';

/** The stored bytes as they stand, a piece at a time: for a file whose lines could not be read. */
export function SourceView({ id }: { id: string }) {
  /** Where the pieces up to this one begin. */
  const [places, setPlaces] = useState<readonly number[]>([0]);
  const [piece, setPiece] = useState<TranscriptSource | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const from = places.at(-1) ?? 0;
  useEffect(() => {
    const abort = new AbortController();
    fetchSource(id, from, abort.signal).then(
      (found) => {
        if (abort.signal.aborted) return;
        setPiece(found);
        setFailed(null);
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setFailed(error instanceof Error ? error.message : String(error));
      },
    );
    return () => abort.abort();
  }, [id, from]);
  const isRead = piece?.from === from;
  const next = isRead ? piece.next : null;
  return (
    <section aria-label="The file as it stands" className="pt-[14px]">
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
          {failed === null ? placeWords(piece) : `This part cannot be shown: ${failed}. The download has it.`}
        </span>
        <button
          type="button"
          className="button"
          // Not while a piece is on its way: a button that is disabled for a moment loses the keyboard's focus.
          disabled={piece === null || (isRead && next === null)}
          onClick={() => {
            if (next !== null) setPlaces([...places, next]);
          }}
        >
          Later
        </button>
      </div>
      {piece === null ? null : (
        <div className="as-it-is pt-[10px] font-mono">
          <PlainText text={piece.text} />
        </div>
      )}
    </section>
  );
}

function placeWords(piece: TranscriptSource | null): string {
  if (piece === null) return 'Reading the file as it stands';
  const whole = piece.bytes === null ? '' : ` of ${formatBytes(piece.bytes)}`;
  return `${formatBytes(piece.from)} to ${formatBytes(piece.to)}${whole}, as it stands in the file; secrets masked`;
}
