/** What imports brought: totals, the sessions that compacted most, and the largest loss. Pure. */
import { clientNamed } from '@/core/agents/clients';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { compactionSizes } from '../../../events/describe-event';

const MOST_SHOWN = 3;

export type Story = NonNullable<ReturnType<typeof prepareStory>>;

/** @returns null: no session was imported */
export function prepareStory(sessions: Iterable<Session>) {
  const imported = [...sessions].filter(({ backfill }) => backfill);
  if (imported.length === 0) return null;
  const sum = (read: (session: Session) => number) =>
    imported.reduce((total, session) => total + read(session), 0);
  const clients = imported.map(({ client }) => clientNamed(client)?.label ?? client);
  return {
    sessions: imported.length,
    turns: sum(({ totals }) => totals.all.calls),
    compactions: sum(({ compactions }) => compactions),
    projects: new Set(imported.map(({ project }) => project)).size,
    clients: [...new Set(clients)].filter((client) => client !== null).sort(),
    from: Math.min(...imported.map(({ startedAt }) => Date.parse(startedAt))),
    to: Math.max(...imported.map(({ startedAt, lastTurnAt }) => Date.parse(lastTurnAt ?? startedAt))),
    /** At most three, the most compactions first. */
    most: imported
      .filter(({ compactions }) => compactions > 0)
      .toSorted((a, b) => b.compactions - a.compactions || b.turnCount - a.turnCount)
      .slice(0, MOST_SHOWN),
  };
}

export interface LargestLoss {
  event: SessionEvent;
  before: number;
  after: number;
}

/** The confirmed compaction that freed most tokens; null: no compaction has both sizes. */
export function largestLoss(events: readonly SessionEvent[]): LargestLoss | null {
  let largest: LargestLoss | null = null;
  for (const event of events) {
    if (event.kind !== 'compaction' || event.detail.state !== 'confirmed') continue;
    const { before, after } = compactionSizes(event.detail);
    if (before === null || after === null) continue;
    if (largest === null || before - after > largest.before - largest.after)
      largest = { event, before, after };
  }
  return largest;
}

/** A session's readings by turn in a box: points of the trace in percent of width and height, and its tears. */
export function storyTrace(points: readonly SeriesPoint[]) {
  const top = Math.max(1, ...points.map(({ used, limit }) => Math.max(used ?? 0, limit ?? 0)));
  const last = Math.max(1, points.at(-1)?.n ?? 1);
  const x = (turn: number) => (turn / last) * 100;
  const y = (used: number) => 100 - (used / top) * 100;
  const limit = points.at(-1)?.limit ?? null;
  return {
    steps: points.map(({ n, turns, used, context }, index) => ({
      x: x(n - turns),
      y: used === null ? null : y(used),
      breakBefore: context !== points[index - 1]?.context,
    })),
    /** Where a context ends, with the sizes before and after. */
    tears: points.flatMap(({ n, turns, used, context }, index) => {
      const previous = points[index - 1];
      if (previous === undefined || previous.context === context) return [];
      return [{ x: x(n - turns), from: y(previous.used ?? 0), to: y(used ?? 0) }];
    }),
    limit: limit === null ? null : y(limit),
  };
}
