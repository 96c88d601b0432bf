'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CHANNEL_KIND_NAMES, CHANNEL_LABELS, type ChannelKind } from '@/core/alerts/names';
import type { AlertChannel } from '@/core/api/alerts';
import { fetchJson } from '../../data/fetch-json';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, Form, SelectField } from '../../ui/form-parts';
import { CHANNEL_FIELDS, channelParts, type FieldTexts, fieldTexts } from './channel-form';
import { NumberField } from './number-field';

interface ChannelDialogProps {
  /** Null: a new channel. */
  channel: AlertChannel | null;
  onClose: () => void;
  onSaved: () => void;
}

export default function ChannelDialog({ channel, onClose, onSaved }: ChannelDialogProps) {
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? 'webhook');
  const [name, setName] = useState(channel?.name ?? CHANNEL_LABELS[kind]);
  const [texts, setTexts] = useState<FieldTexts>(() => fieldTexts(kind, channel));
  const [flags, setFlags] = useState({ enabled: channel?.enabled ?? true, titles: channel?.titles ?? true });
  const [perMinute, setPerMinute] = useState(channel?.perMinute ?? 20);
  const [isTouched, setIsTouched] = useState(false);
  const path = channel === null ? '/api/v1/alert-channels' : `/api/v1/alert-channels/${channel.id}`;
  const { mutate, error, isPending } = useMutation({
    mutationFn: (action: 'save' | 'delete') =>
      action === 'delete'
        ? fetchJson<unknown>(path, { method: 'DELETE' })
        : fetchJson<unknown>(path, {
            method: channel === null ? 'POST' : 'PATCH',
            body: { kind, name, ...flags, perMinute, ...channelParts(kind, texts, channel === null) },
          }),
    onSuccess: onSaved,
  });
  const isPulled = kind === 'browser' || kind === 'command';
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={isTouched ? 'The channel is not saved.' : null}
      title={channel === null ? 'New channel' : channel.name}
      className="top-[8vh] w-[560px]"
    >
      <Form
        onChange={() => setIsTouched(true)}
        failure={error}
        label={isPending ? 'Saving' : 'Save'}
        disabled={isPending}
        send={() => mutate('save')}
        more={
          channel === null ? null : (
            <Button disabled={isPending} onClick={() => mutate('delete')}>
              Delete channel
            </Button>
          )
        }
      >
        {channel === null ? (
          <SelectField
            label="Kind"
            value={kind}
            options={CHANNEL_KIND_NAMES.map((value) => [value, CHANNEL_LABELS[value]])}
            change={(value) => {
              const next = CHANNEL_KIND_NAMES.find((known) => known === value) ?? 'webhook';
              if (name === CHANNEL_LABELS[kind]) setName(CHANNEL_LABELS[next]);
              setKind(next);
              setTexts(fieldTexts(next, null));
            }}
          />
        ) : null}
        <Field label="Name" maxLength={100} value={name} onValue={setName} />
        {CHANNEL_FIELDS[kind].map(({ part, name: field, label, placeholder = '', options }) => {
          const key = `${part}.${field}`;
          const value = texts[key] ?? '';
          const change = (text: string) => setTexts({ ...texts, [key]: text });
          const isStored = part === 'secret' && channel?.secrets.includes(field) === true;
          return options ? (
            <SelectField key={key} label={label} value={value} options={options} change={change} />
          ) : (
            <Field
              key={key}
              label={label}
              spellCheck={false}
              type={part === 'secret' ? 'password' : 'text'}
              placeholder={isStored ? 'stored; type to replace' : placeholder}
              value={value}
              onValue={change}
            />
          );
        })}
        {kind === 'browser' ? <p>“Send a test” asks for permission. Open tabs then show alerts.</p> : null}
        {kind === 'command' ? (
          <p>
            Run <code className="font-mono">barograph alerts --run COMMAND</code> on a runner’s machine. The
            server never sends the command.
          </p>
        ) : null}
        {isPulled ? null : (
          <NumberField label="Messages per minute before grouping" value={perMinute} change={setPerMinute} />
        )}
        <div className="flex flex-wrap gap-x-[20px]">
          {(['enabled', 'titles'] as const).map((flag) => (
            <label key={flag} className="inline-flex! items-center gap-[6px] text-ink!">
              <input
                type="checkbox"
                checked={flags[flag]}
                onChange={({ target }) => setFlags({ ...flags, [flag]: target.checked })}
              />
              {flag === 'enabled' ? 'On' : 'Send titles and branches'}
            </label>
          ))}
        </div>
      </Form>
    </Dialog>
  );
}
