/** Choices of the rule editor, and the words for a rule. */
import { conditionLabel } from '@/core/alerts/alert-text';
import type { AlertCondition, AlertScope, RuleDefinition } from '@/core/alerts/rule';
import { COMMAND_LABELS } from '../../commands/command-words';

/** Conditions that the editor offers, with the values that a new rule starts with. */
export const CONDITIONS: readonly (readonly [key: string, label: string, condition: AlertCondition])[] = [
  ['pressure', 'Pressure at or above a line', { kind: 'pressure', atLeast: 0.8 }],
  ['forecast', 'Boundary forecast', { kind: 'forecast', unit: 'minutes', within: 5, end: 'mid' }],
  ['over_limit', 'Over limit', { kind: 'over_limit' }],
  ['announced', 'Compaction started', { kind: 'compaction', state: 'announced' }],
  ['done', 'Compaction done', { kind: 'compaction', state: 'done' }],
  ['blocked', 'Compaction blocked', { kind: 'compaction', state: 'blocked' }],
  ['restart', 'Restart', { kind: 'restart' }],
  ['thrash', 'Thrash', { kind: 'thrash' }],
  ['cache_storm', 'Cache storm', { kind: 'cache_storm' }],
  ['archive_failed', 'Archive failed', { kind: 'archive_failed' }],
  ['tracking_lost', 'Tracking lost', { kind: 'tracking_lost' }],
  ['silent', 'No turn for a while', { kind: 'silent', minutes: 15 }],
  ['runner_disconnected', 'Runner disconnected', { kind: 'runner_disconnected', minutes: 5 }],
  ['runner_queue', 'Runner queue growing', { kind: 'runner_queue', items: 1_000 }],
];

export function conditionKey(condition: AlertCondition): string {
  return condition.kind === 'compaction' ? condition.state : condition.kind;
}

export const SCOPES: readonly (readonly [field: keyof AlertScope, label: string])[] = [
  ['project', 'Projects'],
  ['runner', 'Runners'],
  ['model', 'Models'],
  ['title', 'Titles'],
  ['branch', 'Branches'],
];

export function newRule(): RuleDefinition {
  return {
    name: 'New rule',
    enabled: true,
    severity: 'warning',
    condition: { kind: 'pressure', atLeast: 0.8, clear: 0.75 },
    scope: { project: [], runner: [], model: [], title: [], branch: [] },
    forSeconds: 0,
    resolveSeconds: 0,
    repeatMinutes: null,
    group: null,
    quiet: null,
    channels: [],
    action: null,
    mutedUntil: null,
  };
}

/** The condition with its scope and time: `pressure at or above 85 % for 30 s · project shop`. */
export function ruleWords({ condition, scope, forSeconds, action = null }: RuleDefinition): string {
  const held = forSeconds === 0 ? '' : ` for ${forSeconds} s`;
  const scoped = SCOPES.flatMap(([field]) =>
    scope[field].length === 0 ? [] : [`${field} ${scope[field].join(', ')}`],
  );
  const acts = action === null ? [] : [`sends ${COMMAND_LABELS[action.command].toLowerCase()}`];
  return [`${conditionLabel(condition)}${held}`, ...scoped, ...acts].join(' · ');
}

export const toPatterns = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
