'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CHANNEL_LABELS } from '@/core/alerts/names';
import type { AlertChannel } from '@/core/api/alerts';
import { notify } from '../../alerts/browser-notices';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { useMay } from '../../preferences/viewer';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { DataTable } from '../../ui/data-table';
import { Notice } from '../../ui/form-parts';
import { lazyPart } from '../../ui/lazy-part';
import { targetOf } from './channel-form';

const ChannelDialog = lazyPart(() => import('./channel-dialog'));

interface ChannelsTableProps {
  channels: readonly AlertChannel[];
  refresh: () => void;
}

export function ChannelsTable({ channels, refresh }: ChannelsTableProps) {
  const [edited, setEdited] = useState<AlertChannel | 'new' | null>(null);
  const canEdit = useMay()('admin', null);
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: sendTest,
    onSettled: refresh,
  });
  return (
    <>
      <Notice failure={error} />
      <p role="status" className={data === undefined ? 'sr-only' : 'pb-[8px]'}>
        {data}
      </p>
      {channels.length === 0 ? (
        <p className="py-[8px] text-ink2">No channels yet. Alerts show on these pages only.</p>
      ) : (
        <DataTable
          label="Channels"
          rows={channels}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'channel',
              wide: true,
              cell: ({ name, enabled }) => (
                <span className={enabled ? 'font-medium' : 'text-ink2'}>
                  {name}
                  {enabled ? '' : ' (off)'}
                </span>
              ),
            },
            { head: 'kind', cell: ({ kind }) => CHANNEL_LABELS[kind] },
            {
              head: 'receiver',
              wide: true,
              cell: (channel) => <span className="text-ink2">{targetOf(channel)}</span>,
            },
            {
              head: 'last message',
              wide: true,
              cell: ({ last, dead }) => (
                <span title={last?.error ?? undefined}>
                  {last === null ? (
                    <span className="text-ink2">no message yet</span>
                  ) : (
                    <>
                      {last.state === 'sent' ? 'sent' : last.state === 'dead' ? 'dropped' : 'retrying'}{' '}
                      <Ago at={last.at} /> ago
                    </>
                  )}
                  {dead === 0 ? null : <span className="text-ink2"> · {dead} dead</span>}
                </span>
              ),
            },
            {
              head: <span className="sr-only">Actions</span>,
              right: true,
              cell: (channel) =>
                canEdit ? (
                  <span className="inline-flex gap-[6px]">
                    <Button
                      disabled={isPending && variables?.id === channel.id}
                      aria-label={`Send a test to ${channel.name}`}
                      onClick={() => mutate(channel)}
                    >
                      {isPending && variables?.id === channel.id ? 'Sending' : 'Send a test'}
                    </Button>
                    <Button aria-label={`Edit ${channel.name}`} onClick={() => setEdited(channel)}>
                      Edit
                    </Button>
                  </span>
                ) : null,
            },
          ]}
        />
      )}
      {canEdit ? (
        <Button className="mt-[14px]" onClick={() => setEdited('new')}>
          New channel
        </Button>
      ) : null}
      {edited === null ? null : (
        <ChannelDialog
          channel={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => {
            setEdited(null);
            refresh();
          }}
        />
      )}
    </>
  );
}

/** @returns the outcome in words */
async function sendTest({ id, kind, name }: AlertChannel): Promise<string> {
  if (kind === 'command') return 'On the runner, run: npx barograph alerts --test --run COMMAND';
  if (kind === 'browser') {
    if (!('Notification' in window)) throw new ApiError(0, '', '', 'this browser has no notifications');
    if ((await Notification.requestPermission()) !== 'granted') {
      return 'This browser blocks notifications from this page.';
    }
    notify('Test message', 'This channel works.', 'test', '/alerts');
    return 'Sent to this browser.';
  }
  const path = `/api/v1/alert-channels/${id}/test`;
  const { state, error } = await fetchJson<{ state: string; error: string | null }>(path, { method: 'POST' });
  if (state === 'sent') return `${name} accepted the test message.`;
  return `${name}: ${error ?? 'no answer yet; retrying automatically.'}`;
}
