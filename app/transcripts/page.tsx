import type { Metadata } from 'next';
import Link from 'next/link';
import { PlannedPage } from '@/components/ui/planned-page';

export const metadata: Metadata = { title: 'Transcripts' };

export default function TranscriptsPage() {
  return (
    <PlannedPage
      title="Transcripts"
      what="What compactions threw away: the transcripts that runners archive just before one, to read and to search."
    >
      <ul>
        <li>
          Each{' '}
          <Link href="/" className="link text-ink">
            session
          </Link>{' '}
          shows its compactions, what each one freed, and whether a transcript was archived before it.
        </li>
      </ul>
    </PlannedPage>
  );
}
