import type { SourceName } from './types';

/** Rank of a source, 0 is best: the best present owns a session's calls. */
export const SOURCE_RANK: Readonly<Record<SourceName, number>> = { transcript: 0, sdk: 1, hook: 2, otlp: 3 };

/** Whether `source` may speak over `other`. */
export function isAtLeast(source: SourceName, other: SourceName): boolean {
  return SOURCE_RANK[source] <= SOURCE_RANK[other];
}
