import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AlertSeverity } from '../../core/alerts/names';
import type { AlertNotice } from '../../core/alerts/notice';
import type { RuleDefinition } from '../../core/alerts/rule';
import { sessionId, time } from './columns';
import { runners } from './runners';
import { sessions } from './sessions';

/** Where messages go. A deleted channel keeps its row without settings, because history names it. */
export const alertChannels = pgTable('alert_channels', (c) => ({
  id: c.uuid().primaryKey().default(sql`gen_random_uuid()`),
  name: c.text().notNull(),
  kind: c.text().notNull(),
  enabled: c.boolean().notNull().default(true),
  config: c.jsonb().notNull().default({}),
  /** Never selected for answers of the API. */
  secret: c.jsonb().notNull().default({}),
  /** Titles and branches are part of the messages. */
  titles: c.boolean().notNull().default(true),
  /** Messages per minute; further alerts of the minute are sent together. */
  perMinute: c.integer().notNull().default(20),
  /** The current minute of the limit, and the messages formed in it. */
  minuteStart: time(),
  minuteCount: c.integer().notNull().default(0),
  /** No message before this time, after a grouped message. */
  heldUntil: time(),
  createdAt: time().notNull().default(sql`now()`),
  deletedAt: time(),
}));

export const alertRules = pgTable('alert_rules', (c) => ({
  id: c.uuid().primaryKey().default(sql`gen_random_uuid()`),
  definition: c.jsonb().$type<RuleDefinition>().notNull(),
  version: c.integer().notNull().default(1),
  createdAt: time().notNull().default(sql`now()`),
  /** A tombstone, so that a deleted rule of the first start does not return. */
  deletedAt: time(),
}));

/** Sessions whose alerts send no messages. */
export const alertMutes = pgTable('alert_mutes', () => ({
  sessionId: sessionId()
    .primaryKey()
    .references(() => sessions.id),
  until: time().notNull(),
}));

/** Alerts of sessions and runners: open ones, and the history. */
export const alerts = pgTable(
  'alerts',
  (c) => ({
    id: c.uuid().primaryKey().default(sql`gen_random_uuid()`),
    ruleId: c
      .uuid()
      .notNull()
      .references(() => alertRules.id),
    /** Exactly one of the two is set. */
    sessionId: sessionId().references(() => sessions.id),
    runnerId: c.integer().references(() => runners.id),
    /** Position and kind of the event that started the alert; empty: a condition that lasts. */
    event: c.text().notNull().default(''),
    /** pending, firing or resolved. */
    phase: c.text().notNull(),
    since: time().notNull(),
    firedAt: time(),
    clearSince: time(),
    lastSentAt: time(),
    resolvedAt: time(),
    resolvedBy: c.text(),
    acknowledgedAt: time(),
    acknowledgedBy: c.text(),
    /** When time alone changes the alert. */
    dueAt: time(),
    severity: c.text().$type<AlertSeverity>().notNull(),
    text: c.text().notNull(),
    changedAt: time().notNull().default(sql`now()`),
  }),
  (t) => [
    uniqueIndex('alerts_session_open')
      .on(t.sessionId, t.ruleId, t.event)
      .where(sql`session_id is not null and (phase <> 'resolved' or event <> '')`),
    uniqueIndex('alerts_runner_open')
      .on(t.runnerId, t.ruleId)
      .where(sql`runner_id is not null and phase <> 'resolved'`),
    index('alerts_due').on(t.dueAt).where(sql`due_at is not null`),
    index('alerts_open').on(t.firedAt).where(sql`phase <> 'resolved'`),
    index('alerts_fired').on(t.firedAt, t.id),
    index('alerts_session').on(t.sessionId),
  ],
);

/** Changes of alerts that a channel must learn of, written with the change. A delivery takes one or several. */
export const alertOutbox = pgTable(
  'alert_outbox',
  (c) => ({
    id: c.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    channelId: c
      .uuid()
      .notNull()
      .references(() => alertChannels.id),
    alertId: c.uuid().notNull(),
    notice: c.jsonb().$type<AlertNotice>().notNull(),
    /** Rows of a channel with the same group are sent together; null: alone. */
    groupKey: c.text(),
    /** End of quiet hours, or of the time in which a group forms. */
    notBefore: time().notNull(),
    createdAt: time().notNull().default(sql`clock_timestamp()`),
    deliveryId: c.uuid(),
  }),
  (t) => [
    index('alert_outbox_waiting').on(t.channelId, t.notBefore).where(sql`delivery_id is null`),
    index('alert_outbox_delivery').on(t.deliveryId),
    index('alert_outbox_alert').on(t.alertId),
  ],
);

/** Messages. The id is the idempotency key of every attempt. */
export const alertDeliveries = pgTable(
  'alert_deliveries',
  (c) => ({
    id: c.uuid().notNull().default(sql`gen_random_uuid()`),
    channelId: c
      .uuid()
      .notNull()
      .references(() => alertChannels.id),
    /** waiting, sent or dead. */
    state: c.text().notNull().default('waiting'),
    attempts: c.integer().notNull().default(0),
    /** The next attempt; while a process sends: the end of its lease. */
    nextAttemptAt: time(),
    error: c.text(),
    createdAt: time().notNull().default(sql`clock_timestamp()`),
    sentAt: time(),
  }),
  (t) => [
    primaryKey({ columns: [t.id] }),
    index('alert_deliveries_waiting').on(t.nextAttemptAt).where(sql`state = 'waiting'`),
    index('alert_deliveries_dead').on(t.createdAt).where(sql`state = 'dead'`),
  ],
);
