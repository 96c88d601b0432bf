'use client';

/** The page could not be read. The rest of the product is unharmed, and so is what runners send meanwhile. */
export default function SessionError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <div className="page-x py-[48px]" role="alert">
      <h1 className="text-title">This session could not be read</h1>
      <p className="mt-[8px] max-w-[60ch] text-ink2">
        The server did not answer with its data. Nothing is lost: turns are still taken in, and the other
        pages work.
        {error.digest ? ` The server’s log names this as ${error.digest}.` : ''}
      </p>
      <button type="button" className="button mt-[16px]" onClick={reset}>
        Read it again
      </button>
    </div>
  );
}
