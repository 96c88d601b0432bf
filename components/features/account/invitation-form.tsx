'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OpenInvitation } from '@/core/api/people';
import { LEAST_PASSWORD } from '@/core/api/people-limits';
import { Button } from '../../ui/button';
import { Field, Form, failureText } from '../../ui/form-parts';
import { join, logInAtProvider, readInvitation } from './credentials';

/** Makes an account by the secret in the fragment of the address. */
export function InvitationForm({ singleSignOn }: { singleSignOn: boolean }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  // The server never sees the fragment, so only the browser can read it.
  useEffect(() => {
    const read = () => setSecret(location.hash.slice(1));
    read();
    // Another link in the same tab does not load the page again.
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation', secret],
    queryFn: () => readInvitation<OpenInvitation>(secret ?? ''),
    enabled: secret !== null,
    retry: false,
  });
  const address = invitation?.email ?? email;
  const joining = useMutation({
    mutationFn: () => join({ name: name.trim(), email: address, password, invitation: secret ?? '' }),
    onSuccess: () => location.assign('/'),
  });
  const atProvider = useMutation({ mutationFn: () => logInAtProvider('/') });
  const isPending = joining.isPending || atProvider.isPending;
  if (error !== null)
    return <p className="form page-form">{failureText(error)} Ask an admin for a new link.</p>;
  if (invitation === undefined) return <p className="form page-form text-ink2">Loading</p>;
  return (
    <Form
      className="page-form"
      failure={joining.error ?? atProvider.error}
      label="Create account"
      disabled={isPending || password.length < LEAST_PASSWORD || name.trim() === '' || address === ''}
      send={joining.mutate}
      more={
        singleSignOn && invitation.email !== null ? (
          <Button disabled={isPending} onClick={() => atProvider.mutate()}>
            Single sign-on
          </Button>
        ) : null
      }
    >
      <p>
        You join as {invitation.role} of {invitation.project ?? 'every project and of the server'}
      </p>
      <Field label="Name" autoComplete="name" maxLength={100} value={name} onValue={setName} />
      <Field
        label="E-mail"
        type="email"
        autoComplete="username"
        readOnly={invitation.email !== null}
        value={address}
        onValue={setEmail}
      />
      <Field
        label={`Password, at least ${LEAST_PASSWORD} characters`}
        type="password"
        autoComplete="new-password"
        maxLength={200}
        value={password}
        onValue={setPassword}
      />
    </Form>
  );
}
