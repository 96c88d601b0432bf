import type { Metadata } from 'next';
import { connectFacts } from '@/app/connect-facts';
import { ConnectSteps } from '@/components/connect/connect-steps';
import { PageHead } from '@/components/ui/page-head';

export const metadata: Metadata = { title: 'Connect' };

export default function ConnectPage() {
  return (
    <div className="page-x">
      <PageHead title="Connect a runner">
        On this machine the commands find server and token by themselves. Elsewhere set BAROGRAPH_URL and
        BAROGRAPH_TOKEN; a token is made with the first command under HTTP.
      </PageHead>
      <div className="max-w-[640px] pb-[48px]">
        <ConnectSteps {...connectFacts()} />
      </div>
    </div>
  );
}
