import type { ReadingBasis, Usage } from '../../../core/protocol/items';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { FieldsOf, Moment } from '../client/client-types';
import type { Logger } from '../logger';
import type { ToolPairs } from './compress-context';
import { countCharacters } from './read-message';
import type { TrackerConfig } from './tracker-config';

/** Options of a `ContextTracker`; all but `maxTokens` have a default. */
export interface ContextTrackerOptions<M extends object = object> {
  /** The context window, tokens: a whole number. 0 or less: no limit, and usage reads 0 %. */
  maxTokens: number;
  /** Default: ceil(characters / 4), an estimate. */
  counter?: TokenCounter<M> | undefined;
  /** Bounds of the states and lines, percent. */
  config?: Partial<TrackerConfig> | undefined;
  /** Initial messages, oldest first. */
  messages?: Iterable<M> | undefined;
  /**
   * Compress automatically when an added message reaches the compress line, down to `targetPercent`: default 50, or half
   * of a line at or below 50. Default: off.
   */
  autoCompress?: boolean | { targetPercent?: number | undefined } | undefined;
  /**
   * `together` (default): a tool call and its results are removed together, because vendors require both. `apart`: message
   * by message; you keep the conversation valid.
   */
  toolPairs?: ToolPairs | undefined;
  /** Number of newest snapshots that `history()` keeps; Infinity keeps all. Default 1000. */
  historyLimit?: number | undefined;
  /** Receives clears, compressions and reported turns. Default: nothing is reported. */
  session?: TrackerSession | undefined;
  /** The chain of the session that this context belongs to: a sub-agent's key. Default: the main chain. */
  chain?: string | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
  /** Clock, milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined;
}

/** The session that a tracker reports to: one of `createClient`, or any object with these methods. */
export interface TrackerSession {
  /** A main call, with the context's composition. */
  turn(fields: FieldsOf<'turn'>): unknown;
  /** The context's size between calls, tokens. */
  reading(fields: FieldsOf<'reading'>): unknown;
  /** The context was emptied. */
  clear(fields: FieldsOf<'clear'>): unknown;
  /** Messages were removed from the context. */
  compress(fields: FieldsOf<'compress'>): unknown;
}

/** Facts of a call that the tracker does not know. */
export interface TurnReport {
  /** The vendor's deltas of this call; null or absent: unknown. */
  usage?: Usage | null | undefined;
  /** The provider's message or response id. */
  call?: string | undefined;
  model?: string | undefined;
  /** The context's size from the provider, tokens. Default: the tracker's own sum. */
  contextTokens?: number | undefined;
  /** What `contextTokens` counts. */
  basis?: ReadingBasis | undefined;
  /** Target of the reported compression, 0 to 100. Default 50. */
  targetPercent?: number | undefined;
  at?: Moment | undefined;
}

/** Facts of a reading between calls. */
export type ReadingReport = Pick<TurnReport, 'call' | 'model' | 'at'>;

/** Facts of a message that the caller knows. */
export interface AddOptions {
  /** Its tokens: then the counter is not called. */
  tokens?: number | undefined;
  /** Whether `tokens` is the vendor's own count. Default true. */
  isExact?: boolean | undefined;
}

/** Result of a compression, in tokens and messages. */
export interface CompressionResult {
  tokensBefore: number;
  tokensAfter: number;
  /** Messages removed. */
  removed: number;
}

/** Counts the tokens of one message, for example with the model's own tokenizer. */
export interface TokenCounter<M extends object = object> {
  /** @returns a whole number of tokens from 0, including those for the role and similar. */
  countMessage(message: M): number;
  /** True: these are the vendor's own counts. Otherwise they are reported as estimates. */
  readonly isExact?: boolean;
}

/** A counter that may be asynchronous, for `SharedContextTracker`. */
export interface AsyncTokenCounter<M extends object = object> {
  /** As `TokenCounter.countMessage`, or a promise of it. */
  countMessage(message: M): number | Promise<number>;
  readonly isExact?: boolean;
}

/** An estimate: ceil(characters / 4) of a message in any vendor's shape. */
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
export const OPTION_NAMES =
  'maxTokens counter config messages autoCompress toolPairs historyLimit session chain logger now'.split(' ');

/** @throws RangeError for an option out of range, and UnknownSettingError for an unknown option, naming it. */
export function checkOptions<M extends object>(options: ContextTrackerOptions<M>) {
  refuseUnknownSettings(options, OPTION_NAMES);
  const { maxTokens, toolPairs = 'together', historyLimit = 1000 } = options;
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
  return { ...options, toolPairs, historyLimit };
}

/** @throws RangeError @param most 100 for a target that is reported. */
export function checkTargetPercent(percent: number, most = Number.MAX_VALUE): number {
  if (Number.isFinite(percent) && percent >= 0 && percent <= most) return percent;
  const upTo = most === 100 ? ' and at most 100' : '';
  throw new RangeError(`the target must be a percentage of at least 0${upTo}, not ${String(percent)}`);
}

/** @returns the target of automatic compression, percent; null: off. @throws RangeError */
export function resolveAutoCompress(
  option: ContextTrackerOptions['autoCompress'],
  line: number,
): number | null {
  if (option === undefined || option === false || line > 100) return null;
  const given = option === true ? undefined : option.targetPercent;
  // A default at or above the line would remove nothing.
  return checkTargetPercent(given ?? (line > DEFAULT_TARGET_PERCENT ? DEFAULT_TARGET_PERCENT : line / 2));
}
