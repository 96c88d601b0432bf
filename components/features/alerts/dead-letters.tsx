'use client';
import { useMutation } from '@tanstack/react-query';
import type { DeadLetter } from '@/core/api/alerts';
import { fetchJson } from '../../data/fetch-json';
import { useMay } from '../../preferences/viewer';
import { When } from '../../ui/ago';
import { Button } from '../../ui/button';
import { DataTable } from '../../ui/data-table';
import { Notice } from '../../ui/form-parts';

interface DeadLettersProps {
  letters: readonly DeadLetter[];
  total: number;
  refresh: () => void;
}

export function DeadLetters({ letters, total, refresh }: DeadLettersProps) {
  const canRetry = useMay()('admin', null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (id: string) =>
      fetchJson<unknown>(`/api/v1/alert-deliveries/${id}/retry`, { method: 'POST' }),
    onSettled: refresh,
  });
  if (letters.length === 0) return <p className="py-[8px] text-ink2">No dead letters.</p>;
  return (
    <>
      <Notice failure={error} />
      <DataTable
        label="Dead letters"
        rows={letters}
        total={total}
        first={10}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'channel',
            wide: true,
            cell: ({ channel }) => <span className="font-medium">{channel.name}</span>,
          },
          {
            head: 'message',
            wide: true,
            cell: ({ text, alerts }) => (alerts > 1 ? `${text} and ${alerts - 1} more` : text),
          },
          { head: 'reason', wide: true, cell: ({ error: reason }) => reason ?? '–' },
          { head: 'attempts', num: true, cell: ({ attempts }) => attempts },
          { head: 'formed', cell: ({ createdAt }) => <When at={createdAt} /> },
          {
            head: <span className="sr-only">Retry</span>,
            right: true,
            cell: ({ id, channel }) =>
              canRetry && (
                <Button
                  disabled={isPending}
                  aria-label={`Retry to ${channel.name}`}
                  onClick={() => mutate(id)}
                >
                  Retry
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
