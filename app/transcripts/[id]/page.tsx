import type { Metadata } from 'next';
import { TalkPanel } from '@/components/transcripts/talk/talk-panel';

export const metadata: Metadata = { title: 'Transcript' };

interface TranscriptPageProps {
  params: Promise<{ id: string }>;
}

/** The page is the same for all: what a transcript holds is read by the browser, and masked on the way. */
export default async function TranscriptPage({ params }: TranscriptPageProps) {
  const { id } = await params;
  return <TalkPanel key={id} id={id} />;
}
