/** What the restart loop needs of an agent and of a session, and what it takes and gives. */
import type { PressureState } from '../../../core/accounting/types';
import type { LensName } from '../../../core/protocol/items';
import type { Logger } from '../logger';
import type { TurnFacts, UsageProcessorOptions, UsageSession } from '../usage/usage-processor';

/** Context of a session's start. */
export interface StartContext {
  /** 0 for the first context, 1 for the first continuation. */
  continuation: number;
  /** Aborts when this context ends before its stream does, and when the owner cancels. */
  signal: AbortSignal;
}

/** Context of a query to an old session. */
export interface QueryContext {
  signal: AbortSignal;
}

/**
 * An agent as the restart loop drives it: something that begins a session with a prompt, and answers one question of
 * an old one.
 */
export interface Agent<Message> {
  /**
   * Starts a fresh session and everything that belongs to its life: nothing of an earlier context may be reused.
   * @returns its messages, in order; the loop reads them one by one.
   */
  start(prompt: string, context: StartContext): AsyncIterable<Message> | Promise<AsyncIterable<Message>>;
  /**
   * Sends a prompt as a new query to a session whose stream has ended, and returns the text it answers with.
   * A session without room for it throws: see `isPromptTooLong`.
   */
  query(sessionId: string, prompt: string, context: QueryContext): Promise<string>;
  /**
   * Makes what reads the messages of one context; called once for each. Default: `readAgentMessage`, which knows
   * the messages of Claude, Codex and opencode and plain objects like `{ sessionId, usage }`.
   */
  createReader?(): MessageReader<Message>;
  /** Name of the client, for the session's ids on the server: `claude-code`. */
  readonly client?: string | undefined;
  /** How pressure follows from what the reader finds. Default `cumulative`. */
  readonly lens?: LensName | undefined;
}

/** Reads what one message of an agent means for its context. */
export type MessageReader<Message> = (message: Message) => MessageFacts;

/** Facts of one message of an agent. */
export interface MessageFacts extends TurnFacts {
  /**
   * What a turn spent, in any vendor's shape. `null`: the turn ended and the vendor stated nothing, which
   * disables tracking. Absent: the message has no usage.
   */
  usage?: unknown;
  /** The message ends a turn: the last of them is the run's result. Default: whether it has a usage. */
  isResult?: boolean | undefined;
  /** False: the agent is done here, so that a full context needs no restart. Default true. */
  goesOn?: boolean | undefined;
  /** The client itself ended the context in place; a usage beside it belongs to the context that ended. */
  boundary?: ClientBoundary | undefined;
}

/** A boundary that the client made by itself. Token counts as the client states them. */
export type ClientBoundary =
  | {
      kind: 'compaction';
      trigger: 'auto' | 'manual';
      /** Tokens before and kept, as the client states them: shown on the event, in no sum. */
      preTokens?: number | undefined;
      postTokens?: number | undefined;
      durationMs?: number | undefined;
      /** The client's own id of the compaction. */
      id?: string | undefined;
    }
  | { kind: 'clear' };

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

/** Why there is no checkpoint, so that the fresh session begins with the minimal prompt. */
export type MissingCheckpoint = 'no_session' | 'prompt_too_long' | 'empty' | 'timeout' | 'failed';

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
