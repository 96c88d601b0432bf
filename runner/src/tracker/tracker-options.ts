import { decimalShare, floorOf, hasRoomFor, tokensRemaining } from '../../../core/accounting/state';
import type { PressureState } from '../../../core/accounting/types';
import type { ReadingBasis } from '../../../core/protocol/items';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { FieldsOf, Moment, TokenUsage, TurnFields } from '../client/client-types';
import type { Logger } from '../logger';
import { statedOf } from '../usage/read-field';
import type { ToolPairs } from './compress-context';
import { countContent, readContent } from './message-content';

/** Options of a `ContextTracker`; all but `maxTokens` have a default. */
export interface ContextTrackerOptions<M extends object = object> {
  /** The context window, tokens: a whole number from 1. */
  maxTokens: number;
  /** Counts tokens. Default: `estimatingCounter`. With a tokenizer: `createCounter(text => encode(text).length)`. */
  counter?: TokenCounter<M> | undefined;
  /** Bounds of the states and lines, percent. Default: `DEFAULT_TRACKER_CONFIG`. */
  config?: Partial<TrackerConfig> | undefined;
  /** Initial messages, oldest first. Default: none. */
  messages?: Iterable<M> | undefined;
  /**
   * Whether to compress automatically when an added message reaches the compress line. Default: off. The default of
   * `targetPercent` is 50, or half the compress line if that line is at most 50.
   */
  autoCompress?: boolean | { targetPercent?: number | undefined } | undefined;
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
  /** Target of the reported compression, 0 to 100. Default 50. */
  targetPercent?: number | undefined;
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

export const DEFAULT_TARGET_PERCENT = 50;
export const OPTION_NAMES =
  'maxTokens counter config messages autoCompress toolPairs historyLimit session chain logger now'.split(' ');

/** @throws RangeError for an option out of range, and UnknownSettingError for an unknown option, naming it. */
export function checkOptions<M extends object>(options: ContextTrackerOptions<M>) {
  refuseUnknownSettings(options, OPTION_NAMES);
  const { maxTokens, counter, toolPairs = 'together', historyLimit = 1000 } = options;
  checkWhole('maxTokens', maxTokens, 1);
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

/** @param most 100 if the target is sent to the server. @throws RangeError if the percentage is out of range. */
export function checkTargetPercent(percent: number, most = Number.MAX_VALUE): number {
  if (Number.isFinite(percent) && percent >= 0 && percent <= most) return percent;
  const upTo = most === 100 ? ' and at most 100' : '';
  throw new RangeError(`the target must be a percentage of at least 0${upTo}, not ${String(percent)}`);
}

/** @returns the target of automatic compression, percent; null: off. @throws RangeError for an invalid target. */
export function resolveAutoCompress(
  option: ContextTrackerOptions['autoCompress'],
  line: number,
): number | null {
  if (option === undefined || option === false || line > 100) return null;
  const given = option === true ? undefined : option.targetPercent;
  // A default target at or above the line would remove nothing.
  return checkTargetPercent(given ?? (line > DEFAULT_TARGET_PERCENT ? DEFAULT_TARGET_PERCENT : line / 2));
}

/** @param percent finite and not negative, as in 75 or 33.3. */
function shareOf(percent: number) {
  const { numerator, denominator } = decimalShare(percent);
  return { numerator, denominator: denominator * 100n };
}

/** Whether the tokens are at or above a line in percent. */
export function reaches(tokens: number, maxTokens: number, percent: number): boolean {
  const { numerator, denominator } = shareOf(percent);
  return BigInt(tokens) * denominator >= numerator * BigInt(maxTokens);
}

/** floor(percent × limit), tokens; 0 without a limit. */
export function tokensAtPercent(percent: number, maxTokens: number): number {
  return floorOf(shareOf(percent), maxTokens);
}

/** Lower bounds of the tracker's states, and its two lines. Percent of the context window. */
export interface TrackerConfig {
  /** `elevated` from here. Default 50. */
  elevatedPercent: number;
  /** `warning` from here; `tokensUntilWarning` counts down to this line. Default 75. */
  warningPercent: number;
  /** `critical` from here. Default 85. */
  criticalPercent: number;
  /**
   * The restart line: reaching it emits `approaching_redline`, and `tokensUntilRedline` counts down to it. Above 100:
   * no such event. Default 90. The state `redlined` always starts at 100.
   */
  redlinePercent: number;
  /** The compress line, at which automatic compression starts. Above 100: never. Default 80. */
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
 * @throws UnknownSettingError for an unknown name, with the nearest known name.
 * @throws RangeError if a percentage is not above 0, or the bounds do not ascend: elevated < warning < critical < 100.
 * `redlinePercent` and `autoCompressPercent` are independent of the bounds.
 */
export function resolveTrackerConfig(overrides: Partial<TrackerConfig> = {}): TrackerConfig {
  refuseUnknownSettings(overrides, Object.keys(DEFAULT_TRACKER_CONFIG));
  const config: TrackerConfig = { ...DEFAULT_TRACKER_CONFIG, ...statedOf(overrides) };
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

/** State of a percentage; bounds are inclusive. Unlike a tracker's state, the result depends on how you rounded. */
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
  /** How full the context is. */
  readonly state: ContextState;
  /** Percent of the window in use; above 100 if exceeded. */
  readonly usagePercent: number;
  /** max(0, maxTokens − tokensUsed). */
  readonly tokensRemaining: number;
  /** max(0, floor(warning line × maxTokens) − tokensUsed). */
  readonly tokensUntilWarning: number;
  /** max(0, floor(restart line × maxTokens) − tokensUsed). */
  readonly tokensUntilRedline: number;

  /** @throws RangeError if the window is not a whole number from 1, or the tokens are not one from 0. */
  constructor(
    /** Tokens in the context. */
    readonly tokensUsed: number,
    /** The context window, tokens. */
    readonly maxTokens: number,
    /** Bounds of the states and lines, percent. Default: `DEFAULT_TRACKER_CONFIG`. */
    config: Readonly<TrackerConfig> = DEFAULT_TRACKER_CONFIG,
    /** Milliseconds since the epoch. Default: now. */
    readonly timestamp: number = Date.now(),
  ) {
    checkWhole('tokensUsed', tokensUsed, 0);
    checkWhole('maxTokens', maxTokens, 1);
    const until = (percent: number) => Math.max(0, tokensAtPercent(percent, maxTokens) - tokensUsed);
    this.state = highestState((percent) => reaches(tokensUsed, maxTokens, percent), config);
    this.usagePercent = (tokensUsed * 100) / maxTokens;
    this.tokensRemaining = tokensRemaining(maxTokens, tokensUsed);
    this.tokensUntilWarning = until(config.warningPercent);
    this.tokensUntilRedline = until(config.redlinePercent);
  }

  /** Whether this many more tokens fit into the window. */
  hasRoomFor(tokens: number): boolean {
    return hasRoomFor(tokens, this.maxTokens, this.tokensUsed);
  }
}
