import { Suspense } from 'react';
import { FleetPanel } from '@/components/fleet/fleet-panel';
import { FleetSkeleton } from '@/components/fleet/fleet-skeleton';

export default function FleetPage() {
  return (
    <Suspense fallback={<FleetSkeleton />}>
      <FleetPanel
        initial={null}
        connect={{ commandPrefix: '', folderPrefix: '', origin: 'http://127.0.0.1:4680' }}
      />
    </Suspense>
  );
}
