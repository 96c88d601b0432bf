import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { Logger } from '../logger';
import type { ToolPairs } from './compress-context';
import { countCharacters } from './read-message';
import type { TrackerSession } from './report-context';
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

const OPTION_NAMES: readonly string[] =
  'maxTokens counter config messages autoCompress toolPairs historyLimit session chain logger now'.split(' ');

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

/** Counts the tokens of one message. A tokenizer of the model's own fits in here. */
export interface TokenCounter<M extends object = object> {
  /** @returns a whole number of tokens from 0; what a message costs beside its text (its role) belongs to it. */
  countMessage(message: M): number;
  /** True: these are the vendor's own counts. Else they are estimates, and are reported as such. */
  readonly isExact?: boolean;
}

/** A counter that may take its time, as one that asks the vendor: for `SharedContextTracker`. */
export interface AsyncTokenCounter<M extends object = object> {
  /** As `TokenCounter.countMessage`, or a promise of it. */
  countMessage(message: M): number | Promise<number>;
  readonly isExact?: boolean;
}

/** ceil(characters / 4) over the text of a message of any vendor's shape: an estimate. */
export const estimatingCounter: TokenCounter = {
  countMessage: (message) => Math.ceil(countCharacters(message) / 4),
  isExact: false,
};

/** @throws RangeError unless it is a whole number of tokens from 0 to 2^53−1. */
export function checkTokens(tokens: unknown): number {
  if (Number.isSafeInteger(tokens) && Number(tokens) >= 0) return Number(tokens);
  const what =
    tokens instanceof Promise ? 'a promise (SharedContextTracker takes such counters)' : String(tokens);
  throw new RangeError(`a message counts a whole number of tokens from 0, but the counter returned ${what}`);
}

export const DEFAULT_TARGET_PERCENT = 50;
const DEFAULT_HISTORY_LIMIT = 1000;

/** @throws RangeError for an option out of range, naming it. */
export function checkOptions<M extends object>(options: ContextTrackerOptions<M>) {
  const { maxTokens, toolPairs = 'together', historyLimit = DEFAULT_HISTORY_LIMIT } = options;
  if (!Number.isSafeInteger(maxTokens)) {
    throw new RangeError(`"maxTokens" must be a whole number of tokens, not ${String(maxTokens)}`);
  }
  if (toolPairs !== 'together' && toolPairs !== 'apart') {
    throw new RangeError(`"toolPairs" must be together or apart, not ${String(toolPairs)}`);
  }
  const isWhole = Number.isSafeInteger(historyLimit) && historyLimit >= 0;
  if (historyLimit !== Number.POSITIVE_INFINITY && !isWhole) {
    throw new RangeError('"historyLimit" must be a whole number from 0, or Infinity');
  }
  return { maxTokens, toolPairs, historyLimit };
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
  line: number,
): number | null {
  if (option === undefined || option === false) return null;
  const given = option === true ? undefined : option.targetPercent;
  // A default at or above the line would free nothing when the line is reached.
  return checkTargetPercent(given ?? (line > DEFAULT_TARGET_PERCENT ? DEFAULT_TARGET_PERCENT : line / 2));
}
