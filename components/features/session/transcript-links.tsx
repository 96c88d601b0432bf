'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { TranscriptRow } from '@/core/api/transcripts';
import type { SessionEvent } from '@/core/events/event';
import { sessionTranscriptsQuery } from '../../data/session-transcripts';
import { STATE_WORDS, VERSION_WORDS } from '../../format/transcript-words';
import { matchTranscripts } from './match-transcripts';

interface TranscriptLinksProps {
  sessionId: string;
  event: SessionEvent;
  /** What to say where the server has none. */
  none: string;
}

/** Links to the archived transcripts of an event. */
export function TranscriptLinks({ sessionId, event, none }: TranscriptLinksProps) {
  // The detail changes when a copy goes from announced to stored.
  const query = useQuery({
    ...sessionTranscriptsQuery(sessionId, JSON.stringify(event.detail)),
    placeholderData: keepPreviousData,
  });
  if (query.data === undefined && query.error === null) return <span className="text-ink2">Loading</span>;
  if (query.data === undefined) {
    return (
      <Link href={`/transcripts?session=${sessionId}`} prefetch={false} className="link">
        transcripts of this session
      </Link>
    );
  }
  const found = matchTranscripts(query.data, event);
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
  return state === 'stored' ? `the transcript, ${words}` : `${words}, ${STATE_WORDS[row.state]}`;
}
