import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  alertChannel,
  alertChannelList,
  alertList,
  alertRule,
  alertRuleList,
  deadLetterList,
  deliveryState,
} from '../../core/api/alerts';
import { auditList } from '../../core/api/audit';
import { checkDueAlerts, seedRules } from '../../db/alerts/check-due';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { startReceiver } from '../../db/testing/http-receiver';
import { startAlerts } from '../alerts/start-alerts';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const api = await startTestApi();
const { sql } = api.database;
const { ask } = api;
const logged: string[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
let isRefusing = true;
const receiver = await startReceiver((response) => {
  response.statusCode = isRefusing ? 400 : 200;
  response.end();
});
const alerts = await startAlerts({
  sql,
  log,
  idleAfterMs: 600_000,
  base: api.origin,
  allowPrivate: true,
  secrets: api.secrets,
  pollMs: 20,
  settleMs: 1,
  checkMs: 3_600_000,
});
afterAll(async () => {
  await alerts.close();
  await receiver.close();
  await api.close();
});
beforeAll(() => seedRules(sql));

const SECRET = 'a very secret key';
const webhook = (more: object = {}) => ({
  kind: 'webhook',
  name: 'On-call',
  config: { url: `${receiver.url}/path` },
  secret: { key: SECRET },
  ...more,
});
const rulesOf = async () => (await bodyOf(alertRuleList, ask('GET', '/alert-rules'))).rules;

describe('rules', () => {
  it('exist from the start, are off, and stay deleted', async () => {
    const rules = await rulesOf();
    expect(rules.length).toBeGreaterThanOrEqual(11);
    expect(rules.filter(({ definition }) => definition.enabled)).toEqual([]);
    const [first] = rules;
    expect((await ask('DELETE', `/alert-rules/${first?.id}`)).status).toBe(200);
    await seedRules(sql);
    expect((await rulesOf()).map(({ id }) => id)).not.toContain(first?.id);
  });

  it('refuse an outdated change, and invalid values by field', async () => {
    const [rule] = await rulesOf();
    if (!rule) throw new Error('no rule');
    const change = (version: number, definition: object) =>
      ask('PATCH', `/alert-rules/${rule.id}`, { version, definition: { ...rule.definition, ...definition } });
    const changed = await bodyOf(alertRule, change(rule.version, { enabled: true }));
    expect(changed).toMatchObject({ version: rule.version + 1, definition: { enabled: true } });
    expect(await errorOf(change(rule.version, {}))).toMatchObject({ status: 409, code: 'changed_meanwhile' });
    const quiet = { zone: 'Mars/Olympus', from: '22:00', to: '07:00' };
    expect(await errorOf(change(changed.version, { quiet }))).toMatchObject({
      status: 400,
      field: 'definition.quiet.zone',
    });
    const condition = { kind: 'pressure', atLeast: 0.8, clear: 0.9 };
    expect(await errorOf(change(changed.version, { condition }))).toMatchObject({
      field: 'definition.condition.clear',
    });
    await change(changed.version, { enabled: false });
  });
});

describe('channels', () => {
  it('never show their secrets, in answers, logs and the audit log', async () => {
    const channel = await bodyOf(alertChannel, ask('POST', '/alert-channels', webhook()));
    expect(channel).toMatchObject({ secrets: ['key'], config: { url: `${receiver.url}/path` } });
    const slack = { kind: 'slack', name: 'Chat', config: {}, secret: { url: `${receiver.url}/${SECRET}` } };
    const chat = await bodyOf(alertChannel, ask('POST', '/alert-channels', slack));
    for (const { id } of [channel, chat]) {
      const tested = await bodyOf(deliveryState, ask('POST', `/alert-channels/${id}/test`));
      expect(tested).toMatchObject({ state: 'dead', error: 'The receiver answered status 400.' });
    }
    const answers = await Promise.all(
      ['/alert-channels', '/alert-rules', '/alert-deliveries', '/alerts', '/audit'].map(async (path) =>
        (await ask('GET', path)).text(),
      ),
    );
    const everything = [...answers, ...logged, JSON.stringify([channel, chat])].join('\n');
    expect(everything).toContain('a message was not delivered');
    expect(everything).not.toContain(SECRET);
    expect(everything).not.toContain(encodeURIComponent(SECRET));
    const stored = await sql`select secret from alert_channels`;
    expect(JSON.stringify(stored), 'in the database').not.toContain(SECRET);
    const { entries } = await bodyOf(auditList, ask('GET', '/audit?action=alerts_changed'));
    expect(entries[0]).toMatchObject({ actor: 'a admin', detail: { channel: 'Chat', kind: 'slack' } });
  });

  it('keep the stored secret when a change leaves it out, and lose it when deleted', async () => {
    const channel = await bodyOf(alertChannel, ask('POST', '/alert-channels', webhook({ name: 'Second' })));
    const { secret: _secret, ...rest } = webhook({ name: 'Renamed' });
    const changed = await bodyOf(alertChannel, ask('PATCH', `/alert-channels/${channel.id}`, rest));
    expect(changed).toMatchObject({ name: 'Renamed', secrets: ['key'] });
    expect((await ask('DELETE', `/alert-channels/${channel.id}`)).status).toBe(200);
    const [row] = await sql`select secret, config from alert_channels where id = ${channel.id}`;
    expect(row).toEqual({ secret: {}, config: {} });
    const { channels } = await bodyOf(alertChannelList, ask('GET', '/alert-channels'));
    expect(channels.map(({ id }) => id)).not.toContain(channel.id);
  });

  it('refuse an address with a password, and other schemes', async () => {
    for (const url of ['https://user:pass@example.com/', 'file:///etc/passwd', 'ftp://example.com']) {
      const refused = await errorOf(ask('POST', '/alert-channels', webhook({ config: { url } })));
      expect(refused).toMatchObject({ status: 400, field: 'config.url' });
    }
  });

  it('need a token of scope admin to change', async () => {
    expect((await ask('POST', '/alert-channels', webhook(), api.bearer('read'))).status).toBe(403);
    expect((await ask('GET', '/alert-channels', undefined, api.bearer('ingest'))).status).toBe(403);
    expect((await ask('POST', '/alert-channels', webhook(), api.ownPage())).status).toBe(201);
  });
});

it('a dead letter is sent again by hand', async () => {
  const { deliveries } = await bodyOf(deadLetterList, ask('GET', '/alert-deliveries'));
  const [letter] = deliveries;
  expect(letter).toMatchObject({ error: 'The receiver answered status 400.', attempts: 1, alerts: 1 });
  isRefusing = false;
  const retried = await bodyOf(deliveryState, ask('POST', `/alert-deliveries/${letter?.id}/retry`));
  expect(retried).toMatchObject({ state: 'sent', error: null });
  expect((await ask('POST', `/alert-deliveries/${letter?.id}/retry`)).status).toBe(404);
});

it('an alert is listed, acknowledged, muted and resolved', async () => {
  const [rule] = (await rulesOf()).filter(({ definition }) => definition.condition.kind === 'over_limit');
  if (!rule) throw new Error('no rule');
  const definition = { ...rule.definition, enabled: true };
  await ask('PATCH', `/alert-rules/${rule.id}`, { version: rule.version, definition });
  const feed = await createTestFeed(sql);
  await feed.tell(
    { type: 'session_start', session: 'one', title: 'One', lens: 'snapshot', limit: 200_000 },
    testTurn('one', 250_000, {}),
  );
  const open = () => bodyOf(alertList, ask('GET', '/alerts?phase=open'));
  const { alerts: firing, total } = await open();
  expect(total).toBe(1);
  expect(firing[0]).toMatchObject({ phase: 'firing', session: { title: 'One' }, acknowledgedAt: null });
  const [first] = firing;
  expect((await ask('POST', `/alerts/${first?.id}/acknowledge`)).status).toBe(200);
  expect((await ask('POST', `/sessions/${first?.session?.id}/mute`, { minutes: 60 })).status).toBe(200);
  expect((await open()).alerts[0]).toMatchObject({
    acknowledgedBy: 'a admin',
    mutedUntil: expect.stringMatching(/Z$/),
  });
  const change = async (more: object) => {
    const { version } = (await rulesOf()).find(({ id }) => id === rule.id) ?? { version: 0 };
    await ask('PATCH', `/alert-rules/${rule.id}`, { version, definition: { ...definition, ...more } });
  };
  const browser = { kind: 'browser', name: 'Tab', enabled: true, config: {}, secret: {} };
  const { id: tab } = await bodyOf(alertChannel, ask('POST', '/alert-channels', browser));
  await change({ channels: [tab] });
  expect((await open()).alerts[0]?.pulledBy).toEqual(['browser']);
  const quiet = { zone: 'UTC', from: '00:00', to: '00:00' };
  await change({ channels: [tab], quiet });
  expect((await open()).alerts[0]?.pulledBy, 'no notification in quiet hours').toEqual([]);
  await change({ enabled: false });
  await checkDueAlerts(sql, Date.now(), 600_000);
  expect((await open()).total).toBe(0);
  const { alerts: past } = await bodyOf(alertList, ask('GET', `/alerts?session=${first?.session?.id}`));
  expect(past).toMatchObject([{ id: first?.id, phase: 'resolved', resolvedBy: 'rule' }]);
});

it('open alerts are listed by severity, then by time, also over pages', async () => {
  const feed = await createTestFeed(sql, { project: 'severe' });
  for (const [severity, title] of Object.entries({ warning: 'a', critical: 'b', info: 'c' })) {
    const scope = { title: [title] };
    const rule = { name: severity, enabled: true, severity, condition: { kind: 'over_limit' }, scope };
    expect((await ask('POST', '/alert-rules', rule)).status).toBe(201);
    await feed.tell(
      { type: 'session_start', session: title, title, lens: 'snapshot', limit: 200_000 },
      testTurn(title, 250_000, {}),
    );
  }
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/alerts?phase=open&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { alerts, nextCursor } = await bodyOf(alertList, ask('GET', path));
    found.push(...alerts.map(({ rule }) => rule.name));
    cursor = nextCursor;
  }
  expect(found).toEqual(['critical', 'warning', 'info']);
});
