import type { Metadata } from 'next';
import Link from 'next/link';
import { PlannedPage } from '@/components/ui/planned-page';

export const metadata: Metadata = { title: 'Alerts' };

export default function AlertsPage() {
  return (
    <PlannedPage
      title="Alerts"
      what="Rules that call you: pressure above a line, minutes to a boundary below one, tracking lost, a session gone quiet."
    >
      <ul>
        <li>
          <Link href="/?state=redlined,critical,warning" className="link text-ink">
            The fleet from warning on
          </Link>{' '}
          is a page to keep open: it is live, and what goes next stands on top.
        </li>
      </ul>
    </PlannedPage>
  );
}
