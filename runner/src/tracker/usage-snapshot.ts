import { hasRoomFor, tokensRemaining } from '../../../core/accounting/state';
import {
  type ContextState,
  percentOf,
  stateOfTokens,
  type TrackerLines,
  tokensAtLine,
} from './tracker-config';

/** What a context held at one moment. Plain numbers: it can be copied, compared and written as JSON. */
export class UsageSnapshot {
  /** Tokens in the context. */
  readonly tokensUsed: number;
  /** The context window, tokens. */
  readonly maxTokens: number;
  readonly state: ContextState;
  /** Percent of the window in use; above 100 when it is overshot, 0 where there is no limit. */
  readonly usagePercent: number;
  /** max(0, maxTokens − tokensUsed). */
  readonly tokensRemaining: number;
  /** max(0, floor(warning line × maxTokens) − tokensUsed). */
  readonly tokensUntilWarning: number;
  /** max(0, floor(restart line × maxTokens) − tokensUsed). */
  readonly tokensUntilRedline: number;
  /** When it was taken, milliseconds since the epoch. */
  readonly timestamp: number;

  constructor(tokensUsed: number, maxTokens: number, lines: TrackerLines, timestamp: number) {
    this.tokensUsed = tokensUsed;
    this.maxTokens = maxTokens;
    this.state = stateOfTokens(tokensUsed, maxTokens, lines);
    this.usagePercent = percentOf(tokensUsed, maxTokens);
    this.tokensRemaining = tokensRemaining(maxTokens, tokensUsed);
    this.tokensUntilWarning = Math.max(0, tokensAtLine(lines.warning, maxTokens) - tokensUsed);
    this.tokensUntilRedline = Math.max(0, tokensAtLine(lines.redline, maxTokens) - tokensUsed);
    this.timestamp = timestamp;
  }

  /** Whether so many tokens more fit into the window. */
  hasRoomFor(tokens: number): boolean {
    return hasRoomFor(tokens, this.maxTokens, this.tokensUsed);
  }
}
