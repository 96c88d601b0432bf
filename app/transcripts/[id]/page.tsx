import type { Metadata } from 'next';
import { TalkPanel } from '@/components/transcripts/talk/talk-panel';
import { BeginReading } from './begin-reading';
import { loadKnown } from './load-known';

export const metadata: Metadata = { title: 'Transcript' };

interface TranscriptPageProps {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** With the row, so that its head stands at once; what a transcript holds is read by the browser, and masked on the way. */
export default async function TranscriptPage({ params, searchParams }: TranscriptPageProps) {
  const [{ id }, { line, view }] = await Promise.all([params, searchParams]);
  const known = (await loadKnown(id))?.transcript ?? null;
  const beginsAtTop = line === undefined && view === undefined;
  return (
    <>
      {beginsAtTop && known?.state === 'stored' ? <BeginReading id={known.id} /> : null}
      <TalkPanel key={id} id={id} known={known} />
    </>
  );
}
