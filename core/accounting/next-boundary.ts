import type { Forecast, NextBoundary, Session } from '../api/session';
import { countDown } from '../forecast/count-down';
import type { GrowthRecord } from '../forecast/growth-record';
import type { LensName } from '../protocol/items';
import type { CompactionPoint } from './compaction-point';
import { tokensAt } from './state';
import { isNever } from './thresholds';

export type BoundaryAhead = Omit<NextBoundary, 'turns' | 'minutes'>;

interface Candidate {
  kind: NextBoundary['kind'];
  at: number;
  source: NextBoundary['source'];
}

/**
 * The earliest of the client's compaction, the restart line and the limit that still lies ahead; when all are
 * passed, the last one, marked passed. The restart line counts for every session: it is the operator's line, at which
 * `approaching_redline` fires. A session past its compaction point goes on to the next line.
 * @param isRunnersLine the session declared its line, or restarted before; otherwise nothing may happen at it.
 */
export function nextBoundary(
  usedTokens: number | null,
  limitTokens: number | null,
  restartLine: number,
  isRunnersLine: boolean,
  compaction: CompactionPoint | null,
): BoundaryAhead | null {
  if (usedTokens === null) return null;
  const candidates: Candidate[] = [];
  if (compaction !== null) {
    candidates.push({ kind: 'compaction', at: compaction.tokens, source: compaction.source });
  }
  const windowTokens = limitTokens ?? 0;
  if (windowTokens > 0) {
    if (!isNever(restartLine)) {
      candidates.push({
        kind: 'restart',
        at: tokensAt(restartLine, windowTokens),
        source: isRunnersLine ? 'runner' : 'setting',
      });
    }
    candidates.push({ kind: 'limit', at: windowTokens, source: 'limit' });
  }
  // Equal points keep the order above: what acts first is named.
  const sorted = candidates.toSorted((a, b) => a.at - b.at);
  const next = sorted.find((candidate) => candidate.at > usedTokens) ?? sorted.at(-1);
  if (next === undefined) return null;
  const left = Math.max(0, next.at - usedTokens);
  return { ...next, left, passed: left === 0 };
}

/** What will happen first and when; null where no boundary is known, or the last one is passed. */
export function forecastOf(
  ahead: BoundaryAhead | null,
  record: Readonly<GrowthRecord>,
  lens: LensName,
): Forecast | null {
  if (ahead === null || ahead.passed) return null;
  const { kind, at, left } = ahead;
  return { kind, at, ...countDown(record, left, at, lens) };
}

/** What is left until the client compacts, else until the limit, tokens; null: not known. */
export function tokensUntilEnd({
  used,
  limit,
  compactsAt,
}: Pick<Session, 'used' | 'limit' | 'compactsAt'>): number | null {
  const end = compactsAt ?? limit;
  return used === null || end === null ? null : Math.max(0, end - used);
}
