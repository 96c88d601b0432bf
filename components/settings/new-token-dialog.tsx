'use client';
import { type FormEvent, useId, useState } from 'react';
import type { AccessToken, CreatedToken, NewToken } from '@/core/api/settings';
import { TOKEN_SCOPES, type TokenScope } from '@/core/identity/token-scopes';
import { Choice } from '../ui/choice';
import { CopyButton } from '../ui/copy-button';
import { Dialog } from '../ui/dialog';
import { sendChange } from './send-change';

const SCOPE_LABEL: Record<TokenScope, string> = {
  ingest: 'Ingest: post telemetry',
  read: 'Read: API and live feed',
  admin: 'Admin: change settings',
};

/** Makes a token and shows it, once. */
export function NewTokenDialog({
  onMade,
  onClose,
}: {
  onMade: (token: AccessToken) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<TokenScope>('ingest');
  const [problem, setProblem] = useState('');
  const [notice, setNotice] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const id = useId();

  async function make(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    if (name.trim() === '') return setProblem('must say whose it is');
    setIsSending(true);
    setNotice('');
    const sent = await sendChange<CreatedToken>('POST', '/tokens', { name, scope } satisfies NewToken);
    setIsSending(false);
    if (sent.ok) {
      setSecret(sent.value.secret);
      onMade(sent.value.token);
    } else if (sent.field === 'name') setProblem(sent.reason);
    else setNotice(sent.reason);
  }

  if (secret !== null) {
    return (
      <Dialog
        open
        onClose={onClose}
        unsaved="The token cannot be shown again."
        title={`The token of ${name.trim()}`}
        description="It is shown this once: only its hash is kept. Copy it to where it is used; a lost one is revoked and made anew."
        className="top-[12vh] w-[560px]"
      >
        <div className="settings-form">
          <div className="flex items-start justify-between gap-[12px] bg-sunken py-[9px] pr-[9px] pl-[11px]">
            <code className="min-w-0 flex-1 pt-[2px] font-mono break-all">{secret}</code>
            <CopyButton text={secret} what="the token" />
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={name.trim() === '' ? null : 'No token is made yet.'}
      title="New token"
    >
      <form className="settings-form" noValidate onSubmit={(event) => void make(event)}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        <div>
          <label htmlFor={id}>Whose it is</label>
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
              setProblem('');
            }}
          />
          {problem === '' ? null : (
            <p id={`${id}-wrong`} className="wrong">
              The name {problem}
            </p>
          )}
        </div>
        <Choice
          legend="What it may do"
          name="scope"
          value={scope}
          options={TOKEN_SCOPES.map((value) => ({ value, label: SCOPE_LABEL[value] }))}
          onChange={setScope}
        />
        <div className="actions">
          <button type="submit" className="button primary" disabled={isSending}>
            Make the token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
