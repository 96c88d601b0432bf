'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { AccessToken, CreatedToken, NewToken, RevokedToken } from '@/core/api/settings';
import { PROJECT_SCOPES, TOKEN_SCOPES, type TokenScope } from '@/core/identity/token-scopes';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { useNow } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { capitalised } from '../../format/capitalised';
import { formatInstant } from '../../format/format-time';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { Choice } from '../../ui/choice';
import { DataTable } from '../../ui/data-table';
import { Dialog } from '../../ui/dialog';
import { Field, Form } from '../../ui/form-parts';
import { OnceDialog } from '../../ui/once-dialog';

const MAY: Record<TokenScope, string> = {
  ingest: 'post telemetry',
  archive: 'upload transcripts',
  read: 'read the API and the live feed',
  admin: 'change settings and tokens',
};

export function TokensPanel({ tokens }: { tokens: readonly AccessToken[] }) {
  const [isCreating, setIsCreating] = useState(false);
  const [rotated, setRotated] = useState<AccessToken | null>(null);
  const [revoked, setRevoked] = useState<AccessToken | null>(null);
  const zone = useTimeZone();
  return (
    <>
      <DataTable
        label="Access tokens"
        rows={tokens}
        keyOf={({ id }) => String(id)}
        columns={[
          {
            head: 'name',
            cell: ({ name, start }) => (
              <>
                <span className="font-medium">{name}</span>
                {start === null ? null : (
                  <code className="block font-mono text-small text-ink2">{start}…</code>
                )}
              </>
            ),
          },
          {
            head: 'scopes',
            cell: ({ scopes }) => <span title={`May ${rightsOf(scopes)}`}>{scopes.join(', ')}</span>,
          },
          {
            head: 'projects',
            cell: ({ projects }) => projects?.join(', ') ?? <span className="text-ink2">all</span>,
          },
          { head: 'expires', cell: (token) => <Expiry token={token} zone={zone} /> },
          {
            head: 'last used',
            cell: ({ lastUsedAt: at, lastUsedFrom }) =>
              at === null ? (
                <span className="text-ink2">never</span>
              ) : (
                <span>
                  <Ago at={at} /> ago
                  {lastUsedFrom === null ? null : <span className="text-ink2"> from {lastUsedFrom}</span>}
                </span>
              ),
          },
          {
            head: <span className="sr-only">Actions</span>,
            right: true,
            cell: (token) => (
              <span className="flex justify-end gap-[8px]">
                <Button aria-label={`Rotate ${token.name}`} onClick={() => setRotated(token)}>
                  Rotate
                </Button>
                <Button aria-label={`Revoke ${token.name}`} onClick={() => setRevoked(token)}>
                  Revoke
                </Button>
              </span>
            ),
          },
        ]}
      />
      {tokens.length === 0 ? (
        <p className="py-[12px] text-ink2">No active tokens. Create one to connect a program.</p>
      ) : null}
      <Button className="mt-[14px]" onClick={() => setIsCreating(true)}>
        New token
      </Button>
      {isCreating ? <NewTokenDialog onClose={() => setIsCreating(false)} /> : null}
      {rotated === null ? null : <RotateDialog token={rotated} onClose={() => setRotated(null)} />}
      {revoked === null ? null : <RevokeDialog token={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

function rightsOf(scopes: readonly TokenScope[]): string {
  return scopes.map((scope) => MAY[scope]).join(', ');
}

function Expiry({ token: { expiresAt, rotatesUntil }, zone }: { token: AccessToken; zone: string }) {
  const now = useNow(60_000);
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now;
  return (
    <>
      {expiresAt === null ? (
        <span className="text-ink2">never</span>
      ) : (
        <span className={isOver ? 'strong' : ''}>
          {isOver ? 'expired ' : ''}
          {formatInstant(expiresAt, zone)}
        </span>
      )}
      {rotatesUntil === null ? null : (
        <span className="block text-small text-ink2">
          old secret until {formatInstant(rotatesUntil, zone)}
        </span>
      )}
    </>
  );
}

/** Creates a token and shows its secret once. */
function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['ingest', 'archive']);
  const [days, setDays] = useState<(typeof LIFETIMES)[number]['value']>('');
  const [project, setProject] = useState('');
  const { refresh } = useRouter();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: async (body: NewToken) => {
      if (body.name.trim() === '') throw new ApiError(400, '', 'name', 'must not be empty');
      return fetchJson<CreatedToken>('/api/v1/tokens', { method: 'POST', body });
    },
    onSuccess: refresh,
  });
  if (data !== undefined) return <SecretDialog {...data} onClose={onClose} />;
  const isLimitable = scopes.every((scope) => PROJECT_SCOPES.includes(scope));
  const isOfName = error instanceof ApiError && error.field === 'name';
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={name.trim() === '' ? null : 'The token is not created yet.'}
      title="New token"
    >
      <Form
        failure={isOfName ? null : error}
        label="Create token"
        disabled={isPending}
        send={() =>
          mutate({
            name,
            scopes: [...scopes],
            ...(isLimitable && project.trim() !== '' && { projects: [project] }),
            ...(days !== '' && { expiresInDays: Number(days) }),
          })
        }
      >
        <Field
          label="Name"
          problem={isOfName ? `The name ${error.message}` : ''}
          placeholder="build server"
          maxLength={200}
          value={name}
          onValue={(value) => {
            setName(value);
            reset();
          }}
        />
        <fieldset className="flex flex-col gap-[4px]">
          <legend className="sr-only">Scopes</legend>
          {TOKEN_SCOPES.map((scope) => (
            <label key={scope} className="flex! items-center gap-[8px] text-ink!">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={({ target }) =>
                  setScopes((now) =>
                    TOKEN_SCOPES.filter((each) => (each === scope ? target.checked : now.includes(each))),
                  )
                }
              />
              {capitalised(scope)}: {MAY[scope]}
            </label>
          ))}
        </fieldset>
        {isLimitable ? (
          <Field
            label="Project"
            placeholder="all projects"
            maxLength={400}
            value={project}
            onValue={setProject}
          />
        ) : null}
        <Choice legend="Expires" name="days" value={days} options={LIFETIMES} onChange={setDays} />
      </Form>
    </Dialog>
  );
}

