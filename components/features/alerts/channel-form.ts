/** Fields of the channel editor by kind, and the words for a channel. */
import type { ChannelKind } from '@/core/alerts/names';
import type { AlertChannel } from '@/core/api/alerts';

export interface ChannelField {
  part: 'config' | 'secret';
  name: string;
  label: string;
  placeholder?: string;
  /** Values of a menu. */
  options?: readonly (readonly [value: string, label: string])[];
  type?: 'number' | 'list';
}

const url = (label: string, placeholder: string): ChannelField => ({
  part: 'config',
  name: 'url',
  label,
  placeholder,
});
const hidden = (name: string, label: string, placeholder = ''): ChannelField => ({
  part: 'secret',
  name,
  label,
  placeholder,
});

export const CHANNEL_FIELDS: Readonly<Record<ChannelKind, readonly ChannelField[]>> = {
  webhook: [url('URL', 'https://example.com/hook'), hidden('key', 'Signature key', 'at least 16 characters')],
  slack: [hidden('url', 'Webhook URL', 'https://hooks.slack.com/services/…')],
  discord: [hidden('url', 'Webhook URL', 'https://discord.com/api/webhooks/…')],
  teams: [hidden('url', 'Workflow URL', 'https://….logic.azure.com/…')],
  pagerduty: [
    url('URL', 'https://events.pagerduty.com/v2/enqueue'),
    hidden('routingKey', 'Integration key', '32 characters'),
  ],
  ntfy: [
    url('Server', 'https://ntfy.sh'),
    { part: 'config', name: 'topic', label: 'Topic' },
    hidden('token', 'Access token', 'none'),
  ],
  email: [
    { part: 'config', name: 'host', label: 'SMTP server', placeholder: 'smtp.example.com' },
    { part: 'config', name: 'port', label: 'Port', type: 'number', placeholder: '587' },
    {
      part: 'config',
      name: 'security',
      label: 'Encryption',
      options: [
        ['starttls', 'STARTTLS'],
        ['tls', 'TLS'],
        ['none', 'none'],
      ],
    },
    { part: 'config', name: 'user', label: 'User name', placeholder: 'none' },
    hidden('password', 'Password', 'none'),
    { part: 'config', name: 'from', label: 'From', placeholder: 'barograph@example.com' },
    { part: 'config', name: 'to', label: 'To', placeholder: 'ops@example.com, …', type: 'list' },
  ],
  alertmanager: [url('URL', 'http://alertmanager:9093'), hidden('token', 'Bearer token', 'none')],
  browser: [],
  command: [],
};

/** What the table shows of the receiver. */
export function targetOf({ kind, config, secrets }: AlertChannel): string {
  if (kind === 'email') return (config.to as string[]).join(', ');
  if (kind === 'ntfy') return `${config.url}/${config.topic}`;
  if (kind === 'browser') return 'open tabs that allow notifications';
  if (kind === 'command') return 'runners that run barograph alerts';
  if (typeof config.url === 'string') return config.url;
  return secrets.includes('url') ? 'address stored' : '–';
}

export type FieldTexts = Record<string, string>;

/** Texts of the form. Secrets are never read back, so their fields are empty. */
export function fieldTexts(kind: ChannelKind, channel: AlertChannel | null): FieldTexts {
  return Object.fromEntries(
    CHANNEL_FIELDS[kind].map(({ part, name, options }) => {
      const value = part === 'config' ? channel?.config[name] : undefined;
      const text = Array.isArray(value) ? value.join(', ') : String(value ?? options?.[0]?.[0] ?? '');
      return [`${part}.${name}`, text];
    }),
  );
}

/** The parts of a request. Empty fields are left out, so that their defaults apply; an empty secret stays as stored. */
export function channelParts(kind: ChannelKind, texts: FieldTexts, isNew: boolean) {
  const parts: Record<'config' | 'secret', Record<string, unknown>> = { config: {}, secret: {} };
  for (const { part, name, type } of CHANNEL_FIELDS[kind]) {
    const text = (texts[`${part}.${name}`] ?? '').trim();
    if (text === '') continue;
    if (type === 'number') parts[part][name] = Number(text);
    else if (type === 'list') parts[part][name] = text.split(',').map((value) => value.trim());
    else parts[part][name] = text;
  }
  const { config, secret } = parts;
  return isNew || Object.keys(secret).length > 0 ? { config, secret } : { config };
}
