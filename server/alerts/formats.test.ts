import { describe, expect, test } from 'vitest';
import type { AlertMessage, AlertNotice } from '../../core/alerts/notice';
import { type HttpChannel, requestsOf } from '../../core/alerts/requests';

const notice = (more: Partial<AlertNotice> = {}): AlertNotice => ({
  alert: '6f1c0d3e-0000-4000-8000-000000000001',
  change: 'fired',
  severity: 'warning',
  rule: { id: '6f1c0d3e-0000-4000-8000-000000000002', name: 'Pressure above 85 %' },
  condition: 'pressure',
  text: 'Pressure 86 %, 172 k of 200 k tokens.',
  firedAt: '2026-11-21T12:00:00.000Z',
  resolvedAt: null,
  resolvedBy: null,
  project: 'shop',
  runner: 'desk',
  session: {
    id: '6f1c0d3e-0000-4000-8000-000000000003',
    title: 'Fix <payments> @everyone',
    model: 'model-x',
    branch: 'main',
    pressure: 0.86,
    used: 172_000,
    limit: 200_000,
  },
  ...more,
});
const over = { change: 'resolved', resolvedAt: '2026-11-21T12:05:00.000Z', resolvedBy: 'cleared' } as const;

const message = (...notices: AlertNotice[]): AlertMessage => ({
  id: '6f1c0d3e-0000-4000-8000-00000000000f',
  at: '2026-11-21T12:00:01.000Z',
  notices,
  base: 'http://127.0.0.1:4680',
});
const send = (channel: HttpChannel, given: AlertMessage) =>
  requestsOf(channel, given, () => ({ 'Barograph-Signature': 'signed' })).map(({ url, headers, body }) => ({
    url,
    headers,
    body: JSON.parse(body),
  }));

const LINK = 'http://127.0.0.1:4680/sessions/6f1c0d3e-0000-4000-8000-000000000003';
const hidden = { secret: { url: 'https://chat.example/secret' }, config: {} };

describe('a message', () => {
  test('to a webhook has the documented JSON and a signature', () => {
    const channel: HttpChannel = { kind: 'webhook', config: { url: 'https://a.b/' }, secret: { key: 'k' } };
    const [request] = send(channel, message(notice()));
    expect(request?.headers).toEqual({ 'Content-Type': 'application/json', 'Barograph-Signature': 'signed' });
    expect(request?.body).toEqual({
      version: 1,
      id: '6f1c0d3e-0000-4000-8000-00000000000f',
      at: '2026-11-21T12:00:01.000Z',
      alerts: [{ ...notice(), url: LINK }],
    });
  });

  test('to Slack escapes markup', () => {
    const [request] = send({ kind: 'slack', ...hidden }, message(notice()));
    expect(request?.body.blocks[1].text.text).toContain(
      'Fix &lt;payments&gt; @everyone · shop · Pressure 86 %',
    );
  });

  test('to Discord mentions no one', () => {
    const [request] = send({ kind: 'discord', ...hidden }, message(notice()));
    expect(request?.body).toMatchObject({
      allowed_mentions: { parse: [] },
      embeds: [{ title: 'Firing: Pressure above 85 %', url: LINK }],
    });
  });

  test('to Teams is an Adaptive Card', () => {
    const [request] = send({ kind: 'teams', ...hidden }, message(notice()));
    expect(request?.body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', actions: [{ type: 'Action.OpenUrl', url: LINK }] },
        },
      ],
    });
  });

  test('to PagerDuty triggers and resolves one incident per alert', () => {
    const channel: HttpChannel = {
      kind: 'pagerduty',
      config: { url: 'https://events.pagerduty.com/v2/enqueue' },
      secret: { routingKey: 'r' },
    };
    const requests = send(channel, message(notice(), notice(over)));
    expect(requests.map(({ body }) => [body.event_action, body.dedup_key, body.payload.severity])).toEqual([
      ['trigger', notice().alert, 'warning'],
      ['resolve', notice().alert, 'warning'],
    ]);
  });

  test('to ntfy has a topic, a priority and a link', () => {
    const channel: HttpChannel = {
      kind: 'ntfy',
      config: { url: 'https://ntfy.sh', topic: 't' },
      secret: { token: 'tk' },
    };
    const [request] = send(channel, message(notice()));
    expect(request?.headers).toMatchObject({ Authorization: 'Bearer tk' });
    expect(request?.body).toMatchObject({ topic: 't', priority: 4, click: LINK });
    expect(send(channel, message(notice(over)))[0]?.body.priority).toBe(2);
  });

  test('fits the receiver in bytes, and splits no character', () => {
    const session = { ...notice().session, title: '港🚢"'.repeat(250) } as AlertNotice['session'];
    const storm = message(...Array.from({ length: 30 }, () => notice({ session })));
    const size = (channel: HttpChannel) => {
      const body = requestsOf(channel, storm, () => ({}))[0]?.body ?? '';
      expect(body).not.toMatch(/\\u(?:d[89a-f])/);
      return Buffer.byteLength(body);
    };
    const topic = { config: { url: 'https://ntfy.sh', topic: 't' }, secret: { token: '' } };
    // ntfy reads 8 192 bytes of JSON, and a message of 4 096. A card of Teams has at most 28 KB in UTF-16.
    expect(size({ kind: 'ntfy', ...topic })).toBeLessThan(8_192);
    expect(Buffer.byteLength(send({ kind: 'ntfy', ...topic }, storm)[0]?.body.message)).toBeLessThan(4_096);
    expect(JSON.stringify(send({ kind: 'teams', ...hidden }, storm)[0]?.body).length * 2).toBeLessThan(
      28_000,
    );
    expect(size({ kind: 'discord', ...hidden })).toBeGreaterThan(0);
  });

  test('of a storm shows twenty alerts and their number', () => {
    const storm = message(...Array.from({ length: 1_000 }, () => notice()));
    const [request] = send({ kind: 'discord', ...hidden }, storm);
    expect(request?.body.embeds[0].title).toBe('Barograph: 1000 firing');
    expect(request?.body.embeds[0].description).toContain('and 980 more');
  });
});
