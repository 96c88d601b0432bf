import { expect, it } from 'vitest';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { largestLoss, prepareStory, storyTrace } from './prepare-story';

const session = (part: Partial<Session> & { calls?: number }) => {
  const { calls = 10, ...facts } = part;
  return {
    backfill: true,
    client: 'claude-code',
    project: 'p',
    compactions: 0,
    turnCount: calls,
    totals: { all: { calls } },
    startedAt: '2026-01-02T00:00:00.000Z',
    lastTurnAt: '2026-01-03T00:00:00.000Z',
    ...facts,
  } as unknown as Session;
};

it('sums up imported sessions, and lists the three that compacted most', () => {
  const story = prepareStory([
    session({ id: 'a', compactions: 2 }),
    session({
      id: 'b',
      compactions: 7,
      client: 'codex',
      project: 'q',
      startedAt: '2025-12-01T00:00:00.000Z',
    }),
    session({ id: 'c', compactions: 2, calls: 50 }),
    session({ id: 'd', compactions: 1, client: 'my-agent', lastTurnAt: null }),
    session({ id: 'e' }),
    session({ id: 'live', compactions: 99, backfill: false }),
  ]);
  expect(story).toMatchObject({
    sessions: 5,
    turns: 90,
    compactions: 12,
    projects: 2,
    clients: ['Claude Code', 'Codex', 'my-agent'],
    from: Date.UTC(2025, 11, 1),
    to: Date.UTC(2026, 0, 3),
  });
  expect(story?.most.map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  expect(prepareStory([session({ backfill: false })])).toBeNull();
});

it('finds the compaction that freed most', () => {
  const compaction = (id: string, preTokens: number, postTokens: number | null, state = 'confirmed') =>
    ({
      id,
      kind: 'compaction',
      detail: { trigger: 'auto', state, preTokens, postTokens },
    }) as unknown as SessionEvent;
  const events = [
    compaction('small', 100, 50),
    compaction('unknown', 900_000, null),
    compaction('large', 180_000, 30_000),
    compaction('blocked', 500_000, 1, 'blocked'),
  ];
  expect(largestLoss(events)?.event.id).toBe('large');
  expect(largestLoss([])).toBeNull();
});

it('draws a trace by turn, torn where a context ends', () => {
  const point = (n: number, used: number, context: number) =>
    ({ n, turns: 1, used, context, limit: 200 }) as unknown as SeriesPoint;
  const { steps, tears, limit } = storyTrace([
    point(1, 100, 0),
    point(2, 200, 0),
    point(3, 50, 1),
    point(4, 60, 1),
  ]);
  expect(steps.map(({ x, y, breakBefore }) => [x, y, breakBefore])).toEqual([
    [0, 50, true],
    [25, 0, false],
    [50, 75, true],
    [75, 70, false],
  ]);
  expect(tears).toEqual([{ x: 50, from: 0, to: 75 }]);
  expect(limit).toBe(0);
});
