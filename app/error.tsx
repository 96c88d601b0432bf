'use client';
import { useEffect, useEffectEvent } from 'react';
import { PageHead } from '@/components/ui/page-head';

/** Interval of automatic retries. */
const AGAIN_MS = 5_000;

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
      <PageHead title="This page could not be loaded">
        The server answered with an error, most likely because its database is unavailable. Runners keep
        unacknowledged data and retry, so nothing is lost. See the server's log
        {digest === null ? '' : ` under ${digest}`}. Retrying automatically.
      </PageHead>
      <button type="button" className="button" onClick={() => retry()}>
        Try again
      </button>
    </div>
  );
}
