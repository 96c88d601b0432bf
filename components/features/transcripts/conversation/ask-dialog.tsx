'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog';
import { Field, Form } from '../../../ui/form-parts';

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
      <Form failure={error?.message ?? null} label={name} disabled={isPending} send={mutate}>
        <Field
          label={needsReason ? 'Reason' : 'Reason (optional)'}
          value={reason}
          maxLength={500}
          onValue={setReason}
        />
      </Form>
    </Dialog>
  );
}
