import type { Session } from '../api/session';
import type { FleetCounts, LiveFrame } from './protocol';

export interface FleetView {
  /** By public id. The object of an unchanged session stays the same. */
  sessions: ReadonlyMap<string, Session>;
  counts: FleetCounts;
  /** Number of sessions in the feed. While a large fleet loads, the number exceeds the size of `sessions`. */
  total: number;
  at: number;
  /** The server run that sent the last frame; null before the first. Versions compare only within one run. */
  epoch: string | null;
}

export type FleetFrame = Extract<LiveFrame, { type: 'fleet_snapshot' | 'fleet_delta' }>;

/** Applies a snapshot, which replaces all sessions, or a delta, which changes some. An older row is ignored. */
export function applyFleetFrame(view: FleetView | null, frame: FleetFrame): FleetView | null {
  const base = { counts: frame.counts, at: frame.now, epoch: frame.epoch };
  switch (frame.type) {
    case 'fleet_snapshot': {
      const sameRun = view !== null && (view.epoch === null || view.epoch === frame.epoch);
      const sessions = new Map<string, Session>();
      for (const session of frame.sessions) {
        sessions.set(session.id, sameRun ? newer(view.sessions.get(session.id), session) : session);
      }
      return { ...base, sessions, total: frame.total ?? sessions.size };
    }
    case 'fleet_delta': {
      if (!view) return null;
      if (frame.changed.length === 0 && frame.removed.length === 0) {
        return { ...view, ...base, total: frame.total ?? view.total };
      }
      const sessions = new Map(view.sessions);
      for (const session of frame.changed) sessions.set(session.id, newer(sessions.get(session.id), session));
      for (const id of frame.removed) sessions.delete(id);
      return { ...base, sessions, total: frame.total ?? sessions.size };
    }
  }
}

/** The newer row. If versions are equal, the later row: liveness and trace change with time. */
function newer(held: Session | undefined, sent: Session): Session {
  if (held === undefined || held.version < sent.version) return sent;
  if (held.version > sent.version) return held;
  const isSame =
    held.liveness === sent.liveness &&
    held.trace.length === sent.trace.length &&
    held.compacting?.at === sent.compacting?.at;
  return isSame ? held : sent;
}

export function fleetRow(session: Session): Session {
  return { ...session, coverage: [], clientSessionIds: [] };
}

/** The fleet's first rows as JSON text, which Next passes faster than objects. `total` counts all sessions. */
export interface FleetSeed extends Pick<FleetView, 'counts' | 'total' | 'at'> {
  rows: string;
}

export function makeFleetSeed(sessions: readonly Session[], rest: Omit<FleetSeed, 'rows'>): FleetSeed {
  return { rows: JSON.stringify(sessions.map(fleetRow)), ...rest };
}

export function readFleetSeed({ rows, ...rest }: FleetSeed): FleetView {
  const sessions = JSON.parse(rows) as Session[];
  return { sessions: new Map(sessions.map((session) => [session.id, session])), ...rest, epoch: null };
}
