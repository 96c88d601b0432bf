'use client';
import Link from 'next/link';
import { type ComponentProps, useState } from 'react';

/** A link that prefetches its page only on hover or focus, so that prefetching does not slow the current page. */
export function IntentLink(props: Omit<ComponentProps<typeof Link>, 'prefetch'>) {
  const [isMeant, setIsMeant] = useState(false);
  const mean = () => setIsMeant(true);
  return (
    <Link
      {...props}
      prefetch={isMeant ? null : false}
      onPointerEnter={mean}
      onTouchStart={mean}
      onFocus={mean}
    />
  );
}
