/** The tracker's names and percentages before one word stood for each thing. Version 1.0 removes this file. */
import { stateOf } from '../../../core/accounting/state';
import { resolveThresholds } from '../../../core/accounting/thresholds';
import type { Thresholds } from '../../../core/accounting/types';
import type { Usage } from '../../../core/protocol/items';
import { hintRenamed, percentOf, readByOldNames, shareOfPercent, takeOldNames } from '../old-names';
import type { TrackerEvent } from './event-emitter';
import type { ContextState, ContextTrackerOptions, TurnReport } from './tracker-options';

/** @deprecated Use `Thresholds`, which has shares. @hidden */
export interface TrackerConfig {
  elevatedPercent: number;
  warningPercent: number;
  criticalPercent: number;
  redlinePercent: number;
  autoCompressPercent: number;
}

/** @deprecated Use `DEFAULT_THRESHOLDS`. @hidden */
export const DEFAULT_TRACKER_CONFIG: Readonly<TrackerConfig> = {
  elevatedPercent: 50,
  warningPercent: 75,
  criticalPercent: 85,
  redlinePercent: 90,
  autoCompressPercent: 80,
};

/** @deprecated Use `limit`, `thresholds` and `target`. @hidden */
export type OldTrackerOptions<M extends object = object> = Omit<
  ContextTrackerOptions<M>,
  'limit' | 'autoCompress' | 'counter'
> & {
  config?: Partial<TrackerConfig> | undefined;
  autoCompress?: boolean | { target?: number; targetPercent?: number } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a counter of the tracker in use.
  counter?: any;
} & ({ limit: number } | { maxTokens: number });

/** @deprecated Use `target` and the new names of the counts. @hidden */
export type OldTurnReport = Omit<TurnReport, 'usage'> & { usage?: Usage | null; targetPercent?: number };

const TARGET = { targetPercent: ['target', shareOfPercent] } as const;
const COUNTS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadTokens',
  cacheCreation: 'cacheCreationTokens',
};
const THRESHOLDS = {
  elevatedPercent: ['elevated', shareOfPercent],
  warningPercent: ['warning', shareOfPercent],
  criticalPercent: ['critical', shareOfPercent],
  redlinePercent: ['restartLine', shareOfPercent],
  autoCompressPercent: ['compressLine', shareOfPercent],
} as const;

const thresholdsOf = (config: unknown): Partial<Thresholds> =>
  takeOldNames<object>('ContextTracker', config as object, THRESHOLDS);

/** The options of a tracker under their new names. */
export function takeOldOptions<Options extends object>(given: object): Options {
  const names = { maxTokens: 'limit', config: ['thresholds', thresholdsOf] } as const;
  const options = takeOldNames<object>('ContextTracker', given, names) as Options;
  const { autoCompress } = options as { autoCompress?: unknown };
  if (typeof autoCompress !== 'object' || autoCompress === null) return options;
  const target = takeOldNames('ContextTracker', autoCompress, TARGET);
  return target === autoCompress ? options : { ...options, autoCompress: target };
}

/** @param options a number is a percentage. */
export function takeOldTarget(options: { target?: number | undefined } | number): {
  target?: number | undefined;
} {
  if (typeof options !== 'number') return options;
  hintRenamed('ContextTracker', `composition(${options})`, `composition({ target: ${options / 100} })`);
  return { target: shareOfPercent(options) as number };
}

export function takeOldReport(report: TurnReport | OldTurnReport): TurnReport {
  const taken = takeOldNames<TurnReport | OldTurnReport>('ContextTracker.reportTurn', report, TARGET);
  const { usage } = taken;
  if (typeof usage !== 'object' || usage === null) return taken as TurnReport;
  return { ...taken, usage: takeOldNames<object>('ContextTracker.reportTurn', usage, COUNTS) };
}

/** Lets an event be read by its old names. */
export function readByOldEventNames(event: TrackerEvent): TrackerEvent {
  if (event.type === 'redlined') {
    return readByOldNames('TrackerEvent', event, { tokensUsed: 'contextTokens', maxTokens: 'limit' });
  }
  if (!('pressure' in event)) return event;
  const get = () => {
    hintRenamed('TrackerEvent', 'usagePercent', 'pressure');
    return percentOf(event.pressure);
  };
  return Object.defineProperty(event, 'usagePercent', { get });
}

/** @deprecated Use `stateOf`. @hidden */
export function stateOfPercent(
  usagePercent: number,
  config: Readonly<
    Pick<TrackerConfig, 'elevatedPercent' | 'warningPercent' | 'criticalPercent'>
  > = DEFAULT_TRACKER_CONFIG,
): ContextState {
  hintRenamed('barograph/tracker', 'stateOfPercent', 'stateOf');
  const thresholds = resolveThresholds(thresholdsOf(config));
  return stateOf(shareOfPercent(usagePercent) as number, thresholds) as ContextState;
}
