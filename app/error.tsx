'use client';
import { PageHead } from '@/components/ui/page-head';

/** A page that could not be read: what happened, what still works, and another try. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : null;
  return (
    <div className="page-x">
      <PageHead title="This page could not be read">
        The server answered with an error, most likely because its database did not. Runners keep what is not
        acknowledged and send it again: nothing is lost. The server's log says more
        {digest === null ? '' : ` under ${digest}`}.
      </PageHead>
      <button type="button" className="button" onClick={() => retry()}>
        Try again
      </button>
    </div>
  );
}
