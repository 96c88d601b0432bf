'use client';
import Link from 'next/link';
import type { AuditEntry } from '@/core/api/audit';
import { AuditHead, AuditRow } from '../audit/audit-row';
import { useTimeZone } from '../live/use-time-zone';
import '../audit/audit.css';

/** The latest entries of the audit log, and the way to all. */
export function AuditLatest({ entries }: { entries: readonly AuditEntry[] }) {
  const zone = useTimeZone();
  if (entries.length === 0) {
    return (
      <p className="text-ink2">
        Nothing is written down yet: reading a transcript, a changed setting or a new token will be.
      </p>
    );
  }
  return (
    <>
      <table aria-label="Latest entries of the audit log" className="audit latest">
        <AuditHead />
        <tbody>
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} zone={zone} only={null} />
          ))}
        </tbody>
      </table>
      <Link href="/settings/audit" prefetch={false} className="button mt-[14px] inline-flex items-center">
        The whole audit log
      </Link>
    </>
  );
}
