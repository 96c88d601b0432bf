/** The HTTP request of a message, in the format of each kind of channel. E-mails are in `alert-text.ts`. */
import { linkOf, messageLines, messageTitle, subjectOf, wordOf } from './alert-text';
import type { OpenChannel } from './channel';
import type { AlertSeverity, ChannelKind } from './names';
import type { AlertMessage, AlertNotice } from './notice';

export interface AlertRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Kinds that are sent over HTTP. */
type HttpKind = Exclude<ChannelKind, 'email' | 'browser' | 'command'>;
export type HttpChannel = Extract<OpenChannel, { kind: HttpKind }>;

const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * The requests of a message, sent in order. PagerDuty takes one event per request; every other kind takes one request.
 * @param sign signs the body of a webhook
 */
export function requestsOf(
  channel: HttpChannel,
  message: AlertMessage,
  sign: (body: string, key: string) => Record<string, string>,
): AlertRequest[] {
  const post = (url: string, value: unknown, headers = {}): AlertRequest[] => [
    { url, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) },
  ];
  switch (channel.kind) {
    case 'webhook': {
      const body = JSON.stringify(webhookBody(message));
      return [
        { url: channel.config.url, headers: { ...JSON_TYPE, ...sign(body, channel.secret.key) }, body },
      ];
    }
    case 'slack':
      return post(channel.secret.url, slackBody(message));
    case 'discord':
      return post(channel.secret.url, discordBody(message));
    case 'teams':
      return post(channel.secret.url, teamsBody(message));
    case 'pagerduty':
      return pagerDutyEvents(message, channel.secret.routingKey).flatMap((event) =>
        post(channel.config.url, event),
      );
    case 'ntfy':
      return post(channel.config.url, ntfyBody(message, channel.config.topic), bearer(channel.secret.token));
    case 'alertmanager': {
      const url = `${channel.config.url.replace(/\/+$/, '')}/api/v2/alerts`;
      return post(url, alertmanagerBody(message), bearer(channel.secret.token));
    }
  }
}

const bearer = (token: string) => (token === '' ? {} : { Authorization: `Bearer ${token}` });

function webhookBody({ id, at, notices, base }: AlertMessage) {
  return {
    version: 1,
    id,
    at,
    alerts: notices.map((notice) => ({ ...notice, url: linkOf({ notices: [notice], base }) })),
  };
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
/** Cut to a number of bytes in UTF-8. */
function cutBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read === text.length ? text : `${text.slice(0, read)}…`;
}
const bodyText = (message: AlertMessage, most: number): string => cut(messageLines(message).join('\n'), most);

/** Slack reads `<…>`, `&` and mentions in text, so these characters are escaped. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function slackBody(message: AlertMessage) {
  const title = messageTitle(message);
  return {
    text: slackText(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, 150) } },
      { type: 'section', text: { type: 'mrkdwn', text: cut(slackText(bodyText(message, 2_500)), 3_000) } },
    ],
  };
}

const COLORS: Record<AlertSeverity, number> = { info: 0x00_5b_b5, warning: 0x83_64_12, critical: 0x86_12_10 };
const RANK: Record<AlertSeverity, number> = { info: 0, warning: 1, critical: 2 };

function severityOf({ notices }: AlertMessage): AlertSeverity {
  return notices.reduce<AlertSeverity>(
    (most, { severity }) => (RANK[severity] > RANK[most] ? severity : most),
    'info',
  );
}

function discordBody(message: AlertMessage) {
  return {
    // Titles of sessions must not notify people.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cut(messageTitle(message), 256),
        description: bodyText(message, 4_000),
        url: linkOf(message),
        color: COLORS[severityOf(message)],
        timestamp: message.at,
      },
    ],
  };
}

/** A workflow "When a Teams webhook request is received" takes Adaptive Cards. */
function teamsBody(message: AlertMessage) {
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(messageTitle(message), { weight: 'Bolder', size: 'Medium' }),
            ...messageLines(message)
              .slice(0, -1)
              .map((line) => block(cutBytes(line, 600))),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open Barograph', url: linkOf(message) }],
        },
      },
    ],
  };
}

/** Events API v2. The alert's id is the deduplication key, so a resolve ends the incident of its trigger. */
function pagerDutyEvents({ notices, base, at }: AlertMessage, routingKey: string) {
  return notices.map((notice) => ({
    routing_key: routingKey,
    event_action: notice.change === 'resolved' ? 'resolve' : 'trigger',
    dedup_key: notice.alert,
    client: 'Barograph',
    client_url: linkOf({ notices: [notice], base }),
    payload: {
      summary: cut(`${notice.rule.name}: ${subjectOf(notice)}. ${notice.text}`, 1_024),
      source: notice.runner,
      severity: notice.severity,
      timestamp: notice.change === 'repeated' ? at : notice.firedAt,
      component: notice.project,
      class: notice.condition,
      custom_details: { session: notice.session, rule: notice.rule.name },
    },
  }));
}

const PRIORITIES: Record<AlertSeverity, number> = { info: 3, warning: 4, critical: 5 };

/** A server of ntfy reads 8 192 bytes of JSON, and 4 096 of a message. */
function ntfyBody(message: AlertMessage, topic: string) {
  const isOver = message.notices.every(({ change }) => change === 'resolved');
  return {
    topic,
    title: cutBytes(messageTitle(message), 200),
    message: cutBytes(bodyText(message, 3_000), 3_000),
    priority: isOver ? 2 : PRIORITIES[severityOf(message)],
    click: linkOf(message),
  };
}

/** Alertmanager ends an alert without an `endsAt` after minutes, so a firing alert gets one a day later. */
const FIRING_LASTS_MS = 86_400_000;

function alertmanagerBody({ notices, base, at }: AlertMessage) {
  const label = (notice: AlertNotice) => ({
    alertname: notice.rule.name,
    alert: notice.alert,
    severity: notice.severity,
    condition: notice.condition,
    project: notice.project,
    runner: notice.runner,
    ...(notice.session && { session: notice.session.id }),
    ...(notice.session?.model && { model: notice.session.model }),
  });
  return notices.map((notice) => ({
    labels: label(notice),
    annotations: { summary: `${wordOf(notice)}: ${subjectOf(notice)}`, description: notice.text },
    startsAt: notice.firedAt,
    endsAt: notice.resolvedAt ?? new Date(Date.parse(at) + FIRING_LASTS_MS).toISOString(),
    generatorURL: linkOf({ notices: [notice], base }),
  }));
}
