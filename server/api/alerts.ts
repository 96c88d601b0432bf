/** Alerts, their rules, channels and messages. Answers never contain a channel's secret. */
import { setTimeout as wait } from 'node:timers/promises';
import type postgres from 'postgres';
import * as z from 'zod';
import { ruleDefinition } from '../../core/alerts/rule';
import {
  alert,
  alertChannel,
  alertChannelList,
  alertList,
  alertRule,
  alertRuleList,
  type ChannelDefinition,
  channelDefinition,
  deadLetterList,
  deletedId,
  deliveryState,
  listAlertsParameters,
  muteChange,
  mutedSession,
  ruleChange,
  rulePreview,
} from '../../core/api/alerts';
import {
  deleteChannel,
  deleteRule,
  listChannels,
  listRules,
  saveChannel,
  saveRule,
} from '../../db/queries/alerts/change-rules';
import {
  addTestMessage,
  type DeliveryState,
  listDeadLetters,
  readDelivery,
  retryDelivery,
} from '../../db/queries/alerts/dead-letters';
import { acknowledgeAlert, listAlerts, muteSession } from '../../db/queries/alerts/list-alerts';
import { previewRule } from '../../db/queries/alerts/preview-rule';
import { transact } from '../../db/transact';
import type { SecretBox } from '../alerts/secret-box';
import { addRoute, sessionParams } from './add-route';
import { ApiError, createApi, named, notFound, requireSession } from './api';

const id = (what: string) => z.object({ id: z.uuid('must be an id').describe(`Id of ${what}`) });
const ofAlert = id('an alert');
const ofRule = id('a rule');
const ofChannel = id('a channel');
const ofDelivery = id('a message');
const oneRule = named('AlertRule', alertRule);
const oneChannel = named('AlertChannel', alertChannel);
const oneDelivery = named('AlertDelivery', deliveryState);
const READS = ['read', 'admin'] as const;
const reads = { rights: [...READS] };
const noSuch = (what: string) => notFound('id', `there is no ${what} with this id`);
const done = named('AcknowledgedAlert', z.object({ acknowledged: alert.shape.id }));

export const alertsApi = createApi();

addRoute(alertsApi, 'GET /alerts', {
  operationId: 'listAlerts',
  summary: 'Open alerts, the most severe first, or the history, the newest first',
  ...reads,
  query: listAlertsParameters,
  shape: named('AlertList', alertList),
  answer: async (c, { query }) => listAlerts(c.var.sql, query),
});

addRoute(alertsApi, 'POST /alerts/{id}/acknowledge', {
  rights: ['operate'],
  operationId: 'acknowledgeAlert',
  summary: 'Acknowledge an open alert, which ends its repeats',
  shape: done,
  params: ofAlert,
  answer: async (c, { params }) => {
    if (!(await acknowledgeAlert(c.var.sql, params.id, c.var.actor))) throw noSuch('open alert');
    return { acknowledged: params.id };
  },
});

addRoute(alertsApi, 'POST /sessions/{id}/mute', {
  rights: ['operate'],
  operationId: 'muteSession',
  summary: 'Send no messages about a session for some minutes; its alerts still show',
  body: named('MuteChange', muteChange),
  shape: named('MutedSession', mutedSession),
  params: sessionParams,
  answer: async (c, { params, body }) => {
    const session = await requireSession(c, params.id);
    const until = body.minutes === 0 ? null : new Date(Date.now() + body.minutes * 60_000);
    await transact(c.var.sql, (tx) => muteSession(tx, session, until));
    return { session: session.publicId, mutedUntil: until?.toISOString() ?? null };
  },
});

addRoute(alertsApi, 'GET /alert-rules', {
  operationId: 'listAlertRules',
  summary: 'Rules of alerts, the oldest first',
  ...reads,
  shape: named('AlertRuleList', alertRuleList),
  answer: async (c) => ({ rules: await listRules(c.var.sql) }),
});

addRoute(alertsApi, 'POST /alert-rules', {
  ofServer: true,
  operationId: 'addAlertRule',
  summary: 'Add a rule',
  body: named('AlertRuleDefinition', ruleDefinition),
  status: 201,
  shape: oneRule,
  answer: async (c, { body }) => stored(await saveRule(c.var.sql, body, null, c.var.actor)),
});

addRoute(alertsApi, 'PATCH /alert-rules/{id}', {
  ofServer: true,
  operationId: 'changeAlertRule',
  summary: 'Replace a rule. Turning it off ends its alerts',
  body: named('AlertRuleChange', ruleChange),
  shape: oneRule,
  params: ofRule,
  answer: async (c, { params, body: { version, definition } }) =>
    stored(await saveRule(c.var.sql, definition, { id: params.id, version }, c.var.actor)),
});

function stored(result: Awaited<ReturnType<typeof saveRule>>) {
  if (result.type === 'stored') return result.rule;
  if (result.type === 'unknown') throw noSuch('rule');
  throw new ApiError(
    409,
    'changed_meanwhile',
    'version',
    'this rule changed since it was read: read it again',
  );
}

