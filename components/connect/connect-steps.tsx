'use client';
import { type KeyboardEvent, useRef, useState, useSyncExternalStore } from 'react';
import { CommandBlock } from '../ui/copy-button';
import { type ConnectGuide, connectGuides } from './connect-guides';

interface ConnectStepsProps {
  folderPrefix: string;
  dataPrefix: string;
  /** The server's address as far as the server knows it; the browser knows better. */
  origin: string;
}

/** The steps per kind of runner, as tabs. */
export function ConnectSteps({ folderPrefix, dataPrefix, origin }: ConnectStepsProps) {
  const example = useExample();
  const guides = connectGuides({
    folderPrefix,
    dataPrefix,
    origin: example?.origin ?? origin,
    stream: example?.stream ?? '00000000-0000-4000-8000-000000000000',
    nowMs: example?.nowMs ?? 0,
  });
  const [chosen, setChosen] = useState('claude-code');
  const tabs = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const index = guides.findIndex(({ id }) => id === chosen);
    const next = guides[(index + step + guides.length) % guides.length];
    if (next === undefined) return;
    setChosen(next.id);
    tabs.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  }

  return (
    <div>
      <div
        ref={tabs}
        role="tablist"
        aria-label="Kind of runner"
        className="flex gap-[22px] border-b border-hair2"
      >
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
            onClick={() => setChosen(id)}
            onKeyDown={onKeyDown}
          >
            {name}
          </button>
        ))}
      </div>
      {guides.map((guide) => (
        <Steps key={guide.id} guide={guide} shown={guide.id === chosen} />
      ))}
    </div>
  );
}

function Steps({ guide, shown }: { guide: ConnectGuide; shown: boolean }) {
  return (
    <div id={`steps-${guide.id}`} role="tabpanel" aria-labelledby={`tab-${guide.id}`} hidden={!shown}>
      <ol>
        {guide.steps.map(({ title, command, note }, index) => (
          <li key={title} className="grid grid-cols-[20px_minmax(0,1fr)] pt-[18px]">
            <span className="num strong">{index + 1}</span>
            <div>
              <h2 className="pb-[6px] font-normal">{title}</h2>
              <CommandBlock command={command} what={title} />
              {note === undefined ? null : <p className="pt-[5px] text-small text-ink2">{note}</p>}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface Example {
  origin: string;
  stream: string;
  nowMs: number;
}

let example: Example | null = null;
const never = () => () => undefined;
const onServer = () => null;

/** What only the browser can fill in; the same for the life of the page. */
function useExample(): Example | null {
  return useSyncExternalStore(
    never,
    () => {
      example ??= { origin: location.origin, stream: randomUuid(), nowMs: Date.now() };
      return example;
    },
    onServer,
  );
}

/** Version 4; `crypto.randomUUID` is missing where the page came over plain http from another machine. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
