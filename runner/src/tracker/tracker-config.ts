/** Percentages of a limit, exact for every whole number of tokens, and the states that follow. */
import { decimalShare, floorOf, hasRoomFor, tokensRemaining } from '../../../core/accounting/state';
import type { PressureState } from '../../../core/accounting/types';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';

/** @param percent finite and not negative, as in 75 or 33.3. */
function shareOf(percent: number) {
  const { numerator, denominator } = decimalShare(percent);
  return { numerator, denominator: denominator * 100n };
}

/** Whether the tokens are at or above the line. Without a limit (0 or less), no line is reached. */
export function reaches(tokens: number, maxTokens: number, percent: number): boolean {
  if (maxTokens <= 0) return false;
  const { numerator, denominator } = shareOf(percent);
  return BigInt(tokens) * denominator >= numerator * BigInt(maxTokens);
}

/** floor(percent × limit), tokens; 0 without a limit. */
export function tokensAtPercent(percent: number, maxTokens: number): number {
  return floorOf(shareOf(percent), Math.max(0, maxTokens));
}

/** Lower bounds of the tracker's states, and its two lines. Percent of the context window. */
export interface TrackerConfig {
  /** `elevated` from here. Default 50. */
  elevatedPercent: number;
  /** `warning` from here, where `tokensUntilWarning` is 0. Default 75. */
  warningPercent: number;
  /** `critical` from here. Default 85. */
  criticalPercent: number;
  /**
   * The restart line: a rise across it emits `approaching_redline`, and `tokensUntilRedline` is 0 from here. The state
   * `redlined` always starts at 100. Above 100: never. Default 90.
   */
  redlinePercent: number;
  /** The compress line: automatic compression starts here. Above 100: never. Default 80. */
  autoCompressPercent: number;
}

/** Default bounds and lines. */
export const DEFAULT_TRACKER_CONFIG: Readonly<TrackerConfig> = {
  elevatedPercent: 50,
  warningPercent: 75,
  criticalPercent: 85,
  redlinePercent: 90,
  autoCompressPercent: 80,
};

/**
 * Adds the defaults.
 * @throws UnknownSettingError for an unknown name, with the nearest one.
 * @throws RangeError if a percentage is not above 0, or the bounds do not ascend: elevated < warning < critical < 100.
 * `redlinePercent` and `autoCompressPercent` are independent of the bounds.
 */
export function resolveTrackerConfig(overrides: Partial<TrackerConfig> = {}): TrackerConfig {
  refuseUnknownSettings(overrides, Object.keys(DEFAULT_TRACKER_CONFIG));
  const given = Object.entries(overrides).filter(([, percent]) => percent !== undefined);
  const config: TrackerConfig = { ...DEFAULT_TRACKER_CONFIG, ...Object.fromEntries(given) };
  for (const [name, percent] of Object.entries(config)) {
    if (!(Number.isFinite(percent) && percent > 0)) {
      throw new RangeError(`"${name}" must be a percentage above 0, as in 75`);
    }
  }
  const { elevatedPercent, warningPercent, criticalPercent } = config;
  if (!(elevatedPercent < warningPercent && warningPercent < criticalPercent && criticalPercent < 100)) {
    throw new RangeError(
      'the bounds must ascend: elevatedPercent < warningPercent < criticalPercent < 100, where redlined starts',
    );
  }
  return config;
}

export { isConcerning, needsReset } from '../../../core/accounting/state';

/** How full the context is, from `nominal` to `redlined` (at or above the limit). */
export type ContextState = Exclude<PressureState, 'untracked' | 'unknown'>;

type StateBounds = Readonly<Pick<TrackerConfig, 'elevatedPercent' | 'warningPercent' | 'criticalPercent'>>;

/** State of a percentage; bounds are inclusive. A tracker's own states are exact, this one may be rounded. */
export function stateOfPercent(
  usagePercent: number,
  config: StateBounds = DEFAULT_TRACKER_CONFIG,
): ContextState {
  return highestState((percent) => usagePercent >= percent, config);
}

function highestState(isReached: (percent: number) => boolean, config: StateBounds): ContextState {
  if (isReached(100)) return 'redlined';
  if (isReached(config.criticalPercent)) return 'critical';
  if (isReached(config.warningPercent)) return 'warning';
  return isReached(config.elevatedPercent) ? 'elevated' : 'nominal';
}

/** The usage of a context at one moment. Can be copied, compared and written as JSON. */
export class UsageSnapshot {
  /** Tokens in the context. */
  readonly tokensUsed: number;
  /** The context window, tokens. */
  readonly maxTokens: number;
  readonly state: ContextState;
  /** Percent of the window in use; above 100 if exceeded, 0 without a limit. */
  readonly usagePercent: number;
  /** max(0, maxTokens − tokensUsed). */
  readonly tokensRemaining: number;
  /** max(0, floor(warning line × maxTokens) − tokensUsed). */
  readonly tokensUntilWarning: number;
  /** max(0, floor(restart line × maxTokens) − tokensUsed). */
  readonly tokensUntilRedline: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;

  constructor(tokensUsed: number, maxTokens: number, config: Readonly<TrackerConfig>, timestamp: number) {
    const until = (percent: number) => Math.max(0, tokensAtPercent(percent, maxTokens) - tokensUsed);
    this.tokensUsed = tokensUsed;
    this.maxTokens = maxTokens;
    this.state = highestState((percent) => reaches(tokensUsed, maxTokens, percent), config);
    this.usagePercent = maxTokens <= 0 ? 0 : (tokensUsed * 100) / maxTokens;
    this.tokensRemaining = tokensRemaining(maxTokens, tokensUsed);
    this.tokensUntilWarning = until(config.warningPercent);
    this.tokensUntilRedline = until(config.redlinePercent);
    this.timestamp = timestamp;
  }

  /** Whether so many more tokens fit into the window. */
  hasRoomFor(tokens: number): boolean {
    return hasRoomFor(tokens, this.maxTokens, this.tokensUsed);
  }
}
