/**
 * Derives alerts of sessions in the transaction that changes the sessions, under their locks. Without enabled rules it
 * does nothing; without a change it reads the open alerts and writes nothing.
 */
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { type AlertState, type AlertStep, stepAlert, stepEventAlert } from '../../core/alerts/alert-machine';
import { alertText } from '../../core/alerts/alert-text';
import {
  type AlertFacts,
  changesAt,
  earliest,
  holds,
  isOfEvent,
  isOfRunner,
  matchesEvent,
} from '../../core/alerts/conditions';
import type { EventData } from '../../core/events/details';
import { groupBy } from '../group-by';
import { alerts } from '../schema/alerts';
import { columnsText } from '../tables';
import { type CompiledRule, learnNames, type RuleBook } from './rule-book';
import { type AlertRow, AlertWrites, type Subject } from './write-alerts';

type SessionFacts = Omit<AlertFacts, 'project' | 'runner'>;

export interface SessionCheck {
  sessionId: number;
  publicId: string;
  projectId: number;
  runnerId: number;
  facts: SessionFacts;
  /** Figures after earlier items of the batch, in which a level may have been reached and left. */
  passing: readonly Omit<SessionFacts, 'title' | 'branch'>[];
  events: readonly CheckedEvent[];
  /** Keys of retracted events. */
  retracted: readonly string[];
}

export type CheckedEvent = EventData & {
  position: number;
  /** Milliseconds; null: an amended event, whose time is in its row. */
  at: number | null;
};

export const eventKey = ({ position, kind }: { position: number; kind: string }): string =>
  `${position} ${kind}`;

/** An event that is older when it arrives starts no alert: a queue was delivered late, or history was imported. */
const EVENT_AGE_MS = 3_600_000;

export async function deriveAlerts(
  tx: postgres.ISql,
  book: RuleBook,
  checks: readonly SessionCheck[],
  now: number,
): Promise<void> {
  const rules = book.rules.filter(({ condition }) => !isOfRunner(condition));
  if (rules.length === 0 || checks.length === 0) return;
  const [open] = await Promise.all([readOpen(tx, checks), learnNames(tx, book, checks)]);
  const writes = new AlertWrites(now, book.sendsCommands);
  for (const check of checks) {
    const facts = {
      ...check.facts,
      project: book.projects.get(check.projectId) ?? '',
      runner: book.runners.get(check.runnerId) ?? '',
    };
    const own = open.get(check.sessionId) ?? [];
    for (const rule of rules) {
      const known = own.filter(({ ruleId }) => ruleId === rule.id);
      if (isOfEvent(rule.condition)) await checkEvents(tx, writes, { rule, check, facts, known, now });
      else checkLevels(writes, { rule, check, facts, known, now });
    }
  }
  await writes.flush(tx);
}

interface RuleCheck {
  rule: CompiledRule;
  check: SessionCheck;
  facts: AlertFacts;
  known: readonly AlertRow[];
  now: number;
}

/** Conditions that a turn can reach and leave. */
export const hasLevel = ({ condition }: Pick<CompiledRule, 'condition'>): boolean =>
  !isOfEvent(condition) && !isOfRunner(condition) && condition.kind !== 'silent';

function checkLevels(writes: AlertWrites, { known, ...own }: RuleCheck): void {
  const { rule, check, facts, now } = own;
  let before = known[0] ?? null;
  for (const figures of hasLevel(rule) ? check.passing : []) {
    const at = Math.min(now, Date.parse(figures.lastTurnAt ?? ''));
    if (now - at <= EVENT_AGE_MS)
      before = checkLevel(writes, { ...own, facts: { ...facts, ...figures }, before, at });
  }
  checkLevel(writes, { ...own, before, at: now });
}

/** @param at when the session had these facts. A countdown did not go on after it. */
function checkLevel(
  writes: AlertWrites,
  { rule, check, facts, before, now, at }: Omit<RuleCheck, 'known'> & { before: AlertRow | null; at: number },
): AlertRow | null {
  const isIn = rule.inScope(facts);
  if (before === null && !isIn) return null;
  const isActive = before !== null;
  const isOn = isIn ? holds(rule.condition, facts, at, isActive) : false;
  if (before === null && isOn !== true) return null;
  const step = stepAlert(rule, before && stateOf(before), isOn, now);
  const dueAt =
    step.state === null ? null : earliest(step.dueAt, changesAt(rule.condition, facts, now, isActive));
  const text = step.change === 'resolved' && before ? before.text : alertText(rule.condition, facts, at);
  return writes.add(rule, subjectOf(check, facts, before), { ...step, dueAt }, before, { text, event: '' });
}

async function checkEvents(
  tx: postgres.ISql,
  writes: AlertWrites,
  { rule, check, facts, known, now }: RuleCheck,
): Promise<void> {
  for (const before of known) {
    const isRetracted = check.retracted.includes(before.event);
    const step: AlertStep = isRetracted
      ? { state: null, change: 'resolved', dueAt: null }
      : stepEventAlert(rule, stateOf(before), now);
    writes.add(rule, subjectOf(check, facts, before), step, before, {
      text: before.text,
      event: before.event,
      ...(isRetracted && { resolvedBy: 'retracted' }),
    });
  }
  if (facts.backfill || !rule.inScope(facts)) return;
  for (const event of check.events) {
    const key = eventKey(event);
    if (!matchesEvent(rule.condition, event) || known.some((alert) => alert.event === key)) continue;
    const at = event.at ?? (await readTime(tx, check.sessionId, event));
    if (now - at > EVENT_AGE_MS) continue;
    const text = alertText(rule.condition, facts, now, event);
    writes.add(rule, subjectOf(check, facts, null), stepEventAlert(rule, null, now), null, {
      text,
      event: key,
    });
  }
}

async function readTime(
  tx: postgres.ISql,
  sessionId: number,
  { position, kind }: CheckedEvent,
): Promise<number> {
  const [row] = await tx<{ at: Date }[]>`
    select at from events where session_id = ${sessionId} and position = ${position} and kind = ${kind}`;
  return row?.at.getTime() ?? 0;
}

export function stateOf(row: AlertRow): AlertState {
  const phase = row.phase === 'pending' ? 'pending' : 'firing';
  return { ...row, phase, isAcknowledged: row.acknowledgedAt !== null };
}

function subjectOf(check: SessionCheck, facts: AlertFacts, before: AlertRow | null): Subject {
  const { title, model, branch, pressure, used, limit, project, runner } = facts;
  return {
    id: before?.id ?? randomUUID(),
    sessionId: check.sessionId,
    runnerId: null,
    project,
    runner,
    session: { id: check.publicId, title, model, branch, pressure, used, limit },
  };
}

export const ALERT_COLUMNS = columnsText(alerts, 'a');

async function readOpen(
  tx: postgres.ISql,
  checks: readonly SessionCheck[],
): Promise<Map<number | null, AlertRow[]>> {
  const ids = `{${checks.map(({ sessionId }) => sessionId)}}`;
  const rows = await tx<AlertRow[]>`
    select ${tx.unsafe(ALERT_COLUMNS)} from alerts a
    where a.session_id = any(${ids}::text::bigint[]) and a.phase <> 'resolved'`;
  return groupBy(rows, ({ sessionId }) => sessionId);
}
