import type { ArchiveEntry } from '../archive/archive-types';
import { knownTrigger } from '../archive/read-hook-input';
import type { EntryOutcome } from './upload-entry';

/** Whether a session is to be told of it, and as what; null: there is nothing to tell, or it was told before. */
export function refusalOf(outcome: EntryOutcome): string | null {
  if (outcome.state === 'refused') return outcome.isDeleted ? null : `not handed over: ${outcome.reason}`;
  const isNews = outcome.state === 'waiting' && outcome.isProjectFull && outcome.isNews;
  return isNews ? `not handed over yet: ${outcome.reason}` : null;
}

/** The item that tells a server that it has no copy of an archive, and why. */
export function refusalItem(entry: ArchiveEntry & { session: string }, reason: string, at: number) {
  const { session, id, asOf, bytes, lines, sha256 } = entry;
  const trigger = knownTrigger(entry.trigger);
  const path = entry.archive ?? entry.source;
  return {
    type: 'archive' as const,
    session,
    at,
    state: 'failed' as const,
    reason,
    archive: id,
    version: asOf,
    ...(trigger === null ? {} : { trigger }),
    ...(path === null ? {} : { path }),
    ...(bytes === null ? {} : { bytes }),
    ...(lines === null ? {} : { lines }),
    ...(sha256 === null ? {} : { sha256 }),
  };
}
