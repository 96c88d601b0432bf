/** The lines of a project as form fields: percent as text, empty for the default. */
import {
  findThresholdProblem,
  THRESHOLD_NAMES,
  type ThresholdName,
} from '@/core/accounting/threshold-problem';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { ProjectSettings } from '@/core/api/settings';

export const LINE_NAME: Record<ThresholdName, string> = {
  elevated: 'elevated',
  warning: 'warning',
  critical: 'critical',
  redlined: 'over limit',
  compressLine: 'compress line',
  restartLine: 'restart line',
};

export type LineFields = Record<ThresholdName, string>;
export type LineProblems = Partial<Record<ThresholdName, string>>;
type Own = ProjectSettings['own'];

export const NO_LINE_FIELDS: LineFields = {
  elevated: '',
  warning: '',
  critical: '',
  redlined: '',
  compressLine: '',
  restartLine: '',
};

/** `75`, `62.5`. */
export function percentText(line: number): string {
  return String(Math.round(line * 1_000) / 10);
}

export function toFields(own: Own): LineFields {
  const fields = { ...NO_LINE_FIELDS };
  for (const name of THRESHOLD_NAMES) {
    const line = own[name];
    fields[name] = line === null ? '' : percentText(line);
  }
  return fields;
}

/** A share; null for an empty field, NaN for an invalid one. Accepts a decimal comma. */
function readField(text: string): number | null {
  const trimmed = text.trim().replace(/\s*%$/, '').replace(',', '.');
  if (trimmed === '') return null;
  return /^\d{1,4}(\.\d{1,4})?$/.test(trimmed) ? Number((Number(trimmed) / 100).toPrecision(12)) : Number.NaN;
}

/** The differences from the project's lines; shares that show as the same percent are equal. */
export function readChange(fields: LineFields, own: Own): Partial<Own> {
  const change: Partial<Own> = {};
  const before = toFields(own);
  for (const name of THRESHOLD_NAMES) {
    if (fields[name].trim() !== before[name]) change[name] = readField(fields[name]);
  }
  return change;
}

/** The problem of each invalid field. */
export function findLineProblems(fields: LineFields, own: Own): LineProblems {
  const problems: LineProblems = {};
  const change = readChange(fields, own);
  for (const name of THRESHOLD_NAMES) {
    if (Number.isNaN(change[name])) problems[name] = 'must be a percentage, as in 75 or 62.5';
  }
  if (Object.keys(problems).length > 0) return problems;
  const lines = { ...DEFAULT_THRESHOLDS };
  for (const name of THRESHOLD_NAMES) {
    const line = change[name] === undefined ? own[name] : change[name];
    if (line !== null) lines[name] = line;
  }
  const changed = THRESHOLD_NAMES.filter((name) => name in change);
  const problem = findThresholdProblem(lines, changed);
  return problem === null ? {} : { [problem.field]: problem.reason };
}
