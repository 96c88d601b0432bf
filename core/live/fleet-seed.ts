import type { Session } from '../api/session';
import { type FleetView, fleetView } from './apply-fleet-frame';
import { fleetRow } from './fleet-row';
import { packRows, unpackRows } from './pack-rows';
import type { FleetCounts } from './protocol';

/**
 * The fleet's first rows on their way from the server into the page. As text: what is handed over as objects is revived
 * value by value, and sixty rows with their traces hold some ten thousand.
 */
export interface FleetSeed {
  /** The rows as a list shows them (fleet-row.ts), packed (pack-rows.ts). */
  rows: string;
  counts: FleetCounts;
  /** All sessions there are, of which these are the first. */
  total: number;
  /** The server's time, milliseconds. */
  at: number;
}

export function makeFleetSeed(
  sessions: readonly Session[],
  rest: { counts: FleetCounts; total: number; at: number },
): FleetSeed {
  return { rows: packRows(sessions.map(fleetRow)), ...rest };
}

/** The rows are taken as they are: they come from the server that delivered the page. */
export function readFleetSeed({ rows, counts, total, at }: FleetSeed): FleetView {
  return { ...fleetView(unpackRows<Session>(rows), counts, at), total };
}
