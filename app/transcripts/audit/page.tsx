import type { Metadata } from 'next';
import { Suspense } from 'react';
import { AuditPanel } from '@/components/transcripts/audit/audit-panel';

export const metadata: Metadata = { title: 'Audit log of transcripts' };

export default function AuditPage() {
  return (
    <Suspense>
      <AuditPanel />
    </Suspense>
  );
}
