/** Sentences of alerts, for messages and pages. */
import type { EventData } from '../events/details';
import { type AlertFacts, leftOf, type RunnerFacts } from './conditions';
import type { AlertMessage, AlertNotice } from './notice';
import type { AlertCondition } from './rule';

const percent = (share: number): string => `${Math.floor(share * 100 + 1e-9)} %`;
const tokens = (count: number): string =>
  count < 1_000 ? String(count) : `${Math.round(count / 1_000).toLocaleString('en-US')} k`;
const number = (value: number): string => (value < 1 ? '<1' : Math.round(value).toLocaleString('en-US'));

const BOUNDARIES = { compaction: 'Compaction', restart: 'Restart line', limit: 'Limit' } as const;
/** Labels of conditions, as in lists of rules. They define the names of the default rules. */
const LABELS = {
  over_limit: 'used tokens above the limit',
  restart: 'a runner restarts a context',
  thrash: 'a context is full again after a few turns',
  cache_storm: 'most of the prompt is re-sent uncached',
  archive_failed: 'a transcript could not be stored',
  tracking_lost: 'a turn has no usage',
  announced: 'a client announces a compaction',
  done: 'a compaction ends',
  blocked: 'a hook refuses a compaction',
} as const;

export function conditionLabel(condition: AlertCondition): string {
  switch (condition.kind) {
    case 'pressure':
      return `pressure at or above ${percent(condition.atLeast)}`;
    case 'forecast': {
      const end = { low: ' at the earliest', mid: '', high: ' at the latest' }[condition.end];
      return `next boundary forecast within ${condition.within} ${condition.unit}${end}`;
    }
    case 'compaction':
      return LABELS[condition.state];
    case 'silent':
      return `no turn for ${condition.minutes} min`;
    case 'runner_disconnected':
      return `runner disconnected for ${condition.minutes} min`;
    case 'runner_queue':
      return `runner queue at ${condition.items} items and growing`;
    default:
      return LABELS[condition.kind];
  }
}

const used = ({ used: count, limit, pressure }: AlertFacts): string =>
  count === null || limit === null || pressure === null
    ? 'size unknown'
    : `${percent(pressure)}, ${tokens(count)} of ${tokens(limit)} tokens`;

export function alertText(
  condition: AlertCondition,
  facts: AlertFacts,
  now: number,
  event: EventData | null = null,
): string {
  switch (condition.kind) {
    case 'pressure':
      return `Pressure ${used(facts)}.`;
    case 'over_limit':
      return `Over limit: ${used(facts)}.`;
    case 'forecast':
      return forecastText(facts, now);
    case 'compaction':
      if (condition.state === 'announced') return `Compaction started: ${used(facts)}.`;
      return compactionText(event);
    case 'restart':
      return event?.kind === 'restart' && event.detail.reason !== null
        ? `Restart: ${event.detail.reason}.`
        : 'The runner restarted the context.';
    case 'thrash':
    case 'cache_storm':
      return facts.trouble?.sentence ?? `Condition: ${LABELS[condition.kind]}.`;
    case 'archive_failed':
      return `The transcript was not archived${reasonOf(event)}.`;
    case 'tracking_lost':
      return 'Tracking lost: a turn had no usage.';
    case 'silent':
      return `No turn for ${condition.minutes} min.`;
    default:
      return `${conditionLabel(condition)}.`;
  }
}

function forecastText(facts: AlertFacts, now: number): string {
  const { forecast } = facts;
  if (forecast === null) return `Boundary near: ${used(facts)}.`;
  const range = (unit: 'minutes' | 'turns') => {
    const [low, mid, high] = (['low', 'mid', 'high'] as const).map((end) =>
      leftOf({ unit, end }, facts, now),
    );
    if (low == null || mid == null || high == null) return null;
    return `${number(mid)} ${unit === 'minutes' ? 'min' : 'turns'} (${number(low)}–${number(high)})`;
  };
  const left = [range('minutes'), range('turns')].filter((part) => part !== null).join(', ');
  return `${BOUNDARIES[forecast.kind]} at ${tokens(forecast.at)} in ${left || 'unknown time'}; ${used(facts)}.`;
}

function compactionText(event: EventData | null): string {
  if (event?.kind !== 'compaction') return 'Compaction.';
  const { detail } = event;
  if (detail.state === 'blocked') return `Compaction blocked${reasonOf(event)}.`;
  const { preTokens = detail.usedBefore, postTokens = detail.firstReading ?? null } = detail;
  if (preTokens === null || postTokens === null) return `Compaction done (${detail.trigger}).`;
  return `Compaction done (${detail.trigger}): ${tokens(preTokens)} → ${tokens(postTokens)} tokens.`;
}

function reasonOf(event: EventData | null): string {
  const reason = event && 'reason' in event.detail ? event.detail.reason : null;
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}

export function runnerText(condition: AlertCondition, facts: RunnerFacts): string {
  if (condition.kind === 'runner_queue') {
    return `${(facts.queued ?? 0).toLocaleString('en-US')} items wait in the queue of runner ${facts.runner}.`;
  }
  return `Runner ${facts.runner} is disconnected.`;
}

const SHOWN_NOTICES = 20;

/** The session's or runner's name in a message. */
export function subjectOf({ session, runner, project }: AlertNotice): string {
  const name = session === null ? runner : (session.title ?? `session ${session.id.slice(0, 8)}`);
  return `${name} · ${project}`;
}

export function messageTitle({ notices }: AlertMessage): string {
  const [first] = notices;
  if (first && notices.length === 1) return `${wordOf(first)}: ${first.rule.name}`;
  const ended = notices.filter(({ change }) => change === 'resolved').length;
  const firing = notices.length - ended;
  const parts = [firing > 0 && `${firing} firing`, ended > 0 && `${ended} resolved`].filter(Boolean);
  return `Barograph: ${parts.join(', ')}`;
}

export const wordOf = ({ change }: AlertNotice): string =>
  ({ fired: 'Firing', repeated: 'Still firing', resolved: 'Resolved', test: 'Test' })[change];

/** Lines of a message in plain text, at most 20 alerts. */
export function messageLines({ notices, base }: AlertMessage): string[] {
  const lines = notices.slice(0, SHOWN_NOTICES).map((notice) => {
    const head = notices.length === 1 ? '' : `${wordOf(notice)}: ${notice.rule.name} · `;
    return `${head}${subjectOf(notice)} · ${notice.text}`;
  });
  if (notices.length > SHOWN_NOTICES) lines.push(`and ${notices.length - SHOWN_NOTICES} more`);
  return [...lines, linkOf({ notices, base })];
}

export function linkOf({ notices, base }: Pick<AlertMessage, 'notices' | 'base'>): string {
  const [first] = notices;
  return notices.length === 1 && first?.session ? `${base}/sessions/${first.session.id}` : `${base}/alerts`;
}
