'use client';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import type { Session } from '@/core/api/session';
import { sessionTitle } from '../../sessions/session-names';
import { useShortcut } from '../../ui/use-shortcut';

interface ChosenBarProps {
  /** One or two, the first choice first. */
  chosen: readonly Session[];
  clear: () => void;
}

/** Under the list while sessions are chosen: which ones, and the way to lay them on each other. */
export function ChosenBar({ chosen, clear }: ChosenBarProps) {
  const router = useRouter();
  const [a, b] = chosen;
  const path = a === undefined || b === undefined ? null : `/compare?a=${a.id}&b=${b.id}`;
  useShortcut('c', () => {
    if (path !== null) router.push(path);
  });
  if (a === undefined) return null;
  return (
    <div className="sticky bottom-0 z-30 flex min-h-[40px] items-center gap-[14px] border-t border-ink bg-paper py-[6px]">
      <p role="status" className="min-w-0 flex-1 truncate">
        <span className="text-ink2">{b === undefined ? 'Selected: ' : 'Compare '}</span>
        {sessionTitle(a)}
        {b === undefined ? (
          <span className="text-ink2 max-md:hidden">, select one more to compare</span>
        ) : (
          <>
            <span className="text-ink2"> with </span>
            {sessionTitle(b)}
          </>
        )}
      </p>
      {path === null ? null : (
        <Link href={path} prefetch={false} className="button" aria-keyshortcuts="c">
          Compare
        </Link>
      )}
      <button type="button" className="button" onClick={clear}>
        Clear selection
      </button>
    </div>
  );
}
