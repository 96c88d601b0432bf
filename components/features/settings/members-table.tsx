import type { AccessToken } from '@/core/api/settings';
import { formatCount } from '../../format/format-tokens';
import { DataTable } from '../../ui/data-table';

/** Roles and their rights. The server has no user accounts. */
export function MembersTable({ tokens, address }: { tokens: readonly AccessToken[]; address: string }) {
  const count = (scope: AccessToken['scope']) =>
    formatCount(tokens.filter((token) => token.scope === scope).length, 'token');
  const roles = [
    { role: 'operator', who: 'browsers on this machine', may: 'everything on these pages' },
    {
      role: 'read',
      who: count('read'),
      may: 'see numbers, events, the audit log and transcripts with masked secrets; change nothing',
    },
    {
      role: 'admin',
      who: count('admin'),
      may: 'change settings, notes and tokens; download, unmask and delete transcripts; see the audit log',
    },
    { role: 'ingest', who: count('ingest'), may: 'post telemetry and upload transcripts; see nothing' },
  ];
  return (
    <>
      <p className="max-w-[72ch] pb-[12px]">
        There are no accounts yet. Every browser on this machine that opens {address} is an operator; the
        audit log calls them <em className="not-italic strong">browser</em>. Programs have the scope of their
        token.
      </p>
      <DataTable
        label="Roles"
        rows={roles}
        keyOf={({ role }) => role}
        columns={[
          { head: 'role', cell: ({ role }) => <span className="font-medium">{role}</span> },
          { head: 'who', cell: ({ who }) => who },
          { head: 'may', cell: ({ may }) => <span className="text-ink2">{may}</span> },
        ]}
      />
    </>
  );
}
