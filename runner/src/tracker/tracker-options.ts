import { decimalShare, hasRoomFor, tokensRemaining, tokensUntil } from '../../../core/accounting/state';
import {
  DEFAULT_THRESHOLDS,
  HIGHEST_LINE,
  isNever,
  resolveThresholds,
  THRESHOLD_NAMES,
} from '../../../core/accounting/thresholds';
import type { PressureState, StateBounds, Thresholds } from '../../../core/accounting/types';
import type { ReadingBasis } from '../../../core/protocol/items';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { FieldsOf, Moment, TokenUsage, TurnFields } from '../client/client-types';
import type { Logger } from '../logger';
import { hintRenamed } from '../old-names';
import { statedOf } from '../usage/read-field';
import type { ToolPairs } from './compress-context';
import { countContent, readContent } from './message-content';

/** Options of a `ContextTracker`; all but `limit` have a default. */
export interface ContextTrackerOptions<M extends object = object> {
  /** The context window, tokens: a whole number from 1. */
  limit: number;
  /** Counts tokens. Default: `estimatingCounter`. With a tokenizer: `createCounter(text => encode(text).length)`. */
  counter?: TokenCounter<M> | undefined;
  /** Bounds of the states and lines, shares of the limit. Default: `DEFAULT_THRESHOLDS`. A line above 1: never. */
  thresholds?: Partial<Thresholds> | undefined;
  /** Initial messages, oldest first. Default: none. */
  messages?: Iterable<M> | undefined;
  /**
   * Whether to compress automatically when an added message reaches the compress line. Default: off. The default of
   * `target`, a share of the limit, is 0.5, or half the compress line if that line is at most 0.5.
   */
  autoCompress?: boolean | { target?: number | undefined } | undefined;
  /**
   * `together` (default): a tool call and its results are removed together, because vendors require both. `apart`: each
   * message is removed on its own, and you keep the conversation valid.
   */
  toolPairs?: ToolPairs | undefined;
  /** Number of newest snapshots that `history()` keeps; Infinity keeps all. Default 1000. */
  historyLimit?: number | undefined;
  /** Receives clears, compressions and reported turns. Default: nothing is reported. */
  session?: TrackerSession | undefined;
  /** The session's chain to which this context belongs: a sub-agent's key. Default: the main chain. */
  chain?: string | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
  /** Clock, milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined;
}

/** The session to which a tracker reports: a `RunnerSession`, or any object with these methods. */
export interface TrackerSession {
  /** A main call, with the context's composition. */
  turn(fields: TurnFields): unknown;
  /** The context's size between calls, tokens. */
  reading(fields: FieldsOf<'reading'>): unknown;
  /** The context was emptied. */
  clear(fields: FieldsOf<'clear'>): unknown;
  /** Messages were removed from the context. */
  compress(fields: FieldsOf<'compress'>): unknown;
  /** Optional. Takes the lens before the first report. */
  start?(fields: FieldsOf<'session_start'>): unknown;
}

/** Facts about a call that the tracker cannot know. */
export interface TurnReport {
  /** The vendor's deltas of this call; null or absent: unknown. */
  usage?: TokenUsage | null | undefined;
  /** The provider's message or response id. */
  call?: string | undefined;
  /** Model that answered. */
  model?: string | undefined;
  /** The context's size from the provider, tokens; it corrects the tracker. Default: the tracker's own sum. */
  contextTokens?: number | undefined;
  /** What `contextTokens` counts. Default `total`: input and output of the call. */
  basis?: ReadingBasis | undefined;
  /** Target of the reported compression, a share of the limit from 0 to 1. Default 0.5. */
  target?: number | undefined;
  /** Time of the call. Default: now. */
  at?: Moment | undefined;
}

/** Facts of a reading between calls. */
export type ReadingReport = Pick<TurnReport, 'call' | 'model' | 'at'>;

/** Facts of a message that the caller knows. */
export interface AddOptions {
  /** Tokens of the message. Default: the counter counts them. */
  tokens?: number | undefined;
  /** Whether `tokens` is the vendor's own count. Default true. */
  isExact?: boolean | undefined;
}

/** Result of a compression, in tokens and messages. */
export interface CompressionResult {
  /** Tokens in the context before. */
  tokensBefore: number;
  /** Tokens in the context afterwards. */
  tokensAfter: number;
  /** Messages removed. */
  removed: number;
}

/** Counts the tokens of one message, for example with the model's own tokenizer. */
export interface TokenCounter<M extends object = object> {
  /** @returns a whole number of tokens from 0, including those for the role and other message overhead. */
  countMessage(message: M): number;
  /** True if the counts are the vendor's own. Otherwise they are reported as estimates. */
  readonly isExact?: boolean;
}

/** A counter that may be asynchronous, for `SharedContextTracker`. */
export interface AsyncTokenCounter<M extends object = object> {
  /** As `TokenCounter.countMessage`, or a promise of the count. */
  countMessage(message: M): number | Promise<number>;
  /** As in `TokenCounter`. */
  readonly isExact?: boolean;
}

/**
 * A counter for messages in any vendor's shape. Images count by their provider's published formula.
 * @param countTokens counts a text, for example with the model's tokenizer. Default: `estimateTokens`.
 * @returns a counter with `isExact: false`, because it does not count the vendor's own message overhead.
 */
export function createCounter(countTokens?: (text: string) => number): TokenCounter {
  return { countMessage: (message) => countContent(readContent(message), countTokens), isExact: false };
}

/** The default counter: `estimateTokens` of each text of a message, and the formulas for images. */
export const estimatingCounter: TokenCounter = createCounter();

/** @throws RangeError unless `tokens` is a whole number from 0 to 2^53−1. */
export function checkTokens(tokens: unknown): number {
  if (Number.isSafeInteger(tokens) && Number(tokens) >= 0) return Number(tokens);
  const what =
    tokens instanceof Promise ? 'a promise (SharedContextTracker takes such counters)' : String(tokens);
  throw new RangeError(`a message counts a whole number of tokens from 0, but the counter returned ${what}`);
}

export const DEFAULT_TARGET = 0.5;
export const OPTION_NAMES =
  'limit counter thresholds messages autoCompress toolPairs historyLimit session chain logger now'.split(' ');

/** @throws RangeError for an option out of range, and UnknownSettingError for an unknown option, naming it. */
export function checkOptions<M extends object>(options: ContextTrackerOptions<M>) {
  refuseUnknownSettings(options, OPTION_NAMES);
  const { limit, counter, toolPairs = 'together', historyLimit = 1000 } = options;
  checkWhole('limit', limit, 1);
  if (counter !== undefined && typeof counter.countMessage !== 'function') {
    throw new RangeError(
      '"counter" must have countMessage; createCounter(countTokens) makes one of a function',
    );
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

function checkWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`"${name}" must be a whole number of tokens from ${least}, not ${String(value)}`);
}

/**
 * @param most 1 if the target is sent to the server. A higher target than the default is a percentage.
 * @throws RangeError if the share is out of range.
 */
export function checkTarget(target: number, most = HIGHEST_LINE): number {
  if (Number.isFinite(target) && target >= 0 && target <= most) return target;
  throw new RangeError(`the target must be a share of the limit from 0 to ${most}, not ${String(target)}`);
}

/** @returns the target of automatic compression, a share; null: off. @throws RangeError for an invalid target. */
export function resolveAutoCompress(
  option: ContextTrackerOptions['autoCompress'],
  line: number,
): number | null {
  if (option === undefined || option === false || isNever(line)) return null;
  const given = option === true ? undefined : option.target;
  // A default target at or above the line would remove nothing.
  return checkTarget(given ?? (line > DEFAULT_TARGET ? DEFAULT_TARGET : line / 2));
}

/** Whether the tokens are at or above a share of the limit, exact for the decimal digits of the share. */
export function reaches(tokens: number, limit: number, share: number): boolean {
  const { numerator, denominator } = decimalShare(share);
  return BigInt(tokens) * denominator >= numerator * BigInt(limit);
}

/**
 * Adds the defaults.
 * @throws UnknownSettingError for an unknown name, with the nearest known name.
 * @throws RangeError if a threshold is not above 0, or the bounds do not ascend.
 */
export function resolveTrackerThresholds(overrides: Partial<Thresholds> = {}): Thresholds {
  refuseUnknownSettings(overrides, THRESHOLD_NAMES);
  return resolveThresholds(statedOf(overrides));
}

export { isConcerning, needsReset } from '../../../core/accounting/state';

/** How full the context is, from `nominal` to `redlined` (at or above the limit). */
export type ContextState = Exclude<PressureState, 'untracked' | 'unknown'>;

function stateAt(tokens: number, limit: number, thresholds: Readonly<StateBounds>): ContextState {
  const bounds = ['redlined', 'critical', 'warning', 'elevated'] as const;
  return bounds.find((state) => reaches(tokens, limit, thresholds[state])) ?? 'nominal';
}

/** The usage of a context at one moment. Can be copied, compared and written as JSON. */
export class UsageSnapshot {
  /** How full the context is. */
  readonly state: ContextState;
  /** Share of the limit in use; above 1 if exceeded. */
  readonly pressure: number;
  /** max(0, limit − contextTokens). */
  readonly tokensRemaining: number;
  /** max(0, floor(`warning` × limit) − contextTokens). */
  readonly tokensUntilWarning: number;
  /** max(0, floor(`restartLine` × limit) − contextTokens). */
  readonly tokensUntilRestartLine: number;

