import type { Metadata } from 'next';
import { connectFacts } from '@/app/connect-facts';
import { TranscriptsPanel } from '@/components/features/transcripts/list/transcripts-panel';
import { listFilterChoices } from '@/db/queries/list-projects';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Transcripts' };

export default async function TranscriptsPage() {
  const { projects } = await listFilterChoices(getSharedDb().sql);
  const { folderPrefix, dataPrefix } = connectFacts();
  return <TranscriptsPanel projects={projects} command={`${folderPrefix}${dataPrefix}npx barograph`} />;
}
