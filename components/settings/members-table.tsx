import type { AccessToken } from '@/core/api/settings';
import type { TokenScope } from '@/core/identity/token-scopes';
import { formatCount } from '../format/format-tokens';
import './settings.css';

const MAY: Readonly<Record<TokenScope, string>> = {
  read: 'sees numbers, events and transcripts with their secrets masked, and the audit log; changes nothing',
  ingest: 'posts telemetry and hands transcripts over; sees nothing',
  admin:
    'changes settings, notes and tokens; saves, unmasks and deletes transcripts; sees the audit log, and no numbers',
};
const ROLES = ['read', 'admin', 'ingest'] as const;

/** There are no accounts: what holds people and programs apart instead. */
export function MembersTable({ tokens, address }: { tokens: readonly AccessToken[]; address: string }) {
  return (
    <>
      <p className="max-w-[72ch] pb-[12px]">
        There are no accounts yet. Who opens {address} in a browser on this machine is an operator, and every
        operator may do everything; the audit log knows them as <em className="not-italic strong">browser</em>
        . Programs are held apart by the scope of their token. Names and roles of people come with accounts.
      </p>
      <table className="settings-table" aria-label="Roles">
        <thead>
          <tr>
            <th scope="col">role</th>
            <th scope="col">who has it</th>
            <th scope="col">what it may</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td className="font-medium">operator</td>
            <td data-label="who">browsers on this machine</td>
            <td className="text-ink2" data-label="may">
              all that these pages do
            </td>
          </tr>
          {ROLES.map((scope) => (
            <tr key={scope}>
              <td className="font-medium">{scope}</td>
              <td data-label="who">
                {formatCount(tokens.filter((token) => token.scope === scope).length, 'token')}
              </td>
              <td className="text-ink2" data-label="may">
                {MAY[scope]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
