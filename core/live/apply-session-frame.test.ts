import { describe, expect, it } from 'vitest';
import type { Series, SeriesPoint } from '../api/series';
import { fc } from '../testing/property-runs';
import {
  applySessionFrame,
  replaceEvents,
  replaceSeries,
  type SessionFrame,
  sessionView,
} from './apply-session-frame';
import { testEvent, testPoint, testSession } from './testing-rows';

const session = testSession({ version: 3 });
const { id } = session;

function seriesOf(points: SeriesPoint[], version = 3): Series {
  return {
    sessionId: id,
    chain: 'main',
    lens: 'snapshot',
    version,
    from: null,
    to: null,
    turnCount: points.length,
    thinned: false,
    points,
  };
}

const view = sessionView(session, seriesOf([testPoint(1), testPoint(2)]), [testEvent('e1')], 5);

function delta(
  version: number,
  points: SeriesPoint[] | null,
  events: ReturnType<typeof testEvent>[] | null = [],
): SessionFrame {
  return {
    n: 2,
    epoch: 'e1',
    now: 10,
    type: 'session_delta',
    id,
    session: { ...session, version },
    points,
    events,
  };
}

/** The points after a delta; null: the series must be read. */
function merge(held: SeriesPoint[], sent: SeriesPoint[]) {
  const { points, seriesWanted } = applySessionFrame({ ...view, points: held }, delta(4, sent));
  return seriesWanted === null ? points : null;
}

