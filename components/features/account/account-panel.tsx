'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LEAST_PASSWORD } from '@/core/api/people-limits';
import { fetchJson } from '../../data/fetch-json';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, Form, Notice } from '../../ui/form-parts';
import { SettingRow } from '../../ui/section';
import { addPasskey, changePassword, passkeyFailure, removePasskey } from './credentials';

interface Passkey {
  id: string;
  createdAt: string;
}

const PASSKEYS = ['passkeys'];

/** The viewer's own account: password and passkeys. */
export function AccountPanel({ name, email }: { name: string; email: string }) {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <dl>
      <SettingRow name="Account">
        <span className="font-medium">{name}</span> <span className="text-ink2">{email}</span>
      </SettingRow>
      <SettingRow name="Password">
        <Button onClick={() => setIsChanging(true)}>Change password</Button>
      </SettingRow>
      <SettingRow name="Passkeys">
        <Passkeys />
      </SettingRow>
      {isChanging ? <PasswordDialog onClose={() => setIsChanging(false)} /> : null}
    </dl>
  );
}

function Passkeys() {
  const client = useQueryClient();
  const { data = [] } = useQuery({
    queryKey: PASSKEYS,
    queryFn: () => fetchJson<Passkey[]>('/api/auth/passkey/list-user-passkeys'),
  });
  const { error, isPending, mutate } = useMutation({
    mutationFn: (task: () => Promise<unknown>) => task(),
    onSettled: () => client.invalidateQueries({ queryKey: PASSKEYS }),
  });
  return (
    <div className="flex flex-wrap items-center gap-[8px]">
      {data.map(({ id, createdAt }) => (
        <Button key={id} disabled={isPending} onClick={() => mutate(() => removePasskey(id))}>
          Remove passkey of {createdAt.slice(0, 10)}
        </Button>
      ))}
      <Button disabled={isPending} onClick={() => mutate(addPasskey)}>
        Add a passkey
      </Button>
      <Notice failure={passkeyFailure(error)} />
    </div>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { error, isPending, mutate } = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: onClose,
  });
  return (
    <Dialog open onClose={onClose} title="Change password" description="This logs you out in other browsers.">
      <Form failure={error} label="Change" disabled={isPending || next.length < LEAST_PASSWORD} send={mutate}>
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onValue={setCurrent}
        />
        <Field
          label={`New password, at least ${LEAST_PASSWORD} characters`}
          type="password"
          autoComplete="new-password"
          value={next}
          onValue={setNext}
        />
      </Form>
    </Dialog>
  );
}
