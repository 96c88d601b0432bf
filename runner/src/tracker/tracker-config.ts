import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { type PercentLine, percentLine } from './percent-line';

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
   * down to. The state `redlined` begins at 100 whatever this says. Above 100: never. Default 90.
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