describe('applySessionFrame', () => {
  it('appends new turns', () => {
    const next = applySessionFrame(view, delta(4, [testPoint(3), testPoint(4)]));
    expect(next.points.map((point) => point.n)).toEqual([1, 2, 3, 4]);
    expect(next).toMatchObject({ seriesWanted: null, eventsWanted: null, session: { version: 4 } });
  });

  it('replaces a turn that was still being written', () => {
    const grown = testPoint(2, { used: 999 });
    expect(applySessionFrame(view, delta(4, [grown])).points).toEqual([testPoint(1), grown]);
  });

  it('requests the series when turns are missing, and keeps its points', () => {
    const next = applySessionFrame(view, delta(4, [testPoint(5)]));
    expect(next.points).toBe(view.points);
    expect(next.seriesWanted).toBe(4);
  });

  it('requests series and events when the server cannot send additions', () => {
    expect(applySessionFrame(view, delta(4, null, null))).toMatchObject({ seriesWanted: 4, eventsWanted: 4 });
  });

  it('requests a thinned series when there are too many points', () => {
    const many = Array.from({ length: 600 }, (_, i) => testPoint(i + 3));
    expect(applySessionFrame(view, delta(4, many)).seriesWanted).toBe(4);
  });

  it('stops requesting the series once it received the requested version, and keeps later turns', () => {
    const wanting = applySessionFrame(applySessionFrame(view, delta(4, null)), delta(5, [testPoint(3)]));
    expect(wanting).toMatchObject({ seriesWanted: 4 });
    expect(replaceSeries(wanting, seriesOf([testPoint(1), testPoint(2)], 3)).seriesWanted).toBe(4);
    const whole = replaceSeries(wanting, seriesOf([testPoint(1), testPoint(2, { used: 1 })], 4));
    expect(whole.seriesWanted).toBeNull();
    expect(whole.points.map((point) => point.n)).toEqual([1, 2, 3]);
  });

  it('keeps the higher revision of an event and appends new ones', () => {
    const confirmed = testEvent('e1', { revision: 2 });
    const next = applySessionFrame(view, delta(4, [], [confirmed, testEvent('e2')]));
    expect(next.events).toEqual([confirmed, testEvent('e2')]);
    expect(applySessionFrame(next, delta(5, [], [testEvent('e1')])).events[0]).toBe(confirmed);
    expect(replaceEvents({ ...next, eventsWanted: 6 }, [], { version: 6, isAll: true })).toMatchObject({
      events: [],
      eventsWanted: null,
    });
  });

  it('keeps the events of a frame that arrived during a read without them, and requests the events again', () => {
    const restarted: SessionFrame = { n: 1, epoch: 'e2', now: 9, type: 'session_snapshot', id, session };
    const wanting = applySessionFrame(applySessionFrame(view, delta(4, [])), restarted);
    const [started, crossed] = [testEvent('e1'), testEvent('e2')];
    const live = applySessionFrame(wanting, { ...delta(4, [], [crossed]), epoch: 'e2' });
    const early = replaceEvents(live, [started], { version: 3, isAll: true });
    expect(early.events).toContainEqual(crossed);
    expect(early.eventsWanted).toBe(4);
    const whole = replaceEvents(early, [started, crossed], { version: 4, isAll: true });
    expect(whole).toMatchObject({ events: [started, crossed], eventsWanted: null });
  });

  it('keeps older events when the newest are read again, and drops removed events in the range of the newest', () => {
    const of = (id: string, second: number, revision = 1) =>
      testEvent(id, { at: new Date(second * 1_000).toISOString(), revision });
    const held = { ...view, events: [of('a', 1), of('b', 2), of('c', 3), of('d', 4)] };
    const read = [of('b', 2, 2), of('d', 4), of('e', 5)];
    const next = replaceEvents(held, read, { version: 6, isAll: false });
    expect(next.events.map(({ id: name, revision }) => `${name}${revision}`)).toEqual([
      'a1',
      'b2',
      'd1',
      'e1',
    ]);
    // Without an event in both lists, time decides which known events are older.
    const later = replaceEvents(held, [of('y', 9), of('z', 10)], { version: 6, isAll: false });
    expect(later.events.map(({ id: name }) => name)).toEqual(['a', 'b', 'c', 'd', 'y', 'z']);
    expect(replaceEvents(held, read, { version: 6, isAll: true }).events).toEqual(read);
  });

  it('refetches after a snapshot newer than its data, and only then', () => {
    const frame: SessionFrame = { n: 1, epoch: 'e1', now: 9, type: 'session_snapshot', id, session };
    expect(applySessionFrame(view, frame)).toMatchObject({ seriesWanted: null, eventsWanted: null });
    const newer = { ...frame, session: { ...session, version: 8 } };
    expect(applySessionFrame(view, newer)).toMatchObject({ seriesWanted: 8, eventsWanted: 8 });
  });

  it('refetches after a snapshot of another run of the server, at any version', () => {
    const live = applySessionFrame(view, delta(9, []));
    const restarted: SessionFrame = { n: 1, epoch: 'e2', now: 9, type: 'session_snapshot', id, session };
    expect(applySessionFrame(live, restarted)).toMatchObject({ session: { version: 3 }, seriesWanted: 3 });
  });

  it('keeps the data of a removed session, with its new id', () => {
    const frame: SessionFrame = { n: 2, epoch: 'e1', now: 10, type: 'not_found', id, movedTo: 'x' };
    expect(applySessionFrame(view, frame)).toMatchObject({ found: false, movedTo: 'x', points: view.points });
  });

  it('ignores frames of other sessions', () => {
    const frame: SessionFrame = { n: 2, epoch: 'e1', now: 10, type: 'not_found', id: 'other' };
    expect(applySessionFrame(view, frame)).toBe(view);
  });
});

describe('joinPoints', () => {
  it('joins overlapping points, including readings between turns', () => {
    // A reading has the number of the turn before it and is not counted as a turn.
    const row = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }).map((isTurn) => {
      let n = 0;
      return isTurn.map((counts, index) => {
        if (counts) n += 1;
        return testPoint(n, { t: index, turns: counts ? 1 : 0 });
      });
    });
    fc.assert(
      fc.property(row, fc.nat(40), fc.nat(40), (points, held, sent) => {
        const upTo = Math.min(held, points.length);
        const from = Math.min(sent, upTo);
        const merged = merge(points.slice(0, upTo), points.slice(from));
        expect(merged).toEqual(points);
      }),
    );
  });

  it('refuses points that start inside a bucket', () => {
    const bucket = testPoint(20, { turns: 10 });
    expect(merge([testPoint(10, { turns: 10 }), bucket], [testPoint(15), testPoint(16)])).toBeNull();
    expect(merge([testPoint(10, { turns: 10 })], [testPoint(11)])).toHaveLength(2);
    expect(merge([testPoint(10, { turns: 10 })], [testPoint(12)])).toBeNull();
  });
});
