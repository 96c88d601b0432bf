/** Names that pages show. Without zod, which a page must not load. */

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof SEVERITIES)[number];

export const CHANNEL_LABELS = {
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  ntfy: 'ntfy',
  email: 'E-mail',
  alertmanager: 'Alertmanager',
  browser: 'Browser',
  command: 'Command on a runner',
} as const;
export type ChannelKind = keyof typeof CHANNEL_LABELS;
export const CHANNEL_KIND_NAMES = Object.keys(CHANNEL_LABELS) as [ChannelKind, ...ChannelKind[]];

/** Channels whose receivers read the feed of alerts, so the server sends nothing. */
export const PULLED_KINDS: readonly ChannelKind[] = ['browser', 'command'];
