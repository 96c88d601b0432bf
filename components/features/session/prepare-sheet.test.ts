import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/make-session';
import { prepareSheet, type SheetInput } from './prepare-sheet';
import { listSpans } from './prepare-strip';
import type { SessionUrl } from './session-url';

const NONE = { lens: null, event: null, at: null, time: null, turns: null, context: null, note: null };
const PLAIN_URL: SessionUrl = { ...NONE, axis: 'time', from: null, to: null, sums: false, agents: false };
const minute = 60_000;
const points = Array.from({ length: 60 }, (_, i) =>
  pointOf({ n: i + 1, used: (i + 1) * 2_000, cacheRead: 100 * i }),
);
const input = (fields: Partial<SheetInput> = {}): SheetInput => ({
  session: sessionOf({ used: 120_000, pressure: 0.6, lastTurnAt: new Date(60 * minute).toISOString() }),
  points,
  overlay: null,
  subAgents: [],
  boundaries: [],
  spans: listSpans({ lens: 'snapshot', startedAt: '' }, [], [], fields.points ?? points),
  events: [],
  url: PLAIN_URL,
  now: 61 * minute,
  zone: 'UTC',
  width: 1392,
  ...fields,
});

describe('prepareSheet', () => {
  it('has fixed dimensions: 44 left, 168 right, 360 high, 0 to 110 %', () => {
    const { frame, valueAxis } = prepareSheet(input());
    expect([frame.left, frame.width - frame.right, frame.bottom - frame.top]).toEqual([44, 168, 360]);
    expect(valueAxis.domain).toEqual([0, 110]);
    expect(frame.y(110)).toBe(frame.top);
  });

  it('marks the forecast of a silent session as paused, and draws the end of its trace dotted', () => {
    const at = (now: number, axis: 'time' | 'turns' = 'time') =>
      prepareSheet(input({ now, url: { ...PLAIN_URL, axis } }));
    expect(at(61 * minute).forecast).toMatchObject({ held: false, label: expect.stringMatching(/^10/) });
    expect(at(61 * minute).rows.idle).toBeUndefined();
    const held = at(75 * minute);
    expect(held.forecast).toMatchObject({ held: true, label: expect.stringMatching(/^paused, 10/) });
    expect(held.rows.idle?.at(0)?.x).toBe(60 * minute);
    expect(held.rows.idle?.at(-1)?.x).toBe(75 * minute);
    expect(at(75 * minute, 'turns').forecast?.held).toBe(false);
  });

  it('draws a pressure of 1.2 at 120 % and extends the axis', () => {
    const session = sessionOf({ used: 240_000, pressure: 1.2, state: 'redlined', nextBoundary: null });
    const sheet = prepareSheet(input({ session, points: [...points, pointOf({ n: 61, used: 240_000 })] }));
    expect(sheet.valueAxis.domain[1]).toBeGreaterThan(120);
    expect(sheet.current?.y).toBe(120);
    expect(sheet.frame.y(120)).toBeLessThan(sheet.frame.y(100));
    expect(sheet.frame.y(120)).toBeGreaterThan(sheet.frame.top);
  });

  it('shares one x axis between the trace and the panels under it, zoomed or not', () => {
    const whole = { ...input().url, sums: true };
    const zoom = { ...whole, from: 10 * minute, to: 20 * minute };
    for (const url of [whole, zoom]) {
      const sheet = prepareSheet(input({ url }));
      expect(sheet.panels.map(({ id }) => id)).toEqual(['cache', 'tokens']);
      for (const { frame, height } of sheet.panels) {
        expect(frame.x(15 * minute)).toBe(sheet.frame.x(15 * minute));
        expect(frame.height).toBeLessThanOrEqual(height);
      }
    }
    expect(prepareSheet(input()).panels.map(({ id }) => id)).toEqual(['cache']);
    expect(prepareSheet(input({ url: zoom })).xDomain).toEqual([10 * minute, 20 * minute]);
  });

  it('draws a cone from now to the next boundary, and none without a forecast', () => {
    const { forecast, frame } = prepareSheet(input());
    expect(forecast?.boundaryY).toBeCloseTo(frame.y(83.5), 5);
    expect(forecast?.meets?.from).toBeCloseTo(frame.x(71 * minute), 0);
    expect(forecast?.label).toBe('10–31\u00a0min');
    const early = { ...input().session, nextBoundary: null, forecast: null };
    const compacting = { trigger: 'auto', at: '2026-11-22T12:00:00.000Z' } as const;
    for (const session of [sessionOf({ liveness: 'ended' }), early, sessionOf({ compacting })])
      expect(prepareSheet(input({ session })).forecast).toBeNull();
  });

  it('draws the cone on the turn axis too, up to the late end of the forecast', () => {
    const { forecast, frame } = prepareSheet(input({ url: { ...input().url, axis: 'turns' } }));
    expect(forecast?.label).toBe('9–27 turns');
    expect(forecast?.meets?.to ?? 0).toBeLessThanOrEqual(frame.right);
  });

  it('shows tokens without states and percentages if there is no limit', () => {
    const unknown = { pressure: null, state: 'unknown', compactsAt: null, nextBoundary: null } as const;
    const session = sessionOf({ limit: null, limitSource: 'none', ...unknown });
    const unlimited = points.map((point) => ({ ...point, limit: null }));
    const sheet = prepareSheet(input({ session, points: unlimited }));
    expect(sheet.unit).toBe('tokens');
    expect(sheet.current).toBeNull();
    expect(sheet.lines).toEqual([]);
  });

  it('marks an assumed limit on the line and in the trace', () => {
    const sheet = prepareSheet(input({ session: sessionOf({ lens: 'cumulative', limitSource: 'assumed' }) }));
    expect(sheet.hollow).toBe(true);
    expect(sheet.lines.find((line) => line.id === 'limit')?.note).toBe('assumed');
  });

  it('points to an opened event that has no mark', () => {
    const at = new Date(30 * minute).toISOString();
    const events = [eventOf({ id: 's1', kind: 'state_changed', at, turn: 30 })];
    const sheet = prepareSheet(input({ events, url: { ...PLAIN_URL, event: 's1' } }));
    expect(sheet.selectedX).toBeCloseTo(sheet.frame.x(30 * minute), 5);
  });

  it('flags lost turns', () => {
    const at = new Date(30.5 * minute).toISOString();
    const events = [eventOf({ id: 'g', kind: 'turns_dropped', at, turn: 30, detail: { count: 12 } })];
    const { flags } = prepareSheet(input({ events }));
    expect(flags.map((flag) => `${flag.text} ${flag.note}`)).toEqual(['12 turns lost']);
  });
});
