/** When the condition of a rule holds, from the figures that the fold already computes. Times are milliseconds. */
import { compactingUntil } from '../accounting/compacting';
import type { Session } from '../api/session';
import type { EventData } from '../events/details';
import { silentAfterMs } from '../forecast/silence';
import type { AlertCondition } from './rule';

/** What the conditions read of a session. */
export type AlertFacts = Pick<
  Session,
  | 'project'
  | 'runner'
  | 'model'
  | 'title'
  | 'branch'
  | 'state'
  | 'pressure'
  | 'used'
  | 'limit'
  | 'backfill'
  | 'endedAt'
  | 'lastTurnAt'
  | 'forecast'
  | 'compacting'
  | 'tokensPerTurn'
  | 'tokensPerMinute'
> & { trouble: Pick<NonNullable<Session['trouble']>, 'kind' | 'sentence'> | null };

/** What the conditions read of a runner. */
export interface RunnerFacts {
  project: string;
  runner: string;
  host: string | null;
  /** The last hello or ping of the runner. A connected runner answers a ping every 30 seconds. */
  seenAt: number;
  /** Items that the runner has not delivered, and at the report before. Null: not reported. */
  queued: number | null;
  queuedBefore: number | null;
}

const MINUTE_MS = 60_000;
/** A session that was silent this much longer than the rule's time does not start an alert: the rule is newer. */
const SILENCE_STARTS_MS = 60 * MINUTE_MS;
/** A silent session is abandoned after this time. */
const SILENCE_ENDS_MS = 24 * 60 * MINUTE_MS;

type ConditionOf<K extends AlertCondition['kind']> = Extract<AlertCondition, { kind: K }>;

/** Conditions that an event starts. The others hold during a time. */
export function isOfEvent(condition: AlertCondition): boolean {
  if (condition.kind === 'compaction') return condition.state !== 'announced';
  return condition.kind === 'restart' || condition.kind === 'archive_failed';
}

export function isOfRunner({ kind }: AlertCondition): boolean {
  return kind === 'runner_disconnected' || kind === 'runner_queue';
}

export function matchesEvent(condition: AlertCondition, event: EventData): boolean {
  switch (condition.kind) {
    case 'compaction':
      if (event.kind !== 'compaction') return false;
      if (condition.state === 'done') return event.detail.state === 'confirmed';
      return condition.state === 'blocked' && event.detail.state === 'blocked';
    case 'restart':
      return event.kind === 'restart';
    case 'archive_failed':
      return event.kind === 'archive_failed' || event.kind === 'archive_damaged';
    default:
      return false;
  }
}

/**
 * Whether the condition of a session holds. Null: unknown, so an alert neither starts nor ends.
 * @param isActive an alert is pending or fires, so the bound `clear` applies
 */
export function holds(
  condition: AlertCondition,
  facts: AlertFacts,
  now: number,
  isActive: boolean,
): boolean | null {
  if (facts.backfill || facts.endedAt !== null) return false;
  switch (condition.kind) {
    case 'pressure': {
      if (facts.pressure === null || facts.state === 'untracked') return null;
      return facts.pressure >= (isActive ? (condition.clear ?? condition.atLeast) : condition.atLeast);
    }
    case 'forecast': {
      const left = leftOf(condition, facts, now);
      return left !== null && left <= boundOf(condition, isActive);
    }
    case 'over_limit':
      return facts.state === 'unknown' ? null : facts.state === 'redlined';
    case 'compaction':
      return condition.state === 'announced' && compactingUntil(facts.compacting) > now;
    case 'thrash':
    case 'cache_storm':
      return facts.trouble?.kind === condition.kind;
    case 'tracking_lost':
      return facts.state === 'untracked';
    case 'silent': {
      if (facts.lastTurnAt === null) return false;
      const over = now - Date.parse(facts.lastTurnAt) - condition.minutes * MINUTE_MS;
      return over >= 0 && over < (isActive ? SILENCE_ENDS_MS : SILENCE_STARTS_MS);
    }
    default:
      return false;
  }
}

/** When `holds` may change although no item arrives; null: never. */
export function changesAt(
  condition: AlertCondition,
  facts: AlertFacts,
  now: number,
  isActive: boolean,
): number | null {
  if (facts.backfill || facts.endedAt !== null) return null;
  const last = facts.lastTurnAt === null ? null : Date.parse(facts.lastTurnAt);
  const times: (number | null)[] = [];
  if (condition.kind === 'compaction' && condition.state === 'announced') {
    times.push(compactingUntil(facts.compacting));
  }
  if (condition.kind === 'silent' && last !== null) {
    const from = last + condition.minutes * MINUTE_MS;
    times.push(from, from + (isActive ? SILENCE_ENDS_MS : SILENCE_STARTS_MS));
  }
  if (condition.kind === 'forecast' && condition.unit === 'minutes' && last !== null) {
    const minutes = facts.forecast?.minutes?.[condition.end];
    const at = last + ((minutes ?? 0) - boundOf(condition, isActive)) * MINUTE_MS;
    // A countdown stops when the session falls silent.
    if (minutes !== undefined && at < last + silentAfterMs(facts)) times.push(Math.ceil(at));
  }
  return earliest(...times.filter((time) => time !== null && time > now));
}

/** @param isActive an alert is pending or fires */
export function runnerHolds(
  condition: AlertCondition,
  facts: RunnerFacts,
  now: number,
  isActive: boolean,
): boolean {
  if (condition.kind === 'runner_disconnected') {
    const over = now - facts.seenAt - condition.minutes * MINUTE_MS;
    return over >= 0 && over < (isActive ? SILENCE_ENDS_MS : SILENCE_STARTS_MS);
  }
  if (condition.kind !== 'runner_queue' || facts.queued === null) return false;
  return facts.queued >= condition.items && facts.queued > (facts.queuedBefore ?? 0);
}

export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function boundOf({ within, clear }: ConditionOf<'forecast'>, isActive: boolean): number {
  return isActive ? (clear ?? within) : within;
}

/** Turns or minutes left to the next boundary, at one end of the forecast's range. */
export function leftOf(
  { unit, end }: Pick<ConditionOf<'forecast'>, 'unit' | 'end'>,
  facts: Pick<AlertFacts, 'forecast' | 'lastTurnAt' | 'tokensPerTurn' | 'tokensPerMinute'>,
  now: number,
): number | null {
  const { forecast, lastTurnAt } = facts;
  const left = forecast?.[unit]?.[end] ?? null;
  if (left === null || unit === 'turns' || lastTurnAt === null) return left;
  const elapsed = Math.min(Math.max(0, now - Date.parse(lastTurnAt)), silentAfterMs(facts));
  return Math.max(0, left - elapsed / MINUTE_MS);
}
