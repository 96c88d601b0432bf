/**
 * Background work of alerts: sends messages, and checks rules about time. Several processes share the work; the database
 * decides which process does what.
 */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { checkDueAlerts, deleteOldAlerts } from '../../db/alerts/check-due';
import {
  type ClaimedDelivery,
  claimDeliveries,
  extendLease,
  formDeliveries,
  settleFailed,
  settleSent,
} from '../../db/alerts/deliveries';
import { ALERTS_CHANNEL } from '../../db/hints';
import { startRounds } from '../start-rounds';
import { PrivateAddressError } from './guard-address';
import { LONGEST_PAUSE_MS, pauseMs } from './pause';
import { DeliveryError } from './post';
import type { SecretBox } from './secret-box';
import { describeFailure, sendMessage } from './send-message';

export interface AlertOptions {
  sql: postgres.Sql;
  log: Logger;
  idleAfterMs: number;
  /** Address of the pages, for links. */
  base: string;
  allowPrivate: boolean;
  /** Opens the secrets of channels. */
  secrets: SecretBox;
  now?: () => number;
  /** Time of one attempt, milliseconds. */
  timeoutMs?: number;
  /** How long the lease of a message outlasts the attempt, milliseconds. */
  leaseMarginMs?: number;
  /** Time between two looks at the outbox without a notification. */
  pollMs?: number;
  checkMs?: number;
  /** Time in which alerts that fire together are collected. */
  settleMs?: number;
  random?: () => number;
}

const MAX_ATTEMPTS = 12;
const AT_ONCE = 16;
const CLEAN_EVERY = 720;

export async function startAlerts(options: AlertOptions) {
  const { sql, log, base, allowPrivate, now = Date.now, random = Math.random } = options;
  const {
    timeoutMs = 10_000,
    leaseMarginMs = 5_000,
    pollMs = 2_000,
    checkMs = 5_000,
    settleMs = 100,
  } = options;
  const leaseMs = timeoutMs + leaseMarginMs;
  let isClosed = false;
  let checks = 0;
  const sending = new Set<Promise<void>>();

  function openChannel(channel: ClaimedDelivery['channel']): ClaimedDelivery['channel'] {
    try {
      const secret = options.secrets.open(channel.secret);
      return { ...channel, secret } as ClaimedDelivery['channel'];
    } catch {
      throw new DeliveryError('The stored secret belongs to another key: enter the secret again.', true);
    }
  }

  async function send({
    id,
    attempts,
    createdAt,
    channel,
    channelId,
    notices,
  }: ClaimedDelivery): Promise<void> {
    try {
      const message = { id, at: createdAt.toISOString(), notices, base };
      await sendMessage(openChannel(channel), message, { allowPrivate, timeoutMs }, () =>
        extendLease(sql, id, now() + leaseMs),
      );
      await settleSent(sql, id);
    } catch (error) {
      const reason = describeFailure(error);
      const { isFinal = false, retryAfterMs = null } = error instanceof DeliveryError ? error : {};
      const isOver = isFinal || attempts >= MAX_ATTEMPTS || error instanceof PrivateAddressError;
      const pause = Math.max(pauseMs(attempts, random()), Math.min(retryAfterMs ?? 0, LONGEST_PAUSE_MS));
      log.warn({ channel: channelId, kind: channel.kind, attempts, reason }, 'a message was not delivered');
      // If the database is away, the lease ends and the message is sent again.
      await settleFailed(sql, id, reason, isOver ? null : now() + pause).catch(() => undefined);
    }
  }

  async function deliver(): Promise<void> {
    await formDeliveries(sql, now());
    for (;;) {
      const limit = AT_ONCE - sending.size;
      if (isClosed || limit <= 0) return;
      const claimed = await claimDeliveries(sql, { now: now(), leaseMs, limit });
      for (const delivery of claimed) {
        const sent = send(delivery).finally(() => {
          sending.delete(sent);
          outbox.soon();
        });
        sending.add(sent);
      }
      if (claimed.length < limit) return;
    }
  }

  const outbox = startRounds({
    task: 'alert_messages',
    work: deliver,
    failure: 'messages could not be sent',
    log,
    intervalMs: pollMs,
  });
  let waking: NodeJS.Timeout | undefined;
  const wakeSoon = () => {
    waking ??= setTimeout(() => {
      waking = undefined;
      outbox.soon();
    }, settleMs).unref();
  };
  const scheduler = startRounds({
    task: 'alert_rules',
    async work() {
      const isMore = await checkDueAlerts(sql, now(), options.idleAfterMs);
      if (checks % CLEAN_EVERY === 0) await deleteOldAlerts(sql);
      checks += 1;
      return isMore;
    },
    failure: 'rules about time could not be checked',
    log,
    intervalMs: checkMs,
  });
  const listening = await sql.listen(ALERTS_CHANNEL, wakeSoon, wakeSoon);

  return {
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(waking);
      listening.unlisten().catch(() => undefined);
      await Promise.all([outbox.close(), scheduler.close()]);
      await Promise.allSettled(sending);
    },
  };
}
