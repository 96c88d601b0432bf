import type { ArchiveEntry } from '../archive/archive-types';
import { knownTrigger } from '../archive/read-hook-input';

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
    reason: `not handed over: ${reason}`,
    archive: id,
    version: asOf,
    ...(trigger === null ? {} : { trigger }),
    ...(path === null ? {} : { path }),
    ...(bytes === null ? {} : { bytes }),
    ...(lines === null ? {} : { lines }),
    ...(sha256 === null ? {} : { sha256 }),
  };
}
