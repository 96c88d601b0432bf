import type { Metadata } from 'next';
import { Suspense } from 'react';
import { HistoryPanel } from '@/components/history/history-panel';
import { HistorySkeleton } from '@/components/history/history-skeleton';
import { listFilterChoices } from '@/db/queries/list-projects';
import { newestTurnAt } from '@/db/queries/newest-turn-at';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'History' };

export default function HistoryPage() {
  return (
    <Suspense fallback={<HistorySkeleton />}>
      <History />
    </Suspense>
  );
}

async function History() {
  const { sql } = getSharedDb();
  const [choices, newestAt] = await Promise.all([listFilterChoices(sql), newestTurnAt(sql)]);
  return <HistoryPanel choices={choices} newestAt={newestAt} />;
}
