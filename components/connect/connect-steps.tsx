'use client';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { CommandSteps } from './command-steps';
import { connectGuides } from './connect-guides';

interface ConnectStepsProps {
  folderPrefix: string;
  dataPrefix: string;
  /** The server's address as the server knows it. */
  origin: string;
}

const TAB =
  '-mb-px h-[32px] border-b-[1.5px] border-transparent text-ink2 hover:text-ink data-[state=active]:border-ink data-[state=active]:font-medium data-[state=active]:text-ink';

/** The steps per kind of runner, as tabs. */
export function ConnectSteps({ folderPrefix, dataPrefix, origin }: ConnectStepsProps) {
  // Different on server and browser, but used only by a tab that the server does not render.
  const [own] = useState(() => ({
    origin: typeof location === 'undefined' ? origin : location.origin,
    stream: crypto.randomUUID(),
    nowMs: Date.now(),
  }));
  const guides = connectGuides({ folderPrefix, dataPrefix, ...own });
  return (
    <Tabs.Root defaultValue="claude-code">
      <Tabs.List aria-label="Kind of runner" className="flex gap-[22px] border-b border-hair2">
        {guides.map(({ id, name }) => (
          <Tabs.Trigger key={id} value={id} className={TAB}>
            {name}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {guides.map(({ id, steps }) => (
        <Tabs.Content key={id} value={id}>
          <CommandSteps steps={steps} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
