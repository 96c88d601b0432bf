'use client';
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../../../ui/dialog';

interface AskDialogProps {
  title: string;
  children: React.ReactNode;
  needsReason?: boolean;
  name: string;
  act: (reason: string) => Promise<void>;
  close: () => void;
}

/** Confirmation of an audited action, with its reason. */
export default function AskDialog({
  title,
  children,
  needsReason = false,
  name,
  act,
  close,
}: AskDialogProps) {
  const id = useId();
  const [reason, setReason] = useState('');
  const [pending, setPending] = useState(false);
  const [fault, setFault] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const words = reason.trim();
    if (needsReason && words === '') return setFault('Reason required');
    setPending(true);
    act(words)
      .then(close, (error: Error) => setFault(error.message))
      .finally(() => setPending(false));
  };
  return (
    <Dialog open onClose={close} title={title} description={children}>
      <form className="form" noValidate onSubmit={submit}>
        <div>
          <label htmlFor={id}>Reason{needsReason ? '' : ' (optional)'}</label>
          <input
            id={id}
            className="field w-full"
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.target.value)}
          />
          <p role="alert" className="wrong">
            {fault}
          </p>
        </div>
        <div className="actions">
          <button type="submit" className="button primary ml-auto" disabled={pending}>
            {name}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
