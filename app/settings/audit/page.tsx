import type { Metadata } from 'next';
import { AuditPanel } from '@/components/features/settings/audit/audit-panel';
import { listFilterChoices } from '@/db/queries/list-filter-choices';
import { listTokens } from '@/db/queries/tokens';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Audit log' };

/** The log is shown even if the filter choices fail to load. */
export default async function AuditPage() {
  const { sql } = getSharedDb();
  const [choices, tokens] = await Promise.all([
    listFilterChoices(sql).catch(() => null),
    listTokens(sql).catch(() => []),
  ]);
  const names = new Set(tokens.map(({ name }) => name));
  return <AuditPanel projects={choices?.projects ?? []} tokens={[...names]} />;
}
