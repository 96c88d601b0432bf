import type { Metadata } from 'next';
import { TalkPanel } from '@/components/transcripts/talk/talk-panel';
import { loadKnown } from './load-known';

export const metadata: Metadata = { title: 'Transcript' };

interface TranscriptPageProps {
  params: Promise<{ id: string }>;
}

/** With the row, so that its head stands at once; what a transcript holds is read by the browser, and masked on the way. */
export default async function TranscriptPage({ params }: TranscriptPageProps) {
  const { id } = await params;
  const known = await loadKnown(id);
  return <TalkPanel key={id} id={id} known={known?.transcript ?? null} />;
}