  /** @throws RangeError if the limit is not a whole number from 1, or the tokens are not one from 0. */
  constructor(
    /** Tokens in the context. */
    readonly contextTokens: number,
    /** The context window, tokens. */
    readonly limit: number,
    /** Bounds of the states and lines, shares of the limit. Default: `DEFAULT_THRESHOLDS`. */
    thresholds: Readonly<Thresholds> = DEFAULT_THRESHOLDS,
    /** Milliseconds since the epoch. Default: now. */
    readonly timestamp: number = Date.now(),
  ) {
    checkWhole('contextTokens', contextTokens, 0);
    checkWhole('limit', limit, 1);
    this.state = stateAt(contextTokens, limit, thresholds);
    this.pressure = contextTokens / limit;
    this.tokensRemaining = tokensRemaining(limit, contextTokens);
    this.tokensUntilWarning = tokensUntil(thresholds.warning, limit, contextTokens);
    this.tokensUntilRestartLine = tokensUntil(thresholds.restartLine, limit, contextTokens);
  }

  /** @deprecated Use `contextTokens`. @hidden */
  get tokensUsed(): number {
    hintRenamed('UsageSnapshot', 'tokensUsed', 'contextTokens');
    return this.contextTokens;
  }

  /** @deprecated Use `limit`. @hidden */
  get maxTokens(): number {
    hintRenamed('UsageSnapshot', 'maxTokens', 'limit');
    return this.limit;
  }

  /** @deprecated Use `pressure`, a share. @hidden */
  get usagePercent(): number {
    hintRenamed('UsageSnapshot', 'usagePercent', 'pressure');
    return (this.contextTokens * 100) / this.limit;
  }

  /** @deprecated Use `tokensUntilRestartLine`. @hidden */
  get tokensUntilRedline(): number {
    hintRenamed('UsageSnapshot', 'tokensUntilRedline', 'tokensUntilRestartLine');
    return this.tokensUntilRestartLine;
  }

  /** Whether this many more tokens fit into the limit. */
  hasRoomFor(tokens: number): boolean {
    return hasRoomFor(tokens, this.limit, this.contextTokens);
  }
}
