import type { Metadata } from 'next';
import { Suspense } from 'react';
import { AlertsPanel } from '@/components/features/alerts/alerts-panel';
import { PageSkeleton } from '@/components/ui/page-head';
import { listChannels, listRules } from '@/db/queries/alerts/change-rules';
import { listDeadLetters } from '@/db/queries/alerts/dead-letters';
import { listAlerts } from '@/db/queries/alerts/list-alerts';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Alerts' };

export default function AlertsPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Alerts" />}>
      <Alerts />
    </Suspense>
  );
}

const FIRST_ALERTS = 50;

async function Alerts() {
  const { sql } = getSharedDb();
  const [open, history, rules, channels, letters] = await Promise.all([
    listAlerts(sql, { phase: 'open' }),
    listAlerts(sql, { phase: 'resolved', limit: FIRST_ALERTS }),
    listRules(sql),
    listChannels(sql),
    listDeadLetters(sql),
  ]);
  const plain = { open, history, rules: [...rules], channels: [...channels], letters };
  return <AlertsPanel seed={JSON.stringify(plain)} />;
}
