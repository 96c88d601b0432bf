'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccessToken, RevokedToken } from '@/core/api/settings';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant } from '../../format/format-time';
import { Ago } from '../../ui/ago';
import { DataTable } from '../../ui/data-table';
import { Dialog } from '../../ui/dialog';
import { NewTokenDialog } from './new-token-dialog';
import { failureText } from './use-settings-form';

const MAY: Record<AccessToken['scope'], string> = {
  ingest: 'post telemetry',
  read: 'read the API and the live feed',
  admin: 'change settings and tokens',
};

/** Access tokens: list, create, revoke. */
export function TokensPanel({ initial }: { initial: readonly AccessToken[] }) {
  const [tokens, setTokens] = useState(initial);
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<AccessToken | null>(null);
  const zone = useTimeZone();
  return (
    <>
      <DataTable
        label="Access tokens"
        rows={tokens}
        keyOf={({ id }) => String(id)}
        columns={[
          { head: 'name', cell: ({ name }) => <span className="font-medium">{name}</span> },
          {
            head: 'scope',
            label: 'scope',
            cell: ({ scope }) => <span title={`May ${MAY[scope]}`}>{scope}</span>,
          },
          {
            head: 'created',
            label: 'created',
            cell: ({ createdAt }) => formatInstant(createdAt, zone),
          },
          {
            head: 'last used',
            label: 'last used',
            cell: ({ lastUsedAt }) =>
              lastUsedAt === null ? (
                <span className="text-ink2">never</span>
              ) : (
                <span>
                  <Ago at={lastUsedAt} /> ago
                </span>
              ),
          },
          {
            head: <span className="sr-only">Revoke</span>,
            right: true,
            cell: (token) => (
              <button
                type="button"
                className="button"
                aria-label={`Revoke ${token.name}, ${token.scope}`}
                onClick={() => setRevoked(token)}
              >
                Revoke
              </button>
            ),
          },
        ]}
      />
      {tokens.length === 0 ? (
        <p className="py-[12px] text-ink2">No active tokens. Create one to connect a program.</p>
      ) : null}
      <button type="button" className="button mt-[14px]" onClick={() => setIsCreating(true)}>
        New token
      </button>
      {isCreating ? (
        <NewTokenDialog
          onCreated={(token) => setTokens((held) => [...held, token])}
          onClose={() => setIsCreating(false)}
        />
      ) : null}
      {revoked === null ? null : (
        <RevokeDialog
          token={revoked}
          onRevoked={() => setTokens((held) => held.filter(({ id }) => id !== revoked.id))}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  );
}

interface RevokeDialogProps {
  token: AccessToken;
  onRevoked: () => void;
  onClose: () => void;
}

function RevokeDialog({ token, onRevoked, onClose }: RevokeDialogProps) {
  const revoke = useMutation({
    mutationFn: () =>
      fetchJson<RevokedToken>(`/api/v1/tokens/${token.id}`, { method: 'DELETE' }).catch((error: unknown) => {
        // Revoked elsewhere meanwhile.
        if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      }),
    onSuccess() {
      onRevoked();
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      description={`Programs that use this token (may ${MAY[token.scope]}) are refused within a minute. This cannot be undone. A runner keeps its unsent data.`}
    >
      <div className="form">
        <p role="alert" className={revoke.isError ? 'notice' : 'sr-only'}>
          {revoke.isError ? failureText(revoke.error) : ''}
        </p>
        <div className="actions">
          <button
            type="button"
            className="button primary"
            disabled={revoke.isPending}
            onClick={() => revoke.mutate()}
          >
            Revoke
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}
