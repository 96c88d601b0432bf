'use client';
import { Suspense } from 'react';
import { lazyPart } from '../../../ui/lazy-part';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { useSessionPage } from '../session-page';
import { sessionPath } from '../session-reads';

const TurnsPanel = lazyPart(() => import('./turns-panel'));

export function TurnsSection() {
  const { session, url, change } = useSessionPage();
  const { turns: chain } = url;
  const isOpen = chain !== null;
  return (
    <section aria-labelledby="turns-title" className="border-t border-hair">
      <div className="flex min-h-[34px] flex-wrap items-baseline gap-x-[22px] gap-y-[2px] py-[6px]">
        <h2 id="turns-title" className="font-medium">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls="turns-body"
            className="flex items-center gap-[7px]"
            onClick={() => change({ turns: isOpen ? null : 'main', context: null })}
          >
            <svg width="7" height="8" viewBox="0 0 7 8" aria-hidden="true">
              <path d={isOpen ? 'M0 1.5h7L3.5 7z' : 'M1 .5v7L6.5 4z'} fill="currentColor" />
            </svg>
            Turn by turn
          </button>
        </h2>
        <p className="ml-auto flex flex-wrap items-baseline gap-x-[14px] text-small max-md:ml-0">
          {(['turns', 'events', 'notes'] as const).map((list) => (
            <span key={list} className="flex items-baseline gap-[8px]">
              <span className="text-ink2">Export {list}</span>
              {(['csv', 'json'] as const).map((format) => (
                <a
                  key={format}
                  className="link"
                  href={sessionPath(session.id, list, { format })}
                  aria-label={`Export ${list} as ${format.toUpperCase()}`}
                  download
                >
                  {format.toUpperCase()}
                </a>
              ))}
            </span>
          ))}
        </p>
      </div>
      <div id="turns-body">
        {chain !== null ? (
          <PanelBoundary name="The table of turns">
            <Suspense fallback={<p className="py-[6px] text-ink2">Loading turns…</p>}>
              <TurnsPanel chain={chain} />
            </Suspense>
          </PanelBoundary>
        ) : null}
      </div>
    </section>
  );
}
