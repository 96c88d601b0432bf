'use client';
import { useEffect, useEffectEvent } from 'react';
import { PageHead } from '@/components/ui/page-head';

/** So often it is tried again by itself, while somebody looks. */
const AGAIN_MS = 5_000;

/** A page that could not be read: what happened, what still works, and another try, by itself or at once. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : null;
  const tryAgain = useEffectEvent(() => {
    if (document.visibilityState === 'visible') retry();
  });
  useEffect(() => {
    const timer = setInterval(() => tryAgain(), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="page-x">
      <PageHead title="This page could not be read">
        The server answered with an error, most likely because its database did not. Runners keep what is not
        acknowledged and send it again: nothing is lost. The server's log says more
        {digest === null ? '' : ` under ${digest}`}. It is tried again by itself.
      </PageHead>
      <button type="button" className="button" onClick={() => retry()}>
        Try again
      </button>
    </div>
  );
}
