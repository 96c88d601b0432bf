/**
 * The fleet topic: one copy of the fleet's rows, as JSON, for all browsers. A row takes about 3 kB of memory.
 *
 * The copy is kept while there are readers, and a minute longer. Hints name changed sessions, which are read in one
 * query per tick. A sweep finds changes without a hint, and rows that change with time. A browser gets the most
 * recently active sessions at once, and the other sessions in parts as fast as it reads. A slow browser gets a new
 * snapshot once it has caught up.
 */
import type { FleetCounts } from '../../core/live/protocol';
import type { FeedTiming } from './feed';
import { createFleetReader, type FleetReader, type FleetRow } from './fleet-reader';
import type { FrameSender } from './frame-sender';
import { createThrottle } from './throttle';

interface FleetSource {
  /** Sessions for the first snapshot, the most recently active last. */
  loadFleet(): Promise<FleetRow[]>;
  /** Rows of these sessions. A session without a row no longer exists. */
  loadRows(ids: readonly string[]): Promise<FleetRow[]>;
  loadCounts(): Promise<FleetCounts>;
  /** Id and version of every session that changed since this time, milliseconds since the epoch. */
  loadChanged(since: number): Promise<{ id: string; version: number; gone: boolean }[]>;
}

export interface FleetFeedOptions extends FeedTiming {
  source: FleetSource;
  now(): number;
  /** Minimum time between two counts of the last hour. */
  countsMs: number;
  partSize: number;
  /** Interval of a fleet of ten thousand sessions. */
  tickMs: number;
  /** Maximum number of sessions. Beyond it the longest silent sessions are dropped. */
  maxSessions: number;
}

/** A fleet of this size gets one frame per `tickMs`. */
const SLOW_FLEET = 10_000;
const MAX_ROWS_PER_TICK = 1_000;
/** A sweep overlaps the previous one by this time, because a commit becomes visible after its time stamp. */
const SWEEP_OVERLAP_MS = 30_000;
/** How long the copy is kept without readers, so that a reload of the page finds it. */
const KEEP_MS = 60_000;
/** Pause after a count, as a multiple of the time that the count took. */
const COUNT_REST_FACTOR = 20;
const NO_COUNTS: FleetCounts = { restarts: 0, compactions: 0, cacheReadShare: null };

