import type { Metadata } from 'next';
import { AuditPanel } from '@/components/features/settings/audit/audit-panel';
import { auditName } from '@/core/identity/roles';
import { listFilterChoices } from '@/db/queries/list-filter-choices';
import { listPeople } from '@/db/queries/people';
import { listTokens } from '@/db/queries/tokens';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Audit log' };

/** The log is shown even if the filter choices fail to load. */
export default async function AuditPage() {
  const { sql, projects } = getSharedDb();
  const [choices, tokens, people] = await Promise.all([
    listFilterChoices(sql).catch(() => null),
    projects === null ? listTokens(sql).catch(() => []) : [],
    projects === null ? listPeople(sql, null).catch(() => []) : [],
  ]);
  const names = new Set([...tokens.map(({ name }) => name), ...people.map(auditName)]);
  return <AuditPanel projects={choices?.projects ?? []} tokens={[...names]} />;
}
