'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { TranscriptRow } from '@/core/api/transcripts';
import type { SessionEvent } from '@/core/events/event';
import { sessionTranscriptsQuery } from '../../data/session-transcripts';
import { STATE_WORDS, VERSION_WORDS } from '../../format/transcript-words';
import { isArchiveEvent } from './select-event';

interface TranscriptLinksProps {
  sessionId: string;
  event: SessionEvent;
  none: string;
}

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
      {found.map(({ id, state, version }) => (
        <Link key={id} href={`/transcripts/${id}`} prefetch={false} className="link">
          {state === 'stored' ? 'the transcript, ' : ''}
          {VERSION_WORDS[version].short}
          {state === 'stored' ? '' : `, ${STATE_WORDS[state]}`}
        </Link>
      ))}
    </span>
  );
}

/** Matched by event id, archive id or hash; the copy made at the hook is first. */
function matchTranscripts(transcripts: readonly TranscriptRow[], event: SessionEvent): TranscriptRow[] {
  const named =
    event.kind === 'compaction' ? event.detail.archive : isArchiveEvent(event) ? event.detail : undefined;
  const archives = [named?.archive, ...((event.kind === 'compaction' && event.detail.archives) || [])];
  return transcripts
    .filter(
      ({ eventId, archive, sha256 }) =>
        eventId === event.id ||
        (archive !== null && archives.includes(archive)) ||
        (sha256 !== null && sha256 === named?.sha256),
    )
    .sort((a, b) => Number(a.version !== 'hook') - Number(b.version !== 'hook') || a.at.localeCompare(b.at));
}
