'use client';
import { Suspense, useState } from 'react';
import { Button } from '../ui/button';
import { lazyPart } from '../ui/lazy-part';
import type { CommandTarget } from './command-dialog';
import { useCommandLists } from './use-command-lists';

const CommandDialog = lazyPart(() => import('./command-dialog'));

/** Shown only if the server sends commands and a runner of the sessions carries some out. */
export default function CommandControl({ targets }: { targets: readonly CommandTarget[] }) {
  const [isOpened, setIsOpened] = useState(false);
  const { actions, open } = useCommandLists(targets.map(({ id }) => id));
  if (actions.length === 0) return null;
  return (
    <>
      <Button onClick={() => setIsOpened(true)}>
        {open === 0 ? 'Send command' : `Send command (${open} open)`}
      </Button>
      {isOpened ? (
        <Suspense fallback={null}>
          <CommandDialog targets={targets} onClose={() => setIsOpened(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
