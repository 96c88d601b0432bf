import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { Logger } from '../logger';
import type { ToolPairs } from './compress-context';
import type { TrackerSession } from './report-context';
import type { TokenCounter } from './token-counter';
import type { TrackerConfig } from './tracker-config';

/** What a `ContextTracker` takes; all but `maxTokens` has a default. */
export interface ContextTrackerOptions<M extends object = object> {
  /** The context window, tokens: a whole number. 0 or less: there is no limit, and usage reads 0 %. */
  maxTokens: number;
  /** Default: ceil(characters / 4), an estimate. */
  counter?: TokenCounter<M> | undefined;
  /** Where states and lines lie, percent. */
  config?: Partial<TrackerConfig> | undefined;
  /** What is in the context already, oldest first: added one by one, before any subscription. */
  messages?: Iterable<M> | undefined;
  /**
   * Compress by itself once an added message reaches the compress line, down to `targetPercent`: default 50, or
   * half of a line that is not above 50. Default: off.
   */
  autoCompress?: boolean | { targetPercent?: number | undefined } | undefined;
  /**
   * `together` (default): what a vendor accepts only together leaves together, a tool call with its results.
   * `apart`: message by message, and the owner sees to it that the conversation stays valid.
   */
  toolPairs?: ToolPairs | undefined;
  /** Snapshots that `history()` keeps, the newest; Infinity keeps all. Default 1000. */
  historyLimit?: number | undefined;
  /** Where clearing, compressing and the reported turns go. Without one nothing is reported. */
  session?: TrackerSession | undefined;
  /** The chain of the session that this context belongs to: a sub-agent's key. Default: the main chain. */
  chain?: string | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
  /** Clock, milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined;
}

const OPTION_NAMES = Object.keys({
  maxTokens: true,
  counter: true,
  config: true,
  messages: true,
  autoCompress: true,
  toolPairs: true,
  historyLimit: true,
  session: true,
  chain: true,
  logger: true,
  now: true,
} satisfies Record<keyof ContextTrackerOptions, true>);

/**
 * @param except what this kind of tracker does not take.
 * @throws UnknownSettingError that names the option and the nearest one that exists.
 */
export function refuseUnknownOptions(options: object, except: readonly string[] = []): void {
  const known = OPTION_NAMES.filter((name) => !except.includes(name));
  refuseUnknownSettings(options, known);
}

/** What the caller knows of a message already. */
export interface AddOptions {
  /** Its tokens, where they are known: the counter is not asked. */
  tokens?: number | undefined;
  /** Whether `tokens` is the vendor's own count. Default true. */
  isExact?: boolean | undefined;
}

/** What a compression did, in tokens and messages. */
export interface CompressionResult {
  tokensBefore: number;
  tokensAfter: number;
  /** Messages removed. */
  removed: number;
}

/** @throws RangeError */
export function checkToolPairs(toolPairs: ToolPairs = 'together'): ToolPairs {
  if (toolPairs === 'together' || toolPairs === 'apart') return toolPairs;
  throw new RangeError(`"toolPairs" must be together or apart, not ${String(toolPairs)}`);
}

export const DEFAULT_TARGET_PERCENT = 50;
const DEFAULT_HISTORY_LIMIT = 1000;

/** @throws RangeError */
export function checkMaxTokens(maxTokens: number): number {
  if (Number.isSafeInteger(maxTokens)) return maxTokens;
  throw new RangeError(`"maxTokens" must be a whole number of tokens, not ${String(maxTokens)}`);
}

/** @throws RangeError */
export function checkHistoryLimit(limit: number = DEFAULT_HISTORY_LIMIT): number {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new RangeError('"historyLimit" must be a whole number from 0, or Infinity');
}

/** @throws RangeError @param most 100 where it goes over the wire. */
export function checkTargetPercent(percent: number, most = Number.MAX_VALUE): number {
  if (Number.isFinite(percent) && percent >= 0 && percent <= most) return percent;
  const upTo = most === 100 ? ' and at most 100' : '';
  throw new RangeError(`the target must be a percentage of at least 0${upTo}, not ${String(percent)}`);
}

/** @returns the target of automatic compression, percent; null: it is off. @throws RangeError */
export function resolveAutoCompress(
  option: ContextTrackerOptions['autoCompress'],
  config: Readonly<TrackerConfig>,
): number | null {
  if (option === undefined || option === false) return null;
  const given = option === true ? undefined : option.targetPercent;
  const { autoCompressPercent: line } = config;
  // A default at or above the line would free nothing when the line is reached.
  return checkTargetPercent(given ?? (line > DEFAULT_TARGET_PERCENT ? DEFAULT_TARGET_PERCENT : line / 2));
}
