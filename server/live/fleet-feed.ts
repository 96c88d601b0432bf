/**
 * The fleet topic: one copy of the fleet's rows, as JSON, for all browsers that look at it.
 *
 * It is kept while somebody looks, and a minute longer: hints name changed sessions, which are read in one query a tick; a sweep
 * finds what a lost hint missed; rows that change by time alone are read again. A browser gets the most
 * recently active sessions at once and the others in parts as fast as it reads; one that falls behind gets a
 * fresh snapshot when it has caught up. It trades memory (some 3 kB a session) for reading each change once.
 */
import type { FleetCounts } from '../../core/live/protocol';
import { createFleetReader, type FleetReader, type FleetRow } from './fleet-reader';
import type { FrameSender } from './frame-sender';
import { createThrottle } from './throttle';

export interface FleetSource {
  /** Sessions for the first snapshot, the most recently active last. */
  loadFleet(): Promise<FleetRow[]>;
  /** Rows of these sessions; one that is missing exists no more. */
  loadRows(ids: readonly string[]): Promise<FleetRow[]>;
  loadCounts(): Promise<FleetCounts>;
  /** Id and version of every session that may have changed in the last `sinceMs` milliseconds. */
  loadChanged(sinceMs: number): Promise<{ id: string; version: number; gone: boolean }[]>;
}

export interface FleetFeedOptions {
  source: FleetSource;
  now(): number;
  onError(error: unknown): void;
  /** Least time between two deltas. */
  tickMs: number;
  /** Time between two sweeps. */
  sweepMs: number;
  /** Least time between two counts of the last hour. */
  countsMs: number;
  /** Sessions in one frame. */
  partSize: number;
  /** Sessions kept; beyond it the longest silent one leaves the feed. */
  maxSessions: number;
}

export interface FleetFeed {
  /** Sends a snapshot, then deltas; asked again it begins afresh. */
  subscribe(sender: FrameSender): void;
  unsubscribe(sender: FrameSender): void;
  /** Sessions that changed. */
  hint(changes: ReadonlyArray<{ publicId: string; version: number }>): void;
  close(): void;
}

/** Sessions one query reads. */
const MAX_ROWS_PER_TICK = 1_000;
/** How far back a sweep looks beyond its own interval: a commit becomes visible after its time stamp. */
const SWEEP_OVERLAP_MS = 30_000;
/** How long the copy is kept when nobody looks: a reload of the page finds it warm. */
const KEEP_MS = 60_000;
/** After a count the database rests so many times as long as it took. */
const COUNT_REST_FACTOR = 20;
const NO_COUNTS: FleetCounts = { restarts: 0, compactions: 0, cacheReadShare: null };

export function createFleetFeed(options: FleetFeedOptions): FleetFeed {
  const { source, now, onError, maxSessions } = options;
  const readers = new Map<FrameSender, FleetReader>();
  /** In order of activity, the latest last. */
  const rows = new Map<string, FleetRow>();
  const dirty = new Set<string>();
  let counts = NO_COUNTS;
  let countsChanged = false;
  let countAgainAt = Number.NEGATIVE_INFINITY;
  let isCounting = false;
  let isLoaded = false;
  let isClosed = false;
  const copy = { rows, counts: () => counts };
  const throttle = createThrottle(() => tick().catch(onError), options.tickMs);
  let lastLookAt = now();
  const sweeper = setInterval(() => {
    if (readers.size > 0) lastLookAt = now();
    if (isLoaded && now() - lastLookAt > KEEP_MS) forget();
    else if (isLoaded) sweep().catch(onError);
    // A first read that failed is tried again.
    else if (readers.size > 0) throttle.ask();
  }, options.sweepMs);
  sweeper.unref();

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

  /** Nobody looks any more: the copy is given up instead of being kept right for nobody. */
  function forget(): void {
    rows.clear();
    dirty.clear();
    isLoaded = false;
  }

  async function load(): Promise<void> {
    // Hints that come while the rows are read may be newer than those.
    dirty.clear();
    const [loaded, counted] = await Promise.all([source.loadFleet(), source.loadCounts()]);
    counts = counted;
    countAgainAt = now() + options.countsMs;
    rows.clear();
    for (const row of loaded) rows.set(row.id, row);
    isLoaded = true;
  }

  /** Reads what changed. Returns ids: of rows that are new or newer, and of rows that are gone. */
  async function readDirty(): Promise<Map<string, FleetRow | null>> {
    const changed = new Map<string, FleetRow | null>();
    const ids = [...dirty].slice(0, MAX_ROWS_PER_TICK);
    for (const id of ids) dirty.delete(id);
    if (ids.length === 0) return changed;
    const found = new Map<string, FleetRow>();
    try {
      for (const row of await source.loadRows(ids)) found.set(row.id, row);
    } catch (error) {
      // Not read is not gone: the next sweep or hint asks again.
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

  /** Counts beside the rows: a slow count must not hold back what changed. */
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

  async function sweep(): Promise<void> {
    const changed = await source.loadChanged(options.sweepMs + SWEEP_OVERLAP_MS);
    for (const { id, version, gone } of changed) {
      const known = rows.get(id);
      if (gone ? known : known?.version !== version) dirty.add(id);
    }
    const time = now();
    for (const row of rows.values()) {
      if (row.staleAt !== null && row.staleAt <= time) dirty.add(row.id);
    }
    // Also for the counts: what is an hour old leaves them without any change.
    throttle.ask();
  }

  return {
    subscribe(sender) {
      readers.get(sender)?.leave();
      readers.set(sender, createFleetReader(sender, copy, options.partSize));
      throttle.ask();
    },
    unsubscribe(sender) {
      readers.get(sender)?.leave();
      readers.delete(sender);
    },
    hint(changes) {
      if (!isLoaded && readers.size === 0) return;
      for (const { publicId, version } of changes) {
        const known = rows.get(publicId);
        if (!known || known.version < version) dirty.add(publicId);
      }
      if (dirty.size > 0) throttle.ask();
    },
    close() {
      isClosed = true;
      clearInterval(sweeper);
      throttle.stop();
      for (const reader of readers.values()) reader.leave();
      readers.clear();
      rows.clear();
    },
  };
}
