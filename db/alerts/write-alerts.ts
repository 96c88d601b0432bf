/** Collects changes of alerts, and writes them with the messages that the channels must get. Times are milliseconds. */
import type postgres from 'postgres';
import type { AlertStep } from '../../core/alerts/alert-machine';
import type { AlertNotice } from '../../core/alerts/notice';
import { quietUntil } from '../../core/alerts/quiet-hours';
import { notifyAlerts } from '../notify-alerts';
import { alertOutbox, alerts } from '../schema/alerts';
import { deleteFrom, insertInto, otherNames, type Row, statement, update } from '../tables';
import type { CompiledRule } from './rule-book';
import { addRuleCommands, type RuleCommand } from './rule-commands';

export type AlertRow = Row<typeof alerts>;

/** The session or runner of an alert. */
export interface Subject extends Pick<AlertNotice, 'project' | 'runner' | 'session'> {
  /** Id of the alert. */
  id: string;
  sessionId: number | null;
  runnerId: number | null;
}

interface AlertWords {
  text: string;
  /** Key of the event; empty: a condition that lasts. */
  event: string;
  /** Why the alert ends; default: the condition ended. */
  resolvedBy?: string;
}

type OutboxRow = Pick<
  Row<typeof alertOutbox>,
  'channelId' | 'alertId' | 'notice' | 'groupKey' | 'notBefore'
> & {
  sessionId: number | null;
};

const STEPPED = [
  'phase',
  'since',
  'firedAt',
  'clearSince',
  'lastSentAt',
  'resolvedAt',
  'resolvedBy',
  'dueAt',
  'text',
] as const;
const INSERTED = otherNames(alerts, ['changedAt']);
const insertAlerts = insertInto(alerts, INSERTED, 'do nothing returning id');
const updateAlerts = update(alerts, ['id'], STEPPED, ['changed_at = clock_timestamp()']);
const insertOutbox = insertInto(alertOutbox, ['channelId', 'alertId', 'notice', 'groupKey', 'notBefore']);
/** A message that waits for the end of quiet hours is dropped when its alert ends in them. */
const dropHeld = statement<
  { id: string; until: number },
  Pick<OutboxRow, 'alertId' | 'channelId'> & { change: string }
>(`
  delete from alert_outbox x using records (id uuid, until float8)
  where x.alert_id = r.id and x.delivery_id is null and x.not_before > to_timestamp(r.until / 1000.0)
  returning x.alert_id as "alertId", x.channel_id as "channelId", x.notice->>'change' as change`);
const deletePending = deleteFrom<typeof alerts, 'id'>(alerts, ['id'], undefined, `x.phase = 'pending'`);

export class AlertWrites {
  private readonly inserts = new Map<string, AlertRow>();
  private readonly updates = new Map<string, AlertRow>();
  private readonly removed: { id: string }[] = [];
  private readonly outbox: OutboxRow[] = [];
  /** Alerts that end in quiet hours. */
  private readonly quietEnds: { id: string; until: number }[] = [];
  private readonly commands: RuleCommand[] = [];

  /** @param sendsCommands whether rules with an action send their command */
  constructor(
    private readonly now: number,
    private readonly sendsCommands: boolean,
  ) {}

  add(
    rule: CompiledRule,
    subject: Subject,
    { state, change, dueAt }: AlertStep,
    before: AlertRow | null,
    words: AlertWords,
  ): AlertRow | null {
    const { now, inserts } = this;
    const { id, sessionId, runnerId } = subject;
    if (state === null && change === null) {
      if (before !== null && !inserts.delete(id)) this.removed.push({ id });
      return null;
    }
    const isOver = state === null;
    const row: AlertRow = {
      id,
      ruleId: rule.id,
      sessionId,
      runnerId,
      event: words.event,
      phase: isOver ? 'resolved' : state.phase,
      since: state?.since ?? before?.since ?? now,
      firedAt: state?.firedAt ?? before?.firedAt ?? null,
      clearSince: isOver ? now : state.clearSince,
      lastSentAt: state?.lastSentAt ?? before?.lastSentAt ?? null,
      resolvedAt: isOver ? now : null,
      resolvedBy: isOver ? (words.resolvedBy ?? 'cleared') : null,
      acknowledgedAt: before?.acknowledgedAt ?? null,
      acknowledgedBy: before?.acknowledgedBy ?? null,
      dueAt,
      severity: rule.severity,
      // The text of the start stays, so that a turn in between writes nothing.
      text: change === null && before !== null ? before.text : words.text,
      changedAt: now,
    };
    if (before === null || inserts.has(id)) inserts.set(id, row);
    else if (STEPPED.some((name) => row[name] !== before[name])) this.updates.set(id, row);
    if (isOver && rule.quiet !== null && quietUntil(rule.quiet, now) !== null)
      this.quietEnds.push({ id, until: now });
    if (change !== null) this.announce(rule, subject, row, change);
    // Rules that were stored before actions existed have none.
    if (change === 'fired' && this.sendsCommands && rule.action && sessionId !== null) {
      const { command, text } = rule.action;
      const reason = `${rule.name}: ${row.text}`.slice(0, 500);
      this.commands.push({ id, sessionId, action: command, text, reason, actor: `rule ${rule.name}` });
    }
    return isOver ? null : row;
  }

