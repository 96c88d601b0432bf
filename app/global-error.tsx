'use client';
import './globals.css';

/** Error page without the layout: what happened, what still works, and a retry. */
export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <main className="page-x py-[48px]" role="alert">
          <title>Barograph</title>
          <h1 className="text-title">This page could not be shown</h1>
          <p className="mt-[8px] max-w-[60ch] text-ink2">
            Nothing is lost: the server still records turns, and other pages may work.
          </p>
          <button type="button" className="button mt-[16px]" onClick={reset}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
