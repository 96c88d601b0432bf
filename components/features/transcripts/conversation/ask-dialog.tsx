'use client';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';

interface AskDialogProps {
  title: string;
  children: React.ReactNode;
  needsReason?: boolean;
  name: string;
  act: (reason: string) => Promise<void>;
  close: () => void;
}

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
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (needsReason && reason.trim() === '') throw new Error('Reason required');
      await act(reason.trim());
    },
    onSuccess: close,
  });
  return (
    <Dialog open onClose={close} title={title} description={children}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <div>
          <label htmlFor={id}>Reason{needsReason ? '' : ' (optional)'}</label>
          <input
            id={id}
            className="field w-full"
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={({ target }) => setReason(target.value)}
          />
          <p role="alert" className="wrong">
            {error?.message}
          </p>
        </div>
        <div className="actions">
          <Button type="submit" className="primary ml-auto" disabled={isPending}>
            {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
