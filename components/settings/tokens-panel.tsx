'use client';
import { useState } from 'react';
import type { AccessToken, RevokedToken } from '@/core/api/settings';
import { formatInstant } from '../format/format-time';
import { useTimeZone } from '../live/use-time-zone';
import { Ago } from '../ui/ago';
import { Dialog } from '../ui/dialog';
import { NewTokenDialog } from './new-token-dialog';
import { sendChange } from './send-change';
import './settings.css';

const MAY: Record<AccessToken['scope'], string> = {
  ingest: 'may post telemetry',
  read: 'may read the API and the live feed',
  admin: 'may change settings and tokens',
};

/** Access tokens: list, make, revoke. */
export function TokensPanel({ initial }: { initial: readonly AccessToken[] }) {
  const [tokens, setTokens] = useState(initial);
  const [isMaking, setIsMaking] = useState(false);
  const [ending, setEnding] = useState<AccessToken | null>(null);
  const zone = useTimeZone();
  return (
    <>
      <table className="settings-table" aria-label="Access tokens">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">scope</th>
            <th scope="col">created</th>
            <th scope="col">last used</th>
            <th scope="col">
              <span className="sr-only">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td className="font-medium">{token.name}</td>
              <td data-label="scope" title={MAY[token.scope]}>
                {token.scope}
              </td>
              <td data-label="created">{formatInstant(token.createdAt, zone)}</td>
              <td data-label="last used">
                {token.lastUsedAt === null ? (
                  <span className="text-ink2">never</span>
                ) : (
                  <span>
                    <Ago at={token.lastUsedAt} /> ago
                  </span>
                )}
              </td>
              <td className="right">
                <button
                  type="button"
                  className="button"
                  aria-label={`Revoke ${token.name}, ${token.scope}`}
                  onClick={() => setEnding(token)}
                >
                  Revoke
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {tokens.length === 0 ? (
        <p className="py-[12px] text-ink2">No token is good: no program may come in.</p>
      ) : null}
      <button type="button" className="button mt-[14px]" onClick={() => setIsMaking(true)}>
        New token
      </button>
      {isMaking ? (
        <NewTokenDialog
          onMade={(token) => setTokens((held) => [...held, token])}
          onClose={() => setIsMaking(false)}
        />
      ) : null}
      {ending === null ? null : (
        <RevokeDialog
          token={ending}
          onGone={() => setTokens((held) => held.filter(({ id }) => id !== ending.id))}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

interface RevokeDialogProps {
  token: AccessToken;
  onGone: () => void;
  onClose: () => void;
}

function RevokeDialog({ token, onGone, onClose }: RevokeDialogProps) {
  const [notice, setNotice] = useState('');
  const [isSending, setIsSending] = useState(false);

  async function revoke(): Promise<void> {
    if (isSending) return;
    setIsSending(true);
    const sent = await sendChange<RevokedToken>('DELETE', `/tokens/${token.id}`);
    setIsSending(false);
    // Somebody else was quicker: it is gone all the same.
    if (sent.ok || sent.code === 'not_found') {
      onGone();
      onClose();
    } else setNotice(sent.reason);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      description={`Who holds this token (${token.scope}: ${MAY[token.scope]}) is refused within a minute, and it cannot be made good again. A runner keeps what it could not send.`}
    >
      <div className="settings-form">
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        <div className="actions">
          <button type="button" className="button primary" disabled={isSending} onClick={() => void revoke()}>
            Revoke
          </button>
          <button type="button" className="button" onClick={onClose}>
            Keep it
          </button>
        </div>
      </div>
    </Dialog>
  );
}
