'use client';
import { usePathname } from 'next/navigation';
import { Suspense, useEffect } from 'react';
import { lazyPart } from '../ui/lazy-part';
import { PanelBoundary } from '../ui/panel-boundary';
import { stopAsking, useAsked } from './asked';
import { importAnswer } from './why';

const WhyPopover = lazyPart(importAnswer);

export function WhyHost() {
  const asked = useAsked();
  const path = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the previous page's explanation
  useEffect(() => stopAsking, [path]);
  if (asked === null) return null;
  return (
    <PanelBoundary name="The explanation">
      <Suspense>
        <WhyPopover {...asked} />
      </Suspense>
    </PanelBoundary>
  );
}
