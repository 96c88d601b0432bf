import type { Metadata } from 'next';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { Suspense } from 'react';
import { AuditPanel } from '@/components/audit/audit-panel';
import { listFilterChoices } from '@/db/queries/list-projects';
import { listTokens } from '@/db/queries/tokens/list-tokens';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Audit log' };

export default function AuditPage() {
  return (
    <NuqsAdapter>
      <Suspense>
        <Audit />
      </Suspense>
    </NuqsAdapter>
  );
}

/** What can be chosen from is a help: without it the log is still read. */
async function Audit() {
  const { sql } = getSharedDb();
  const [projects, tokens] = await Promise.all([
    listFilterChoices(sql).then(
      (choices) => choices.projects,
      () => [],
    ),
    listTokens(sql).catch(() => []),
  ]);
  return <AuditPanel projects={projects} tokens={[...new Set(tokens.map(({ name }) => name))]} />;
}
