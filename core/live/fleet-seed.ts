import type { Session } from '../api/session';
import { type FleetView, fleetView } from './apply-fleet-frame';
import type { FleetCounts } from './protocol';

export function fleetRow(session: Session): Session {
  return { ...session, coverage: [], clientSessionIds: [] };
}

/** The fleet's first rows as JSON text, which Next passes faster than ten thousand values. */
export interface FleetSeed {
  rows: string;
  counts: FleetCounts;
  /** Count of all sessions. */
  total: number;
  at: number;
}

export function makeFleetSeed(
  sessions: readonly Session[],
  rest: { counts: FleetCounts; total: number; at: number },
): FleetSeed {
  return { rows: JSON.stringify(sessions.map(fleetRow)), ...rest };
}

export function readFleetSeed({ rows, counts, total, at }: FleetSeed): FleetView {
  return { ...fleetView(JSON.parse(rows) as Session[], counts, at), total };
}
