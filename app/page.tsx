import { Suspense } from 'react';
import { FleetPanel } from '@/components/fleet/fleet-panel';
import { FleetSkeleton } from '@/components/fleet/fleet-skeleton';
import { fleetView } from '@/core/live/apply-fleet-frame';
import { fleetCounts } from '@/db/queries/fleet-counts';
import { listSessions } from '@/db/queries/list-sessions';
import { getSharedDb } from '@/db/shared-client';
import { connectFacts } from './connect-facts';

/** Rows in the page itself; the feed's snapshot brings the others. */
const FIRST_ROWS = 60;

export default function FleetPage() {
  return (
    <Suspense fallback={<FleetSkeleton />}>
      <Fleet />
    </Suspense>
  );
}

async function Fleet() {
  const { sql, idleAfterMs } = getSharedDb();
  const nowMs = Date.now();
  const [list, counts] = await Promise.all([
    listSessions(sql, { limit: FIRST_ROWS }, { nowMs, idleAfterMs }),
    fleetCounts(sql, nowMs),
  ]);
  const initial = { ...fleetView(list.sessions, counts, nowMs), total: list.total };
  return <FleetPanel initial={initial} connect={connectFacts()} />;
}
