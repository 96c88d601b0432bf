/** Which archived transcripts belong to an event of a session. */
import type { SessionEvent } from '@/core/api/session';
import type { TranscriptRow } from '@/core/api/transcripts';

export type NamedTranscript = Pick<
  TranscriptRow,
  'id' | 'state' | 'version' | 'at' | 'eventId' | 'archive' | 'sha256'
>;

/**
 * Those of the compaction, or of the notice of an archive: by the event they say themselves, by the ids the event
 * names, or by the bytes. The copy as it was at the hook comes first.
 */
export function matchTranscripts<T extends NamedTranscript>(
  transcripts: readonly T[],
  { id, detail }: Pick<SessionEvent, 'id' | 'detail'>,
): T[] {
  const copy = detail.archive;
  const inner = typeof copy === 'object' && copy !== null ? (copy as Record<string, unknown>) : {};
  const names = new Set(
    [...(Array.isArray(detail.archives) ? detail.archives : []), copy, inner.archive].filter(
      (name) => typeof name === 'string',
    ),
  );
  const hashes = new Set([detail.sha256, inner.sha256].filter((hash) => typeof hash === 'string'));
  return transcripts
    .filter(
      ({ eventId, archive, sha256 }) =>
        eventId === id || (archive !== null && names.has(archive)) || (sha256 !== null && hashes.has(sha256)),
    )
    .sort((a, b) => Number(a.version !== 'hook') - Number(b.version !== 'hook') || a.at.localeCompare(b.at));
}
