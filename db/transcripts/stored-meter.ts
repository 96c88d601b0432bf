/**
 * What projects take on disk, as far as the limit needs it. It owns the last sum of each project and what came since:
 * a sum over all chunks for each chunk would make an upload cost more the more there is. What another process took in
 * is seen with the next sum, so the limit may be passed by a few seconds of its traffic; nobody is refused on a guess.
 */
import type { TranscriptStore } from './transcript-store';

export interface StoredMeter {
  /** Bytes at rest: at least the limit only where they are summed up for this call. */
  measure(projectId: number, limit: number): Promise<number>;
  /** So many bytes come in; what they take at rest is no more. */
  add(projectId: number, bytes: number): void;
}

const MAX_AGE_MS = 10_000;
const MOST_REMEMBERED = 10_000;

export function createStoredMeter(
  store: Pick<TranscriptStore, 'measure'>,
  { now = Date.now }: { now?: () => number } = {},
): StoredMeter {
  const known = new Map<number, { bytes: number; at: number }>();
  return {
    async measure(projectId, limit) {
      const last = known.get(projectId);
      if (last && last.bytes < limit && now() - last.at < MAX_AGE_MS) return last.bytes;
      const at = now();
      const bytes = await store.measure(projectId);
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(projectId, { bytes, at });
      return bytes;
    },
    add(projectId, bytes) {
      const last = known.get(projectId);
      if (last) last.bytes += bytes;
    },
  };
}
