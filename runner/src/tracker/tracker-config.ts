/** Percentages of a limit, exact for every whole number of tokens. */
import { type DecimalShare, decimalShare, floorOf } from '../../../core/accounting/decimal-share';
import type { PressureState } from '../../../core/accounting/types';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';

/** The line as a share of the limit. */
export interface PercentLine extends DecimalShare {
  readonly percent: number;
}

/** @param percent finite and not negative, as in 75 or 33.3. */
export function percentLine(percent: number): PercentLine {
  const { numerator, denominator } = decimalShare(percent);
  return { percent, numerator, denominator: denominator * 100n };
}

/** Whether so many tokens are at or above the line. Without a limit (0 or less) no line is ever reached. */
export function reaches(tokens: number, maxTokens: number, line: PercentLine): boolean {
  if (maxTokens <= 0) return false;
  return BigInt(tokens) * line.denominator >= line.numerator * BigInt(maxTokens);
}

/** floor(line × limit), tokens; 0 without a limit. */
export function tokensAtLine(line: PercentLine, maxTokens: number): number {
  return floorOf(line, Math.max(0, maxTokens));
}

/** Percentage of the limit in use, never clamped; 0 without a limit, so never NaN or Infinity. */
export function percentOf(tokens: number, maxTokens: number): number {
  return maxTokens <= 0 ? 0 : (tokens * 100) / maxTokens;
}

/** Where the tracker's states begin and where its two lines lie. Percent of the context window. */
export interface TrackerConfig {
  /** `elevated` from here. Default 50. */
  elevatedPercent: number;
  /** `warning` from here: what `tokensUntilWarning` counts down to. Default 75. */
  warningPercent: number;
  /** `critical` from here. Default 85. */
  criticalPercent: number;
  /**
   * The restart line: `approaching_redline` when it is reached from below, and what `tokensUntilRedline` counts
   * down to. The state `redlined` always begins at 100. Above 100: never. Default 90.
   */
  redlinePercent: number;
  /** The compress line: automatic compression, where it is on, begins here. Above 100: never. Default 80. */
  autoCompressPercent: number;
}

/** Bounds and lines where the owner sets none. */
export const DEFAULT_TRACKER_CONFIG: Readonly<TrackerConfig> = {
  elevatedPercent: 50,
  warningPercent: 75,
  criticalPercent: 85,
  redlinePercent: 90,
  autoCompressPercent: 80,
};

/** The bounds and lines as exact fractions. */
export interface TrackerLines {
  readonly elevated: PercentLine;
  readonly warning: PercentLine;
  readonly critical: PercentLine;
  readonly redlined: PercentLine;
  readonly redline: PercentLine;
  readonly autoCompress: PercentLine;
}

/**
 * Fills what is left out with the defaults.
 * @throws UnknownSettingError for a name that is none of them, with the nearest one.
 * @throws RangeError when a percentage is not above 0, or the bounds do not ascend: elevated < warning <
 * critical < 100. The lines `redlinePercent` and `autoCompressPercent` are independent of the bounds.
 */
export function resolveTrackerConfig(overrides: Partial<TrackerConfig> = {}): TrackerConfig {
  refuseUnknownSettings(overrides, Object.keys(DEFAULT_TRACKER_CONFIG));
  const config: TrackerConfig = { ...DEFAULT_TRACKER_CONFIG, ...withoutUndefined(overrides) };
  for (const [name, percent] of Object.entries(config)) {
    if (!(Number.isFinite(percent) && percent > 0)) {
      throw new RangeError(`"${name}" must be a percentage above 0, as in 75`);
    }
  }
  const { elevatedPercent, warningPercent, criticalPercent } = config;
  if (!(elevatedPercent < warningPercent && warningPercent < criticalPercent && criticalPercent < 100)) {
    throw new RangeError(
      'the bounds must ascend: elevatedPercent < warningPercent < criticalPercent < 100, where redlined begins',
    );
  }
  return config;
}

export function linesOf(config: Readonly<TrackerConfig>): TrackerLines {
  return {
    elevated: percentLine(config.elevatedPercent),
    warning: percentLine(config.warningPercent),
    critical: percentLine(config.criticalPercent),
    redlined: percentLine(100),
    redline: percentLine(config.redlinePercent),
    autoCompress: percentLine(config.autoCompressPercent),
  };
}

function withoutUndefined<T extends object>(values: T): Partial<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

export { isConcerning, needsReset } from '../../../core/accounting/state';

/** How full the context is, from plenty of room to at or over the limit. */
export type ContextState = Exclude<PressureState, 'untracked' | 'unknown'>;

/** State of a percentage; bounds are inclusive. For counts, `stateOfTokens` is exact where this one rounds. */
export function stateOfPercent(
  usagePercent: number,
  config: Readonly<
    Pick<TrackerConfig, 'elevatedPercent' | 'warningPercent' | 'criticalPercent'>
  > = DEFAULT_TRACKER_CONFIG,
): ContextState {
  if (usagePercent >= 100) return 'redlined';
  if (usagePercent >= config.criticalPercent) return 'critical';
  if (usagePercent >= config.warningPercent) return 'warning';
  if (usagePercent >= config.elevatedPercent) return 'elevated';
  return 'nominal';
}

/** State of so many tokens in a window; nominal where there is no limit (0 or less). */
export function stateOfTokens(tokens: number, maxTokens: number, lines: TrackerLines): ContextState {
  if (reaches(tokens, maxTokens, lines.redlined)) return 'redlined';
  if (reaches(tokens, maxTokens, lines.critical)) return 'critical';
  if (reaches(tokens, maxTokens, lines.warning)) return 'warning';
  if (reaches(tokens, maxTokens, lines.elevated)) return 'elevated';
  return 'nominal';
}
