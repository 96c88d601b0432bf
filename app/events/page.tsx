import type { Metadata } from 'next';
import Link from 'next/link';
import { PlannedPage } from '@/components/ui/planned-page';

export const metadata: Metadata = { title: 'Events' };

export default function EventsPage() {
  return (
    <PlannedPage
      title="Events"
      what="One live stream of what happens to all sessions: restarts, compactions, states, lost tracking."
    >
      <ul>
        <li>
          Each{' '}
          <Link href="/" className="link text-ink">
            session
          </Link>{' '}
          lists its own events under its barogram.
        </li>
        <li>
          The newest events of all sessions are at{' '}
          <a href="/api/v1/events" className="link font-mono text-ink">
            /api/v1/events
          </a>
          , as JSON.
        </li>
      </ul>
    </PlannedPage>
  );
}
