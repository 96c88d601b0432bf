import { Suspense } from 'react';
import { FleetPanel } from '@/components/features/fleet/fleet-panel';
import { FleetSkeleton } from '@/components/features/fleet/fleet-skeleton';
import { makeFleetSeed } from '@/core/live/apply-fleet-frame';
import { listSessions } from '@/db/queries/list-sessions';
import { fleetCounts } from '@/db/queries/live-fleet';
import { getSharedDb } from '@/db/shared-client';

/** Rows rendered with the page. The snapshot of the live feed adds the others. */
const FIRST_ROWS = 60;

/** Counts of all projects cost more than the rest of the page, so one read is reused for half a minute. */
const COUNTS_MS = 30_000;
let recent: { at: number; counts: ReturnType<typeof fleetCounts> } | undefined;

function recentCounts(nowMs: number): ReturnType<typeof fleetCounts> {
  if (recent !== undefined && nowMs - recent.at < COUNTS_MS) return recent.counts;
  const counts = fleetCounts(getSharedDb().sql, nowMs);
  recent = { at: nowMs, counts };
  // Do not cache a failed read.
  counts.catch(() => {
    recent = undefined;
  });
  return counts;
}

export default function FleetPage() {
  return (
    <Suspense fallback={<FleetSkeleton />}>
      <Fleet />
    </Suspense>
  );
}

async function Fleet() {
  const { sql, idleAfterMs, projects } = getSharedDb();
  const nowMs = Date.now();
  const [list, counts] = await Promise.all([
    listSessions(sql, { limit: FIRST_ROWS }, { nowMs, idleAfterMs }),
    projects === null ? recentCounts(nowMs) : fleetCounts(sql, nowMs),
  ]);
  const seed = makeFleetSeed(list.sessions, { counts, total: list.total, at: nowMs });
  return <FleetPanel seed={seed} connect={getSharedDb().place} />;
}
