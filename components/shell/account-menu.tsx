'use client';
import { LogOut } from 'lucide-react';
import Link from 'next/link';
import { logOut } from '../features/account/credentials';
import { useAccountName } from '../preferences/viewer';

/** Name of the viewer, and the log-out button. Empty on a server without accounts. */
export function AccountMenu() {
  const name = useAccountName();
  if (name === null) return null;
  return (
    <span className="flex min-w-0 items-center gap-[8px]">
      <Link
        href="/settings#account"
        className="max-w-[120px] truncate text-small text-ink2 hover:text-ink"
        title={`Account of ${name}`}
      >
        {name}
      </Link>
      <button
        type="button"
        className="-m-1 p-1 text-ink2 hover:text-ink"
        aria-label="Log out"
        title="Log out"
        onClick={() => void logOut()}
      >
        <LogOut size={14} strokeWidth={1.5} aria-hidden="true" />
      </button>
    </span>
  );
}
