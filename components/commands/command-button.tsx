'use client';
import { Suspense } from 'react';
import type { Session } from '@/core/api/session';
import { useMay } from '../preferences/viewer';
import { sessionTitle } from '../sessions/session-names';
import { lazyPart } from '../ui/lazy-part';
import type { CommandTarget } from './command-dialog';

/** Loaded after the page, because most servers send no commands. */
const CommandControl = lazyPart(() => import('./command-control'));

export function CommandButton({ sessions }: { sessions: readonly Session[] }) {
  const may = useMay();
  const targets = sessions
    .filter(({ project }) => may('operate', project))
    .map((session): CommandTarget => ({ id: session.id, title: sessionTitle(session) }));
  if (targets.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <CommandControl targets={targets} />
    </Suspense>
  );
}