  private announce(rule: CompiledRule, subject: Subject, row: AlertRow, change: AlertNotice['change']): void {
    const { now } = this;
    const { project, runner, session, sessionId } = subject;
    if (rule.mutedUntil !== null && Date.parse(rule.mutedUntil) > now) return;
    const notice: AlertNotice = {
      alert: row.id,
      change,
      severity: rule.severity,
      rule: { id: rule.id, name: rule.name },
      condition: rule.condition.kind,
      text: row.text,
      firedAt: iso(row.firedAt ?? now),
      resolvedAt: row.resolvedAt === null ? null : iso(row.resolvedAt),
      resolvedBy: row.resolvedBy,
      project,
      runner,
      session,
    };
    const { group } = rule;
    const groupKey = group && (group.by === 'rule' ? rule.id : `${rule.id} ${project}`);
    const dueAt = now + (group?.seconds ?? 0) * 1_000;
    const notBefore = (rule.quiet && quietUntil(rule.quiet, dueAt)) ?? dueAt;
    for (const { id: channelId, titles } of rule.pushed) {
      const shown =
        titles || session === null
          ? notice
          : { ...notice, session: { ...session, title: null, branch: null } };
      this.outbox.push({ channelId, alertId: row.id, notice: shown, groupKey, notBefore, sessionId });
    }
  }

  async flush(tx: postgres.ISql): Promise<void> {
    const { removed, quietEnds } = this;
    const [inserts, updates] = [[...this.inserts.values()], [...this.updates.values()]];
    if (inserts.length + updates.length + removed.length === 0) return;
    const sql = tx as postgres.TransactionSql;
    // In this order, because a new alert may follow one that ends in the same batch.
    const [, , added, dropped, muted] = await Promise.all([
      updateAlerts(sql, updates),
      deletePending(sql, removed),
      insertAlerts(sql, inserts),
      dropHeld(sql, quietEnds),
      this.outbox.length === 0 ? [] : readMuted(sql),
    ]);
    // An event that already has an alert is not inserted again, and sends nothing.
    const isNew = new Set(added.map(({ id }) => id));
    const skipped = new Set(inserts.filter(({ id }) => !isNew.has(id)).map(({ id }) => id));
    const isDropped = new Set(
      dropped
        .filter(({ change }) => change === 'fired')
        .map(({ alertId, channelId }) => `${alertId} ${channelId}`),
    );
    const isMuted = new Set(muted.map(({ sessionId }) => sessionId));
    // An alert that starts and ends in this batch sends nothing in quiet hours, and no command.
    const quiet = new Set(quietEnds.map(({ id }) => id));
    for (const { alertId, notice } of this.outbox)
      if (notice.change === 'fired' && quiet.has(alertId)) skipped.add(alertId);
    const sent = this.outbox.filter(
      ({ alertId, channelId, sessionId }) =>
        !isMuted.has(sessionId) && !skipped.has(alertId) && !isDropped.has(`${alertId} ${channelId}`),
    );
    for (const { id, phase } of [...inserts, ...updates]) if (phase === 'resolved') skipped.add(id);
    const commands = this.commands.filter(({ id }) => !skipped.has(id));
    await Promise.all([
      insertOutbox(sql, sent),
      commands.length > 0 && addRuleCommands(sql, commands),
      notifyAlerts(sql),
    ]);
  }
}

/** Sessions that send no messages. They are few, because an operator mutes each for an hour. */
const readMuted = (sql: postgres.ISql) => sql<{ sessionId: number | null }[]>`
  select session_id as "sessionId" from alert_mutes where until > clock_timestamp()`;

const iso = (ms: number): string => new Date(ms).toISOString();