const LIFETIMES = [
  { value: '', label: 'Never expires' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const;

function SecretDialog({ secret, token, onClose }: CreatedToken & { onClose: () => void }) {
  return (
    <OnceDialog
      title={`Token ${token.name}`}
      description="Shown only once: the server stores its hash. Rotate a lost token."
      secret={secret}
      what="token"
      onClose={onClose}
    />
  );
}

const OVERLAPS = [
  { value: '0', label: 'At once' },
  { value: '60', label: '1 hour' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' },
] as const;

function RotateDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]['value']>('1440');
  const { refresh } = useRouter();
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () =>
      fetchJson<CreatedToken>(`/api/v1/tokens/${token.id}/rotate`, {
        method: 'POST',
        body: { overlapMinutes: Number(overlap) },
      }),
    onSuccess: refresh,
  });
  if (data !== undefined) return <SecretDialog {...data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate ${token.name}?`}
      description="The token gets a new secret. The old secret expires after the chosen time."
    >
      <Form failure={error} label="New secret" disabled={isPending} send={mutate}>
        <Choice
          legend="Old secret expires"
          name="overlap"
          value={overlap}
          options={OVERLAPS}
          onChange={setOverlap}
        />
      </Form>
    </Dialog>
  );
}

function RevokeDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const { refresh } = useRouter();
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => fetchJson<RevokedToken>(`/api/v1/tokens/${token.id}`, { method: 'DELETE' }),
    onSuccess() {
      refresh();
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      description={`Programs that use this token (may ${rightsOf(token.scopes)}) lose access immediately. This cannot be undone. A runner keeps its unsent data.`}
    >
      <Form failure={error} label="Revoke" disabled={isPending} send={mutate} />
    </Dialog>
  );
}
