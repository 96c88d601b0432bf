import { describe, expect, it } from 'vitest';
import type { Session } from '../api/session';
import { applyFleetFrame, type FleetFrame, makeFleetSeed, readFleetSeed } from './apply-fleet-frame';
import { testSession } from './testing-rows';

const counts = { restarts: 1, compactions: 2, cacheReadShare: 0.5 };
const a = testSession({ id: 'aaaaaaaa-0000-5000-8000-000000000000' });
const b = testSession({ id: 'bbbbbbbb-0000-5000-8000-000000000000' });
const envelope = { n: 1, epoch: 'e1', now: 10, counts };

const seeded = (sessions: Session[]) =>
  readFleetSeed(makeFleetSeed(sessions, { counts, total: sessions.length, at: 5 }));

function snapshot(sessions: Session[]): FleetFrame {
  return { ...envelope, type: 'fleet_snapshot', sessions };
}

function delta(changed: Session[], removed: string[] = [], total?: number): FleetFrame {
  return { ...envelope, type: 'fleet_delta', changed, removed, ...(total !== undefined && { total }) };
}

describe('applyFleetFrame', () => {
  it('replaces everything with a snapshot', () => {
    const view = applyFleetFrame(seeded([a]), snapshot([b]));
    expect([...(view?.sessions.keys() ?? [])]).toEqual([b.id]);
    expect(view).toMatchObject({ counts, total: 1, at: 10, epoch: 'e1' });
  });

  it('ignores a delta before the first snapshot', () => {
    expect(applyFleetFrame(null, delta([a]))).toBeNull();
  });

  it('changes only the sessions of a delta', () => {
    const before = applyFleetFrame(null, snapshot([a, b]));
    const changed = { ...a, version: 2, used: 7 };
    const view = applyFleetFrame(before, delta([changed]));
    expect(view?.sessions.get(a.id)).toBe(changed);
    expect(view?.sessions.get(b.id)).toBe(b);
    expect(before?.sessions.get(a.id)).toBe(a);
  });

  it('removes sessions and adopts the total of the server', () => {
    const before = applyFleetFrame(null, snapshot([a, b]));
    const view = applyFleetFrame(before, delta([], [a.id], 41));
    expect([...(view?.sessions.keys() ?? [])]).toEqual([b.id]);
    expect(view?.total).toBe(41);
  });

  it('ignores a row older than the current one, within one run of the server', () => {
    const newer = { ...a, version: 5 };
    expect(applyFleetFrame(seeded([newer]), snapshot([a]))?.sessions.get(a.id)?.version).toBe(5);
    const live = applyFleetFrame(null, snapshot([newer]));
    expect(applyFleetFrame(live, delta([a]))?.sessions.get(a.id)).toBe(newer);
    const otherRun: FleetFrame = { ...envelope, epoch: 'e2', type: 'fleet_snapshot', sessions: [a] };
    expect(applyFleetFrame(live, otherRun)?.sessions.get(a.id)).toBe(a);
  });

  it('accepts a row of the same version, because liveness also changes with time', () => {
    const idle = { ...a, liveness: 'idle' as const };
    const view = applyFleetFrame(applyFleetFrame(null, snapshot([a])), delta([idle]));
    expect(view?.sessions.get(a.id)?.liveness).toBe('idle');
  });

  it('keeps the current object for an equal row, so that it does not render again', () => {
    const before = applyFleetFrame(null, snapshot([a]));
    const again = structuredClone(a);
    const shorter = { ...structuredClone(a), trace: a.trace.slice(1) };
    expect(applyFleetFrame(before, snapshot([again]))?.sessions.get(a.id)).toBe(a);
    const traced = { ...a, trace: [[1, 2, 0] satisfies [number, number, number]] };
    const held = applyFleetFrame(null, snapshot([traced]));
    expect(applyFleetFrame(held, snapshot([shorter]))?.sessions.get(a.id)?.trace).toEqual([]);
  });

  it('keeps the map when only the counts changed, so that the list does not render again', () => {
    const before = applyFleetFrame(null, snapshot([a]));
    const view = applyFleetFrame(before, delta([]));
    expect(view?.sessions).toBe(before?.sessions);
  });
});

it('returns the rows as a list shows them, with total and counts', () => {
  const rows = [testSession({ id: 'a' }), testSession({ id: 'b', trace: [] })];
  const first = { ...rows[0], coverage: [{ topic: 'input', seen: true, note: '' }] } as Session;
  const view = readFleetSeed(makeFleetSeed([first, ...rows.slice(1)], { counts, total: 10_000, at: 7 }));
  expect([...view.sessions.values()]).toEqual(rows);
  expect(view).toMatchObject({ counts, total: 10_000, at: 7, epoch: null });
});