addRoute(alertsApi, 'DELETE /alert-rules/{id}', {
  ofServer: true,
  operationId: 'deleteAlertRule',
  summary: 'Delete a rule and end its alerts',
  shape: named('DeletedAlertRule', deletedId),
  params: ofRule,
  answer: async (c, { params }) => {
    if (!(await deleteRule(c.var.sql, params.id, c.var.actor))) throw noSuch('rule');
    return { deleted: params.id };
  },
});

addRoute(alertsApi, 'POST /alert-rules/preview', {
  ofServer: true,
  operationId: 'previewAlertRule',
  summary: 'When a rule would have fired in the last seven days. Nothing is stored or sent',
  body: named('AlertRulePreviewed', ruleDefinition),
  shape: named('AlertRulePreview', rulePreview),
  answer: async (c, { body }) => previewRule(c.var.sql, body, c.var.clock.nowMs),
});

/** The definition with sealed secrets, for the database. */
function sealed(secrets: SecretBox, definition: ChannelDefinition): ChannelDefinition {
  if (definition.secret === undefined) return definition;
  const secret = secrets.seal(definition.secret);
  return { ...definition, secret: secret as ChannelDefinition['secret'] };
}

addRoute(alertsApi, 'GET /alert-channels', {
  operationId: 'listAlertChannels',
  summary: 'Channels without their secrets, the oldest first',
  ...reads,
  shape: named('AlertChannelList', alertChannelList),
  answer: async (c) => ({ channels: await listChannels(c.var.sql) }),
});

addRoute(alertsApi, 'POST /alert-channels', {
  ofServer: true,
  operationId: 'addAlertChannel',
  summary: 'Add a channel',
  body: named('AlertChannelDefinition', channelDefinition),
  status: 201,
  shape: oneChannel,
  answer: async (c, { body }) => {
    const channel = await saveChannel(c.var.sql, sealed(c.var.secrets, body), null, c.var.actor);
    if (!channel) throw noSuch('channel');
    return channel;
  },
});

addRoute(alertsApi, 'PATCH /alert-channels/{id}', {
  ofServer: true,
  operationId: 'changeAlertChannel',
  summary: 'Replace the settings of a channel; without `secret` the stored one stays',
  body: named('AlertChannelChange', channelDefinition),
  shape: oneChannel,
  params: ofChannel,
  answer: async (c, { params, body }) => {
    const channel = await saveChannel(c.var.sql, sealed(c.var.secrets, body), params.id, c.var.actor);
    if (!channel) throw noSuch('channel of this kind');
    return channel;
  },
});

addRoute(alertsApi, 'DELETE /alert-channels/{id}', {
  ofServer: true,
  operationId: 'deleteAlertChannel',
  summary: 'Delete a channel with its secret and its unsent messages',
  shape: named('DeletedAlertChannel', deletedId),
  params: ofChannel,
  answer: async (c, { params }) => {
    if (!(await deleteChannel(c.var.sql, params.id, c.var.actor))) throw noSuch('channel');
    return { deleted: params.id };
  },
});

addRoute(alertsApi, 'POST /alert-channels/{id}/test', {
  ofServer: true,
  operationId: 'testAlertChannel',
  summary: 'Send a test message, and wait up to ten seconds for its outcome',
  shape: oneDelivery,
  params: ofChannel,
  answer: async (c, { params }) => {
    const delivery = await addTestMessage(c.var.sql, params.id);
    if (delivery === null) throw notFound('id', 'there is no channel with this id that is on');
    return outcomeOf(c.var.sql, delivery);
  },
});

addRoute(alertsApi, 'GET /alert-deliveries', {
  operationId: 'listDeadLetters',
  summary: 'Messages that were not delivered after all attempts, the newest first',
  ...reads,
  shape: named('DeadLetterList', deadLetterList),
  answer: async (c) => listDeadLetters(c.var.sql),
});

addRoute(alertsApi, 'POST /alert-deliveries/{id}/retry', {
  ofServer: true,
  operationId: 'retryDeadLetter',
  summary: 'Send a message again, and wait up to ten seconds for its outcome',
  shape: oneDelivery,
  params: ofDelivery,
  answer: async (c, { params }) => {
    if (!(await retryDelivery(c.var.sql, params.id))) throw noSuch('dead letter');
    return outcomeOf(c.var.sql, params.id);
  },
});

const OUTCOME_MS = 10_000;
const LOOK_MS = 100;

/** The state after the first attempt. Another process may send, so the database is asked. */
async function outcomeOf(sql: postgres.Sql, delivery: string): Promise<DeliveryState> {
  const until = Date.now() + OUTCOME_MS;
  for (;;) {
    const found = await readDelivery(sql, delivery);
    if (!found) throw noSuch('message');
    if (found.state !== 'waiting' || found.error !== null || Date.now() > until) return found;
    await wait(LOOK_MS);
  }
}
