import type { PressureState } from '../../../core/accounting/types';
import type { LensName } from '../../../core/protocol/items';
import type { Logger } from '../logger';
import type { UsageProcessorOptions, UsageSession } from '../usage/usage-processor';
import type { Agent } from './agent';
import type { MissingCheckpoint } from './take-checkpoint';

/** The part of the client's `RunnerSession` that a restart loop calls; what is missing is not reported. */
export interface RestartSession extends UsageSession {
  /** The session's key: what log lines call it. */
  readonly key?: string;
  /** The run begins: its lens, line (a share) and window (tokens). */
  start?(fields: {
    lens: LensName;
    restartLine?: number | undefined;
    limit?: number | undefined;
    client?: string | undefined;
  }): unknown;
  /** A context was given up. `pressure` is a share, `checkpoint` is absent where none could be had. */
  restart(fields: {
    continuation: number;
    reason: string;
    pressure: number;
    checkpoint?: string | undefined;
    prompt: string;
  }): unknown;
  /** The client's own id of the session at hand. */
  alias?(fields: { client: string; clientSessionId: string }): unknown;
  /** The client compacted in place. Tokens as it states them. */
  compaction?(fields: {
    trigger: 'auto' | 'manual';
    state: 'confirmed';
    preTokens?: number | undefined;
    postTokens?: number | undefined;
    durationMs?: number | undefined;
    boundary?: string | undefined;
  }): unknown;
  /** The client emptied its context. */
  clear?(fields: Record<string, never>): unknown;
}

/** Where in a run something happened. */
export interface RunPlace {
  /** 0 for the first context, 1 for the first continuation. */
  continuation: number;
  /** As the agent names the session of this context; null: it has not yet. */
  sessionId: string | null;
}

/** A restart that is about to happen. */
export interface RestartNotice {
  /** Number of the continuation that begins, from 1. */
  continuation: number;
  /** Share of the limit at which the context was given up. */
  pressureRatio: number;
  /** Null: there is none, and the minimal prompt goes out. */
  checkpoint: string | null;
  /** The prompt that the fresh session begins with. */
  prompt: string;
}

/** What `runWithRestarts` takes: the agent, its task, and where lines lie. */
export interface RestartOptions<Message>
  extends Pick<
    UsageProcessorOptions,
    'usage' | 'limit' | 'threshold' | 'lens' | 'vendor' | 'model' | 'runningTotals'
  > {
  agent: Agent<Message>;
  /** The task, as the first session gets it. */
  prompt: string;
  /** Name of the run in log lines. Default: the session's key, else `agent`. */
  name?: string | undefined;
  /** Continuations after which no further one begins. Default: any number. */
  maxContinuations?: number | undefined;
  /** The owner's folder of prompts: see `loadPrompt`. */
  promptsFolder?: string | undefined;
  /** Milliseconds that the full session may take to write its checkpoint. Default 300 000. */
  checkpointTimeoutMs?: number | undefined;
  /** Milliseconds that a stream may take to close before it is given up. Default 5 000. */
  stopTimeoutMs?: number | undefined;
  /** Ends the run: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Where turns and restarts are reported to; without one everything else works the same. */
  session?: RestartSession | undefined;
  logger?: Logger | undefined;
  /** Each message, in order, before the next one is asked for. What it throws ends the run. */
  onMessage?: ((message: Message, place: RunPlace) => void | Promise<void>) | undefined;
  /** A context was given up, and the next one is about to begin. */
  onRestart?: ((notice: RestartNotice) => void) | undefined;
}

/** One context of a run. Sums in tokens. */
export interface ContextRecord extends RunPlace {
  prompt: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  pressureRatio: number;
  /** `untracked`: its pressure is meaningless. */
  state: PressureState;
  endedBy: 'agent' | 'pressure';
}

/** How a run ended. */
export interface RestartResult<Message> {
  /** `max_continuations`: the last context was given up too, and `checkpoint` is where one could go on. */
  outcome: 'finished' | 'max_continuations';
  continuations: number;
  contexts: ContextRecord[];
  /** The last message that ended a turn. */
  lastResult: Message | undefined;
  lastMessage: Message | undefined;
  /** The last checkpoint taken. */
  checkpoint: string | null;
  /** Why the last restart had none. */
  missingCheckpoint: MissingCheckpoint | null;
}
