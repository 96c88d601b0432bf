import type { Metadata } from 'next';
import { TranscriptsPanel } from '@/components/features/transcripts/list/transcripts-panel';
import { listFilterChoices } from '@/db/queries/list-filter-choices';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Transcripts' };

export default async function TranscriptsPage() {
  const { sql, place } = getSharedDb();
  const { projects } = await listFilterChoices(sql);
  return (
    <TranscriptsPanel projects={projects} command={`${place.folderPrefix}${place.dataPrefix}npx barograph`} />
  );
}
