import type { Metadata } from 'next';
import { EmptyPage } from '@/components/connect/empty-page';
import { HowToRead } from '@/components/connect/how-to-read';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Connect' };

export default function ConnectPage() {
  return (
    <div className="page-x wide-type">
      <EmptyPage
        title="Connect a runner"
        note="Each command shows its changes to the agent’s settings and asks before it writes them. On this machine, commands find the server and the token automatically. On another machine, set BAROGRAPH_URL and BAROGRAPH_TOKEN; the first command under HTTP creates a token."
        place={getSharedDb().place}
      >
        <HowToRead />
      </EmptyPage>
    </div>
  );
}
