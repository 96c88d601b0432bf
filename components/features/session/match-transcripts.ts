/** Which archived transcripts belong to an event of a session. */
import type { TranscriptRow } from '@/core/api/transcripts';
import type { EventData, EventKind } from '@/core/events/details';

export type NamedTranscript = Pick<
  TranscriptRow,
  'id' | 'state' | 'version' | 'at' | 'eventId' | 'archive' | 'sha256'
>;

/**
 * Transcripts of a compaction or an archive notice, matched by event id, by archive id or by hash. The copy made at
 * the hook is first.
 */
export function matchTranscripts<T extends NamedTranscript>(
  transcripts: readonly T[],
  event: EventData & { id: string },
): T[] {
  const { archives, hashes } = namesIn(event);
  return transcripts
    .filter(
      ({ eventId, archive, sha256 }) =>
        eventId === event.id ||
        (archive !== null && archives.includes(archive)) ||
        (sha256 !== null && hashes.includes(sha256)),
    )
    .sort((a, b) => Number(a.version !== 'hook') - Number(b.version !== 'hook') || a.at.localeCompare(b.at));
}

function namesIn(event: EventData): { archives: (string | undefined)[]; hashes: (string | undefined)[] } {
  if (event.kind === 'compaction') {
    const { archive, archives = [] } = event.detail;
    return { archives: [...archives, archive?.archive], hashes: [archive?.sha256] };
  }
  if (!isArchive(event)) return { archives: [], hashes: [] };
  return { archives: [event.detail.archive], hashes: [event.detail.sha256] };
}

function isArchive(event: EventData): event is EventData<Extract<EventKind, `archive_${string}`>> {
  return event.kind.startsWith('archive_');
}
