import { headers } from 'next/headers';
import { earlyReadsScript } from '@/components/transcripts/early-reads';
import { beginningPaths } from '@/components/transcripts/fetch-transcripts';

const NONCE = /'nonce-([^']+)'/;

/** Asks for what is shown first while the browser still loads the page's scripts. @param id of a transcript that is known */
export async function BeginReading({ id }: { id: string }) {
  const nonce = NONCE.exec((await headers()).get('content-security-policy') ?? '')?.[1];
  return (
    // The browser hides the nonce from scripts, so that the page finds none where the server wrote one.
    <script nonce={nonce} suppressHydrationWarning>
      {earlyReadsScript(beginningPaths(id))}
    </script>
  );
}
