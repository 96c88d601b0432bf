'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { AccessToken, CreatedToken, NewToken, RevokedToken } from '@/core/api/settings';
import { TOKEN_SCOPES, type TokenScope } from '@/core/identity/token-scopes';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant } from '../../format/format-time';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { Choice } from '../../ui/choice';
import { CopyButton } from '../../ui/copy-button';
import { DataTable } from '../../ui/data-table';
import { Dialog } from '../../ui/dialog';
import { capitalised } from './project-fields';
import { Field, failureText, Notice } from './settings-dialog';

const MAY: Record<TokenScope, string> = {
  ingest: 'post telemetry',
  read: 'read the API and the live feed',
  admin: 'change settings and tokens',
};

export function TokensPanel({ tokens }: { tokens: readonly AccessToken[] }) {
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
          { head: 'scope', cell: ({ scope }) => <span title={`May ${MAY[scope]}`}>{scope}</span> },
          { head: 'project', cell: ({ project }) => project ?? <span className="text-ink2">all</span> },
          { head: 'created', cell: ({ createdAt }) => formatInstant(createdAt, zone) },
          {
            head: 'last used',
            cell: ({ lastUsedAt: at }) =>
              at === null ? (
                <span className="text-ink2">never</span>
              ) : (
                <span>
                  <Ago at={at} /> ago
                </span>
              ),
          },
          {
            head: <span className="sr-only">Revoke</span>,
            right: true,
            cell: (token) => (
              <Button aria-label={`Revoke ${token.name}, ${token.scope}`} onClick={() => setRevoked(token)}>
                Revoke
              </Button>
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
      {revoked === null ? null : <RevokeDialog token={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

/** Creates a token and shows its secret once. */
function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<TokenScope>('ingest');
  const [project, setProject] = useState('');
  const { refresh } = useRouter();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: async (body: NewToken) => {
      if (body.name.trim() === '') throw new ApiError(400, '', 'name', 'must not be empty');
      return fetchJson<CreatedToken>('/api/v1/tokens', { method: 'POST', body });
    },
    onSuccess: refresh,
  });
  if (data !== undefined) {
    return (
      <Dialog
        open
        onClose={onClose}
        unsaved="The token cannot be shown again."
        title={`Token ${name.trim()}`}
        description="Shown only once: the server stores its hash. Revoke a lost token and create another."
        className="top-[12vh] w-[560px]"
      >
        <div className="form">
          <div className="flex items-start justify-between gap-[12px] bg-sunken py-[9px] pr-[9px] pl-[11px]">
            <code className="min-w-0 flex-1 pt-[2px] font-mono break-all">{data.secret}</code>
            <CopyButton text={data.secret} what="the token" />
          </div>
        </div>
      </Dialog>
    );
  }
  const isOfName = error instanceof ApiError && error.field === 'name';
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={name.trim() === '' ? null : 'The token is not created yet.'}
      title="New token"
    >
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const isLimited = scope === 'ingest' && project.trim() !== '';
          if (!isPending) mutate({ name, scope, ...(isLimited && { project }) });
        }}
      >
        <Notice text={error === null || isOfName ? '' : failureText(error)} />
        <Field
          label="Name"
          problem={isOfName ? `The name ${error.message}` : ''}
          className="field w-full"
          placeholder="build server"
          maxLength={200}
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            reset();
          }}
        />
        <Choice
          legend="Scope"
          name="scope"
          value={scope}
          options={TOKEN_SCOPES.map((value) => ({ value, label: `${capitalised(value)}: ${MAY[value]}` }))}
          onChange={setScope}
        />
        {scope === 'ingest' ? (
          <Field
            label="Project"
            problem=""
            className="field w-full"
            placeholder="all projects"
            maxLength={400}
            value={project}
            onChange={({ target }) => setProject(target.value)}
          />
        ) : null}
        <div className="actions">
          <Button type="submit" className="primary" disabled={isPending}>
            Create token
          </Button>
        </div>
      </form>
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
      description={`Programs that use this token (may ${MAY[token.scope]}) are refused within a minute. This cannot be undone. A runner keeps its unsent data.`}
    >
      <div className="form">
        <Notice text={error === null ? '' : failureText(error)} />
        <div className="actions">
          <Button className="primary" disabled={isPending} onClick={() => mutate()}>
            Revoke
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}
