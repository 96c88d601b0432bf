'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button';
import { Field, Form } from '../../ui/form-parts';
import { logIn, logInAtProvider, logInWithPasskey, passkeyFailure, safeNext } from './credentials';

interface LogInFormProps {
  /** Path to open after the log-in. */
  next: string | null;
  singleSignOn: boolean;
  /** Why the provider's log-in was refused. */
  refusal: string;
}

export function LogInForm({ next, singleSignOn, refusal }: LogInFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const goOn = () => location.assign(safeNext(next));
  const byPassword = useMutation({ mutationFn: () => logIn(email, password), onSuccess: goOn });
  const byPasskey = useMutation({ mutationFn: logInWithPasskey, onSuccess: goOn });
  const byProvider = useMutation({ mutationFn: () => logInAtProvider(safeNext(next)) });
  const all = [byPassword, byPasskey, byProvider];
  const isPending = all.some((each) => each.isPending);
  const start = (way: (typeof all)[number]) => {
    for (const each of all) each.reset();
    way.mutate();
  };
  return (
    <Form
      className="page-form"
      failure={byPassword.error ?? byProvider.error ?? passkeyFailure(byPasskey.error) ?? refusal}
      label="Log in"
      disabled={isPending}
      send={() => start(byPassword)}
      more={
        <>
          <Button disabled={isPending} onClick={() => start(byPasskey)}>
            Use a passkey
          </Button>
          {singleSignOn ? (
            <Button disabled={isPending} onClick={() => start(byProvider)}>
              Single sign-on
            </Button>
          ) : null}
        </>
      }
    >
      <Field label="E-mail" type="email" autoComplete="username webauthn" value={email} onValue={setEmail} />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
      />
    </Form>
  );
}
