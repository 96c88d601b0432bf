import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FleetCounts } from '../../core/live/protocol';
import { createFleetFeed } from './fleet-feed';
import type { FleetRow } from './fleet-reader';
import { createReader, follow } from './testing/reader';

interface Frame {
  type: string;
  sessions?: { id: string; version: number }[];
  changed?: { id: string; version: number }[];
  removed?: string[];
  counts: FleetCounts;
  total: number;
}

let feed: ReturnType<typeof createFleetFeed> | undefined;
afterEach(() => feed?.close());

function setUp(count: number, changes: Partial<Parameters<typeof createFleetFeed>[0]> = {}) {
  const stored = new Map<string, FleetRow>();
  const put = (id: string, version: number, staleAt: number | null = null) =>
    stored.set(id, { id, version, json: JSON.stringify({ id, version }), staleAt });
  for (let i = 0; i < count; i += 1) put(`s${i}`, 1);
  const asked: string[][] = [];
  const settled: (() => void)[] = [];
  let time = 0;
  const errors: unknown[] = [];
  const sweeps: number[] = [];
  const failures: Error[] = [];
  feed = createFleetFeed({
    source: {
      loadFleet: () => Promise.resolve([...stored.values()]),
      loadRows(ids) {
        asked.push([...ids]);
        for (const settle of settled.splice(0)) settle();
        return Promise.resolve(ids.flatMap((id) => stored.get(id) ?? []));
      },
      loadCounts: () => Promise.resolve({ restarts: asked.length, compactions: 0, cacheReadShare: null }),
      async loadChanged(since) {
        sweeps.push(since);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return [...stored.values()].map(({ id, version }) => ({ id, version, gone: false }));
      },
    },
    now: () => time,
    onError: (error) => errors.push(error),
    pauseMs: () => 5,
    tickMs: 250,
    countsMs: 1_000_000,
    partSize: 10,
    maxSessions: 1_000,
    ...changes,
  });
  return {
    feed,
    put,
    stored,
    asked,
    errors,
    sweeps,
    failures,
    setTime: (value: number) => {
      time = value;
    },
    /** Resolve when rows are read again. */
    nextAsk: () => new Promise<void>((resolve) => settled.push(resolve)),
  };
}

/** Store a row's next version, and send its hint. */
function change({ put, feed }: ReturnType<typeof setUp>, id: string, version: number) {
  put(id, version);
  feed.hint([[id, version]]);
}
const ids = (frame: Frame | undefined) => (frame?.sessions ?? frame?.changed ?? []).map((row) => row.id);

