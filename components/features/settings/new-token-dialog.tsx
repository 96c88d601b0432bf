'use client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { AccessToken, CreatedToken, NewToken } from '@/core/api/settings';
import { TOKEN_SCOPES, type TokenScope } from '@/core/identity/token-scopes';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { Choice } from '../../ui/choice';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { failureText } from './use-settings-form';

const SCOPE_LABEL: Record<TokenScope, string> = {
  ingest: 'Ingest: post telemetry',
  read: 'Read: API and live feed',
  admin: 'Admin: change settings',
};

interface NewTokenDialogProps {
  onCreated: (token: AccessToken) => void;
  onClose: () => void;
}

/** Creates a token and shows its secret once. */
export function NewTokenDialog({ onCreated, onClose }: NewTokenDialogProps) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<TokenScope>('ingest');
  const [isMissing, setIsMissing] = useState(false);
  const create = useMutation({
    mutationFn: (body: NewToken) => fetchJson<CreatedToken>('/api/v1/tokens', { method: 'POST', body }),
    onSuccess: ({ token }) => onCreated(token),
  });
  const id = useId();
  const { error, data } = create;
  const isNameRefused = error instanceof ApiError && error.field === 'name';
  const problem = isMissing ? 'must not be empty' : isNameRefused ? error.message : '';
  const notice = error === null || isNameRefused ? '' : failureText(error);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name.trim() === '') setIsMissing(true);
    else if (!create.isPending) create.mutate({ name, scope });
  }

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
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={name.trim() === '' ? null : 'The token is not created yet.'}
      title="New token"
    >
      <form className="form" noValidate onSubmit={submit}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        <div>
          <label htmlFor={id}>Name</label>
          <input
            id={id}
            className="field w-full"
            placeholder="build server"
            autoComplete="off"
            maxLength={200}
            value={name}
            aria-invalid={problem !== ''}
            {...(problem === '' ? {} : { 'aria-describedby': `${id}-wrong` })}
            onChange={({ target }) => {
              setName(target.value);
              setIsMissing(false);
              if (create.isError) create.reset();
            }}
          />
          {problem === '' ? null : (
            <p id={`${id}-wrong`} className="wrong">
              The name {problem}
            </p>
          )}
        </div>
        <Choice
          legend="Scope"
          name="scope"
          value={scope}
          options={TOKEN_SCOPES.map((value) => ({ value, label: SCOPE_LABEL[value] }))}
          onChange={setScope}
        />
        <div className="actions">
          <button type="submit" className="button primary" disabled={create.isPending}>
            Create token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
