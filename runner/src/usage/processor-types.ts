/** Types of the usage processor. */
import type { PressureState } from '../../../core/accounting/types';
import type { LensName, ReadingBasis } from '../../../core/protocol/items';
import type { Logger } from '../logger';
import type { ContextPressure, ContextUsage } from './context-usage';
import type { ReadUsageOptions, TurnUsage } from './read-usage';
import type { UsageSession } from './usage-session';

/** Options of a `UsageProcessor`; each has a default. */
export interface UsageProcessorOptions extends ReadUsageOptions {
  /** The sums to use. Default: new sums. */
  usage?: ContextUsage | undefined;
  /** The context window, tokens. Default: what the client reports, else the model's known window, else 200 000. */
  limit?: number | undefined;
  /** Share of the limit at which `process` throws, above 0 and at most 2. Default 0.90. */
  restartLine?: number | undefined;
  /** @deprecated Use `restartLine`. @hidden */
  threshold?: number | undefined;
  /**
   * `snapshot`: pressure is the size of the last call; each turn must be a single call, or state its `contextTokens`.
   * `cumulative`: pressure is computed from the sums of the context, for turns that do not repeat the history in their
   * input. Default: `snapshot` if the first usage is that of a single call (a response of a provider, a
   * result or step of the AI SDK, a message of LangChain), `cumulative` for results of agents and for usages of unknown
   * origin.
   */
  lens?: LensName | undefined;
  /** The agent's id of the session, for errors and log lines. Default: the id that messages name. */
  sessionId?: string | undefined;
  /** The model, for its window. Default: the model that messages name. */
  model?: string | undefined;
  /** Whether the vendor reports totals of the thread (Codex 0.169). A turn then counts as the difference of totals. Default false. */
  runningTotals?: boolean | undefined;
  /** Receives the turns. Default: nothing is reported. */
  session?: UsageSession | undefined;
  /** Logs turns at `debug`, and what is assumed or missing at `warn`. Default: none. */
  logger?: Logger | undefined;
}

/** Facts of a turn besides its usage. */
export interface TurnFacts {
  /** The provider's id of the response. */
  call?: string | undefined;
  /** The provider's id of the request, by which OpenTelemetry may report the same call. */
  request?: string | undefined;
  /** The agent's id of the session. */
  sessionId?: string | undefined;
  /** Model that answered. */
  model?: string | undefined;
  /** The window that the client reports with this turn, tokens. */
  limit?: number | undefined;
  /** The context's size after this turn, tokens. Default with the snapshot lens: the size in the usage. */
  contextTokens?: number | undefined;
  /** What `contextTokens` counts. Default `total`: input and output. */
  basis?: ReadingBasis | undefined;
  /** `side`: a call without the chain's history (titling, classification). Reported, but not part of any sum. */
  scope?: 'main' | 'side' | undefined;
}

/** State of the context after a message. Sums in tokens. */
export interface TurnOutcome extends Omit<ContextPressure, 'sessionId'> {
  /** Usage of the call or turn. Null: the message had none, or earlier messages have counted it. */
  usage: TurnUsage | null;
  /** The context window, tokens. */
  limit: number;
  /** `assumed`: the window of the model is unknown, so the pressure is an estimate. */
  limitSource: LimitSource;
  /** How full the context is. */
  state: PressureState;
}

/** Where the limit of a `UsageProcessor` is from. */
export type LimitSource = 'given' | 'client' | 'table' | 'assumed';