export function createFleetFeed(options: FleetFeedOptions) {
  const { source, now, onError, maxSessions } = options;
  const readers = new Map<FrameSender, FleetReader>();
  /** In order of activity, the most recent last. */
  const rows = new Map<string, FleetRow>();
  const dirty = new Set<string>();
  let counts = NO_COUNTS;
  let countsChanged = false;
  let countAgainAt = Number.NEGATIVE_INFINITY;
  let isCounting = false;
  let isLoaded = false;
  let isClosed = false;
  const copy = { rows, counts: () => counts };
  const throttle = createThrottle(
    () => tick().catch(onError),
    (tookMs) => Math.max(options.pauseMs(tookMs), fleetInterval() - tookMs),
  );
  let lastReaderAt = now();
  /** All changes before this time are known. */
  let completeUntil = now();

  /** The number of changes and a browser's work per frame both grow with the fleet, so the interval grows with the square. */
  const fleetInterval = () => options.tickMs * Math.min(1, (rows.size / SLOW_FLEET) ** 2);

  async function tick(): Promise<void> {
    if (readers.size === 0) return;
    if (!isLoaded) await load();
    const changed = await readDirty();
    if (isClosed) return;
    const withCounts = countsChanged;
    countsChanged = false;
    for (const reader of readers.values()) reader.serve(changed, withCounts);
    countWhenDue();
    if (dirty.size > 0) throttle.ask();
  }

  /** Drop the copy, which has no readers. */
  function forget(): void {
    rows.clear();
    dirty.clear();
    isLoaded = false;
  }

  async function load(): Promise<void> {
    // The read covers all earlier hints. Later hints may be newer than the rows that were read.
    dirty.clear();
    const startedAt = now();
    const [loaded, counted] = await Promise.all([source.loadFleet(), source.loadCounts()]);
    counts = counted;
    countAgainAt = now() + options.countsMs;
    rows.clear();
    for (const row of loaded) rows.set(row.id, row);
    completeUntil = startedAt;
    isLoaded = true;
  }

  /** Read changed rows. Returns each id with its new row, or with null if the session is gone. */
  async function readDirty(): Promise<Map<string, FleetRow | null>> {
    const changed = new Map<string, FleetRow | null>();
    const ids = [...dirty].slice(0, MAX_ROWS_PER_TICK);
    for (const id of ids) dirty.delete(id);
    if (ids.length === 0) return changed;
    const found = new Map<string, FleetRow>();
    try {
      for (const row of await source.loadRows(ids)) found.set(row.id, row);
    } catch (error) {
      // A failed read does not mean that the rows are gone: retry with the next sweep or hint.
      for (const id of ids) dirty.add(id);
      throw error;
    }
    for (const id of ids) {
      const row = found.get(id);
      if (row) {
        const known = rows.get(id);
        if (known && (known.version > row.version || known.json === row.json)) {
          known.staleAt = row.staleAt;
          continue;
        }
        rows.delete(id);
        rows.set(id, row);
        changed.set(id, row);
      } else if (rows.delete(id)) {
        changed.set(id, null);
      }
    }
    for (const id of rows.keys()) {
      if (rows.size <= maxSessions) break;
      rows.delete(id);
      changed.set(id, null);
    }
    return changed;
  }

  /** Count in parallel: a slow count must not delay changed rows. */
  function countWhenDue(): void {
    if (isCounting || now() < countAgainAt) return;
    isCounting = true;
    const startedAt = now();
    source
      .loadCounts()
      .then((loaded) => {
        countsChanged ||= JSON.stringify(loaded) !== JSON.stringify(counts);
        counts = loaded;
        if (countsChanged) throttle.ask();
      })
      .catch(onError)
      .finally(() => {
        isCounting = false;
        const took = now() - startedAt;
        countAgainAt = now() + Math.max(options.countsMs, took * COUNT_REST_FACTOR);
      });
  }

  async function findChanges(): Promise<void> {
    const startedAt = now();
    const changed = await source.loadChanged(completeUntil - SWEEP_OVERLAP_MS);
    completeUntil = startedAt;
    for (const { id, version, gone } of changed) {
      const known = rows.get(id);
      if (gone ? known : known?.version !== version) dirty.add(id);
    }
    for (const row of rows.values()) {
      if (row.staleAt !== null && row.staleAt <= startedAt) dirty.add(row.id);
    }
    // The counts change without a hint when an event becomes older than an hour.
    throttle.ask();
  }

  return {
    subscribe(sender: FrameSender): void {
      readers.get(sender)?.leave();
      readers.set(sender, createFleetReader(sender, copy, options.partSize));
      throttle.ask();
    },
    unsubscribe(sender: FrameSender): void {
      readers.get(sender)?.leave();
      readers.delete(sender);
    },
    /** Find changes without a hint. Drop the copy if it had no readers for a while. */
    sweep(): void {
      if (readers.size > 0) lastReaderAt = now();
      if (isLoaded && now() - lastReaderAt > KEEP_MS) forget();
      else if (isLoaded) findChanges().catch(onError);
      // Retry a first read that failed.
      else if (readers.size > 0) throttle.ask();
    },
    /** Public id and version of sessions that may have changed. */
    hint(changes: readonly (readonly [string, number])[]): void {
      if (!isLoaded && readers.size === 0) return;
      for (const [id, version] of changes) if ((rows.get(id)?.version ?? -1) < version) dirty.add(id);
      if (dirty.size > 0) throttle.ask();
    },
    close(): void {
      isClosed = true;
      throttle.stop();
      for (const reader of readers.values()) reader.leave();
      readers.clear();
      rows.clear();
    },
  };
}
