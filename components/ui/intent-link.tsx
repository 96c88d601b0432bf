'use client';
import Link from 'next/link';
import { type ComponentProps, useState } from 'react';

/**
 * A link on every page, whose own page is fetched when somebody is about to follow it. Links that are merely on screen would
 * have the server render all of their pages at the very moment when this one wants its data.
 */
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
