'use client';
import { Fragment, useState } from 'react';
import { AgentStatus } from './agent-status';
import { CommandSteps } from './command-steps';
import { connectGuides } from './connect-guides';

type ConnectStepsProps = Record<'folderPrefix' | 'dataPrefix', string>;

export default function ConnectSteps({ folderPrefix, dataPrefix }: ConnectStepsProps) {
  // These values differ between server and browser, but only the HTTP tab uses them, and only browsers render it.
  const [own] = useState(() => ({
    origin: typeof location === 'undefined' ? '' : location.origin,
    stream: crypto.randomUUID(),
    nowMs: Date.now(),
  }));
  const places = [
    ['In', folderPrefix.replace(/^cd (.*) && $/, '$1')],
    ['with', dataPrefix.trim()],
  ].filter(([, place]) => place !== '');
  const guides = connectGuides({ folderPrefix, dataPrefix, ...own });
  const [chosen, setChosen] = useState('agents');
  const guide = guides.find(({ id }) => id === chosen);

  function onKeyDown({ key, currentTarget: { parentElement } }: React.KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
    const next = guides.findIndex(({ id }) => id === chosen) + step + guides.length;
    parentElement?.querySelectorAll('button')[next % guides.length]?.focus();
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
      {places.length === 0 ? null : (
        <p className="pt-[14px] text-small text-ink2">
          {places.map(([word, place], index) => (
            <Fragment key={word}>
              {index === 0 ? '' : ', '}
              {word} <span className="font-mono text-ink [overflow-wrap:anywhere]">{place}</span>
            </Fragment>
          ))}
          . Copied commands include {places.length === 1 ? 'it' : 'both'}.
        </p>
      )}
      <div role="tabpanel" aria-labelledby={`tab-${chosen}`}>
        <CommandSteps
          isSequence={!guide?.isChoice}
          steps={(guide?.steps ?? []).map(({ agent, ...step }) => ({
            ...step,
            shown: step.command.replace(folderPrefix, '').replace(dataPrefix, ''),
            ...(agent !== undefined && { note: <AgentStatus agent={agent} /> }),
          }))}
        />
        {chosen === 'agents' ? (
          <p className="pt-[18px]">Then start a session of the agent, or continue one.</p>
        ) : null}
      </div>
    </div>
  );
}
