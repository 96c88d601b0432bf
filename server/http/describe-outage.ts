import { judgeFault } from '../../db/judge-fault';

export interface Outage {
  code: 'disk_full' | 'out_of_memory' | 'limit_exceeded' | 'unavailable';
  /** For whoever looks: no full stop behind it. */
  reason: string;
}

/** What Postgres calls a want of room; the rest of the class (too many connections) is over in a moment. */
const NO_ROOM: Readonly<Record<string, Outage>> = {
  '53100': { code: 'disk_full', reason: "The disk of the server's database is full" },
  '53200': { code: 'out_of_memory', reason: "The server's database is out of memory" },
  '53400': {
    code: 'limit_exceeded',
    reason: "The server's database is at a limit that it was configured with",
  },
};
const AWAY: Outage = { code: 'unavailable', reason: 'The server cannot reach its database at the moment' };

/** What is the matter with the database that something failed on; null: it is not the database. */
export function describeOutage(error: unknown): Outage | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const room = typeof code === 'string' ? NO_ROOM[code] : undefined;
  return room ?? (judgeFault(error) === 'unavailable' ? AWAY : null);
}
