'use client';
import { useRef } from 'react';
import { useShortcut } from './use-shortcut';

const KEYS: ReadonlyArray<readonly [keys: readonly string[], what: string]> = [
  [['/'], 'search sessions'],
  [['j', 'k'], 'next and previous row'],
  [['Enter'], 'open the row'],
  [['Esc'], 'leave a row, clear the search'],
  [['←', '→'], 'move the edge of the pressure range (on the barcode)'],
  [['?'], 'this list'],
];

/** The keys, on `?` or its button. */
export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useShortcut('?', () => dialog.current?.showModal());
  return (
    <>
      <button
        type="button"
        className="key hidden hover:border-ink hover:text-ink md:inline-flex"
        aria-label="Keyboard help"
        title="Keyboard help"
        onClick={() => dialog.current?.showModal()}
      >
        ?
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a modal dialog by itself; the click is on its backdrop */}
      <dialog
        ref={dialog}
        aria-labelledby="help-title"
        className="m-auto w-[400px] max-w-[calc(100vw-32px)] border border-hair2 bg-raised p-0 text-ink backdrop:bg-ink/20"
        onClick={(event) => {
          if (event.target === event.currentTarget) event.currentTarget.close();
        }}
      >
        <div className="p-[22px]">
          <div className="flex items-center justify-between pb-[10px]">
            <h2 id="help-title" className="text-title">
              Keys
            </h2>
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          <dl>
            {KEYS.map(([keys, what]) => (
              <div
                key={what}
                className="flex min-h-[36px] items-center gap-[16px] border-t border-hair py-[6px]"
              >
                <dt className="flex w-[72px] shrink-0 gap-[4px]">
                  {keys.map((key) => (
                    <kbd key={key} className="key">
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </div>
      </dialog>
    </>
  );
}
