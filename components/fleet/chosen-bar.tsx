'use client';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import type { Session } from '@/core/api/session';
import { comparePath } from '../compare/compare-url';
import { useShortcut } from '../shell/use-shortcut';
import { sessionTitle } from './session-names';

interface ChosenBarProps {
  /** One or two, the first choice first. */
  chosen: readonly Session[];
  clear: () => void;
}

/** Under the list while sessions are chosen: which ones, and the way to lay them on each other. */
export function ChosenBar({ chosen, clear }: ChosenBarProps) {
  const router = useRouter();
  const [a, b] = chosen;
  const path =
    a === undefined
      ? null
      : comparePath({ session: a.id, context: null }, b ? { session: b.id, context: null } : null);
  useShortcut('c', () => {
    if (path !== null && b !== undefined) router.push(path);
  });
  if (a === undefined || path === null) return null;
  return (
    <div className="sticky bottom-0 z-30 flex min-h-[40px] items-center gap-[14px] border-t border-ink bg-paper py-[6px]">
      <p role="status" className="min-w-0 flex-1 truncate">
        <span className="text-ink2">{b === undefined ? 'Chosen: ' : 'Compare '}</span>
        {sessionTitle(a)}
        {b === undefined ? (
          <span className="text-ink2 max-md:hidden">, and one more to compare it with</span>
        ) : (
          <>
            <span className="text-ink2"> with </span>
            {sessionTitle(b)}
          </>
        )}
      </p>
      {b === undefined ? null : (
        <Link href={path} prefetch={false} className="button" aria-keyshortcuts="c">
          Compare
        </Link>
      )}
      <button type="button" className="button" onClick={clear}>
        Let go
      </button>
    </div>
  );
}
