'use client';
import Link from 'next/link';
import { useEffect, useState } from 'react';
import type { SessionEvent } from '@/core/api/session';
import type { TranscriptList, TranscriptRow } from '@/core/api/transcripts';
import { fetchTranscriptsOf } from '../transcripts/fetch-transcripts';
import { stateWords, VERSION_WORDS } from '../transcripts/transcript-words';
import { matchTranscripts } from './match-transcripts';

interface TranscriptLinksProps {
  sessionId: string;
  event: SessionEvent;
  /** What to say where the server has none. */
  none: string;
}

/** The way from a compaction to what was said before it: a link for each copy that the server has. */
export function TranscriptLinks({ sessionId, event, none }: TranscriptLinksProps) {
  const [read, setRead] = useState<TranscriptList['transcripts'] | 'failed' | null>(null);
  // A copy is announced, then stored: the event is told anew, and its copies are looked up again.
  const told = JSON.stringify(event.detail);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `told` says when to look again
  useEffect(() => {
    const abort = new AbortController();
    fetchTranscriptsOf(sessionId, abort.signal).then(
      (transcripts) => {
        if (!abort.signal.aborted) setRead(transcripts);
      },
      () => {
        if (!abort.signal.aborted) setRead((held) => held ?? 'failed');
      },
    );
    return () => abort.abort();
  }, [sessionId, told]);
  if (read === null) return <span className="text-ink2">looking</span>;
  if (read === 'failed') {
    return (
      <Link href={`/transcripts?session=${sessionId}`} prefetch={false} className="link">
        transcripts of this session
      </Link>
    );
  }
  const found = matchTranscripts(read, event);
  if (found.length === 0) return <span className="text-ink2">{none}</span>;
  // Of two copies the one that was read after the boundary holds more.
  const whole = found.findLast(({ state }) => state === 'stored');
  return (
    <span className="flex flex-wrap items-center gap-x-[12px] gap-y-[6px]">
      {whole === undefined || event.kind !== 'compaction' ? null : (
        <Link href={`/transcripts/${whole.id}#what-was-lost`} prefetch={false} className="button">
          What was lost
        </Link>
      )}
      {found.map((row) => (
        <Link key={row.id} href={`/transcripts/${row.id}`} prefetch={false} className="link">
          {linkWords(row)}
        </Link>
      ))}
    </span>
  );
}

function linkWords(row: TranscriptRow): string {
  const { state, version } = row;
  const words = VERSION_WORDS[version].short;
  return state === 'stored' ? `the transcript, ${words}` : `${words}, ${stateWords(row)}`;
}