describe('fleet feed', () => {
  it('sends the latest sessions at once and the other sessions in parts', async () => {
    const { feed } = setUp(25);
    const reader = createReader<Frame>();
    feed.subscribe(reader.sender);
    await reader.got(3);
    expect(reader.frames.map((frame) => frame.type)).toEqual([
      'fleet_snapshot',
      'fleet_delta',
      'fleet_delta',
    ]);
    expect(ids(reader.frames[0])[0]).toBe('s24');
    expect(new Set(reader.frames.flatMap(ids)).size).toBe(25);
    expect(reader.frames.every((frame) => frame.total === 25)).toBe(true);
  });

  it('reads each change once for all readers and sends it to each', async () => {
    const fleet = setUp(3);
    const { feed, asked } = fleet;
    const readers = [createReader<Frame>(), createReader<Frame>()];
    for (const reader of readers) feed.subscribe(reader.sender);
    await Promise.all(readers.map((reader) => reader.got(1)));
    change(fleet, 's1', 2);
    await Promise.all(readers.map((reader) => reader.got(2)));
    expect(asked).toEqual([['s1']]);
    for (const reader of readers)
      expect(reader.frames[1]).toMatchObject({ changed: [{ id: 's1', version: 2 }] });
  });

  it('joins the hints of one tick into one frame', async () => {
    const fleet = setUp(5, { pauseMs: () => 30 });
    const { feed, nextAsk } = fleet;
    const reader = await follow<Frame>(feed);
    const asked = nextAsk();
    for (const version of [2, 3, 4]) {
      for (const id of ['s1', 's2']) {
        change(fleet, id, version);
      }
    }
    await asked;
    await reader.got(2);
    expect(reader.frames).toHaveLength(2);
    expect(ids(reader.frames[1]).sort()).toEqual(['s1', 's2']);
    expect(reader.frames[1]?.changed?.every((row) => row.version === 4)).toBe(true);
  });

  it.each([
    [100, 100, 200],
    [10_000, 3, 4],
  ])('sends a fleet of %i sessions %i to %i frames a second under load', async (count, least, most) => {
    vi.useFakeTimers();
    try {
      const fleet = setUp(count, { pauseMs: () => 5, maxSessions: count, partSize: count });
      const reader = await follow<Frame>(fleet.feed);
      for (let version = 2; version < 1_002; version += 1) {
        change(fleet, 's1', version);
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(reader.frames.length).toBeGreaterThanOrEqual(least);
      expect(reader.frames.length - 1).toBeLessThanOrEqual(most);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not read a session again if its version is already loaded', async () => {
    const fleet = setUp(2);
    const { feed, asked } = fleet;
    const reader = await follow<Frame>(feed);
    feed.hint([['s0', 1]]);
    change(fleet, 's1', 2);
    await reader.got(2);
    expect(asked).toEqual([['s1']]);
  });

  it('reports deleted sessions', async () => {
    const { feed, stored } = setUp(2);
    const reader = await follow<Frame>(feed);
    stored.delete('s0');
    feed.hint([['s0', 2]]);
    await reader.got(2);
    expect(reader.frames[1]).toMatchObject({ changed: [], removed: ['s0'], total: 1 });
  });

  it('sends nothing to a slow reader, and a fresh snapshot once it has caught up', async () => {
    const fleet = setUp(4);
    const { feed } = fleet;
    const [slow, quick] = [await follow<Frame>(feed), await follow<Frame>(feed)];
    slow.fallBehind();
    for (let version = 2; version <= 6; version += 1) {
      change(fleet, 's3', version);
      await quick.got(version);
    }
    expect(slow.frames).toHaveLength(1);
    slow.catchUp();
    expect(slow.frames).toHaveLength(2);
    expect(slow.frames[1]).toMatchObject({ type: 'fleet_snapshot', total: 4 });
    expect(slow.frames[1]?.sessions?.find((row) => row.id === 's3')?.version).toBe(6);
    change(fleet, 's0', 2);
    await slow.got(3);
    expect(slow.frames[2]).toMatchObject({ type: 'fleet_delta', changed: [{ id: 's0' }] });
  });

  it('sends no snapshot to a blocked reader', async () => {
    const { feed } = setUp(3);
    const deaf = createReader<Frame>();
    deaf.fallBehind();
    feed.subscribe(deaf.sender);
    await follow<Frame>(feed);
    expect(deaf.frames).toHaveLength(0);
    deaf.catchUp();
    expect(deaf.frames).toMatchObject([{ type: 'fleet_snapshot', total: 3 }]);
  });

  it('continues with the parts of a snapshot as the reader reads them, each with the newest rows', async () => {
    const fleet = setUp(30);
    const { feed } = fleet;
    const slow = createReader<Frame>();
    const quick = createReader<Frame>();
    slow.fallBehindAfter(1);
    feed.subscribe(slow.sender);
    feed.subscribe(quick.sender);
    await Promise.all([slow.got(1), quick.got(3)]);
    expect(slow.frames).toHaveLength(1);
    change(fleet, 's0', 2);
    await quick.got(4);
    expect(slow.frames).toHaveLength(1);
    slow.catchUp();
    const rows = slow.frames.flatMap((frame) => frame.sessions ?? frame.changed ?? []);
    expect(new Set(rows.map((row) => row.id)).size).toBe(30);
    expect(rows.filter((row) => row.id === 's0')).toEqual([{ id: 's0', version: 2 }]);
    expect(slow.frames.filter((frame) => frame.type === 'fleet_snapshot')).toHaveLength(1);
  });

  it('finds changes without a hint and sessions that turned idle in a sweep', async () => {
    const { feed, put, stored, setTime } = setUp(3);
    put('s2', 1, 500);
    const reader = await follow<Frame>(feed);
    put('s1', 7);
    feed.sweep();
    await reader.got(2);
    expect(reader.frames[1]).toMatchObject({ changed: [{ id: 's1', version: 7 }] });
    const json = '{"id":"s2","version":1,"liveness":"idle"}';
    stored.set('s2', { id: 's2', version: 1, json, staleAt: null });
    setTime(501);
    feed.sweep();
    await reader.got(3);
    expect(reader.frames[2]).toMatchObject({ changed: [{ id: 's2', liveness: 'idle' }] });
  });

  it('sweeps all changes since its last successful sweep', async () => {
    const { feed, errors, failures, setTime, sweeps } = setUp(1);
    await follow<Frame>(feed);
    const minute = 60_000;
    failures.push(new Error('no database'));
    setTime(5 * minute);
    feed.sweep();
    await expect.poll(() => errors).toHaveLength(1);
    setTime(6 * minute);
    feed.sweep();
    expect(sweeps).toEqual([-minute / 2, -minute / 2]);
    await expect
      .poll(() => {
        feed.sweep();
        return sweeps.at(-1);
      })
      .toBe(5.5 * minute);
  });

  it('drops the longest silent sessions if there are more than its limit', async () => {
    const fleet = setUp(3, { maxSessions: 3 });
    const { feed } = fleet;
    const reader = await follow<Frame>(feed);
    change(fleet, 'new', 1);
    await reader.got(2);
    expect(reader.frames[1]).toMatchObject({ changed: [{ id: 'new' }], removed: ['s0'], total: 3 });
  });
});
