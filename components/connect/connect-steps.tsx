'use client';
import { type KeyboardEvent, useState, useSyncExternalStore } from 'react';
import { CommandSteps } from './command-steps';
import { connectGuides } from './connect-guides';

interface ConnectStepsProps {
  folderPrefix: string;
  dataPrefix: string;
  /** The server's address as far as the server knows it; the browser knows better. */
  origin: string;
}

/** The steps per kind of runner, as tabs. */
export function ConnectSteps({ folderPrefix, dataPrefix, origin }: ConnectStepsProps) {
  const example = useSyncExternalStore(
    never,
    () => ownExample,
    () => null,
  );
  const guides = connectGuides({
    folderPrefix,
    dataPrefix,
    origin: example?.origin ?? origin,
    stream: example?.stream ?? '00000000-0000-4000-8000-000000000000',
    nowMs: example?.nowMs ?? 0,
  });
  const [chosen, setChosen] = useState('claude-code');

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const index = guides.findIndex(({ id }) => id === chosen);
    const next = guides.at((index + step) % guides.length);
    document.getElementById(`tab-${next?.id}`)?.focus();
  }

  return (
    <div>
      <div role="tablist" aria-label="Kind of runner" className="flex gap-[22px] border-b border-hair2">
        {guides.map(({ id, name }) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={id === chosen}
            aria-controls={`steps-${id}`}
            tabIndex={id === chosen ? 0 : -1}
            className={`-mb-px h-[32px] border-b-[1.5px] ${id === chosen ? 'border-ink font-medium' : 'border-transparent text-ink2 hover:text-ink'}`}
            onFocus={() => setChosen(id)}
            onClick={() => setChosen(id)}
            onKeyDown={onKeyDown}
          >
            {name}
          </button>
        ))}
      </div>
      {guides.map(({ id, steps }) => (
        <div key={id} id={`steps-${id}`} role="tabpanel" aria-labelledby={`tab-${id}`} hidden={id !== chosen}>
          <CommandSteps steps={steps} />
        </div>
      ))}
    </div>
  );
}

/** Known only in the browser; the same for the life of the page. */
const ownExample =
  typeof location === 'undefined'
    ? null
    : { origin: location.origin, stream: crypto.randomUUID(), nowMs: Date.now() };
const never = () => () => undefined;
