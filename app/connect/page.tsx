import type { Metadata } from 'next';
import { ConnectSteps } from '@/components/connect/connect-steps';
import { PageHead } from '@/components/ui/page-head';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Connect' };

export default function ConnectPage() {
  return (
    <div className="page-x">
      <PageHead title="Connect a runner">
        The connect commands show their changes to the settings of an agent and ask before they write them. On
        this machine the commands find the server and the token automatically. Elsewhere, set BAROGRAPH_URL
        and BAROGRAPH_TOKEN; the first command under HTTP creates a token.
      </PageHead>
      <div className="max-w-[640px] pb-[48px]">
        <ConnectSteps {...getSharedDb().place} />
      </div>
    </div>
  );
}
