import type { Metadata } from 'next';
import { Suspense } from 'react';
import { connectFacts } from '@/app/connect-facts';
import { TranscriptsPanel } from '@/components/features/transcripts/list/transcripts-panel';
import { PageSkeleton } from '@/components/ui/page-head';
import { listFilterChoices } from '@/db/queries/list-projects';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Transcripts' };

export default function TranscriptsPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Transcripts" />}>
      <Transcripts />
    </Suspense>
  );
}

async function Transcripts() {
  const choices = await listFilterChoices(getSharedDb().sql);
  const { folderPrefix, dataPrefix } = connectFacts();
  return (
    <TranscriptsPanel projects={choices.projects} command={`${folderPrefix}${dataPrefix}npx barograph`} />
  );
}
