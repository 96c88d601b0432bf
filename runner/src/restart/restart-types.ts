import type { PressureState } from '../../../core/accounting/types';
import type { LensName } from '../../../core/protocol/items';
import type { FieldsOf, RunnerCommand } from '../client/client-types';
import type { Logger } from '../logger';
import type { ClientBoundary } from '../usage/client-boundary';
import type { ContextPressure } from '../usage/context-usage';
import type { TurnFacts, UsageProcessorOptions } from '../usage/processor-types';
import type { UsageSession } from '../usage/usage-session';

export type { ClientBoundary } from '../usage/client-boundary';

/** Context of a session's start. */
export interface StartContext {
  /** 0 for the first context, 1 for the first continuation. */
  continuation: number;
  /** Aborts when the loop ends this context before its stream ends, and when the owner cancels. */
  signal: AbortSignal;
  /** Counts a call at once that no message of the agent states, such as a call of a sub-agent. */
  report(call: AgentCall): void;
  /**
   * Notes a call before it is sent, with the estimated tokens of its request, and the key of a sub-agent. If the run is
   * killed or cancelled before the returned function is called, the call is reported as a gap: at once, or by `resume`.
   * If an agent never notes a call, the loop assumes one at the start and after each message with usage.
   */
  openCall(estimate: () => number, chain?: string): () => void;
}

/** Context of a query to an old session. */
export interface QueryContext extends Pick<StartContext, 'signal' | 'report' | 'openCall'> {
  /** True: the session goes on after the query, which leaves no trace in it. */
  goesOn?: boolean | undefined;
}

/** A call or turn that an agent made. */
export interface AgentCall extends TurnFacts {
  /** Usage in any vendor's shape. `null`: there is none, which disables tracking. */
  usage: unknown;
  /** Key of the sub-agent that made the call. Absent: the main chain. */
  chain?: string | undefined;
}

/** Answer to a query, with the calls that it took. */
export interface QueryAnswer {
  /** The answer's text. */
  text: string;
  /** Calls of the query, which count in the old context. */
  calls?: readonly AgentCall[] | undefined;
}

/** An agent that the restart loop can run: it starts sessions, and answers one prompt in an old session. */
export interface Agent<Message> {
  /**
   * Starts a fresh session that reuses nothing of an earlier context.
   * @returns its messages, in order; the loop reads them one by one.
   */
  start(prompt: string, context: StartContext): AsyncIterable<Message> | Promise<AsyncIterable<Message>>;
  /**
   * Sends a prompt as a new query to an old session after its stream has ended, and returns the answer's text, or the
   * text with the query's calls. Throws if the session has no room for the prompt: see `isPromptTooLong`.
   */
  query(sessionId: string, prompt: string, context: QueryContext): Promise<string | QueryAnswer>;
  /**
   * Creates a reader for the messages of one context. Default: `readAgentMessage`, which reads messages of Claude,
   * Codex and opencode, and plain objects like `{ sessionId, usage }`. A stream of the Claude Agent SDK is read call by
   * call, unless the lens is `cumulative`.
   */
  createReader?(): MessageReader<Message>;
  /** Whether `query` works while the session's stream waits, so that a checkpoint needs no restart. Default: false. */
  readonly answersWhileRunning?: boolean | undefined;
  /** Adds a message of an operator to the next call of a running session. Absent: the agent takes no messages. */
  say?(sessionId: string, text: string): void;
  /**
   * Compacts an old session after its stream has ended, and goes on with the task.
   * @returns the messages of both. Absent: the agent takes no command `compact`.
   */
  compact?(sessionId: string, context: StartContext): AsyncIterable<Message>;
  /** Name of the client, for the session's ids on the server: `claude-code`. */
  readonly client?: string | undefined;
  /** How pressure is computed from the facts of the reader. Default: as in `UsageProcessorOptions`. */
  readonly lens?: LensName | undefined;
}

/** Reads the facts of one message of an agent. */
export interface MessageReader<Message> {
  (message: Message): MessageFacts;
  /** The call that the reader holds back when the stream ends. Absent: the reader holds nothing back. */
  rest?(): MessageFacts;
}

/** Facts of one message of an agent. */
export interface MessageFacts extends TurnFacts {
  /**
   * Usage of a turn, in any vendor's shape. `null`: the turn ended without usage, which disables tracking. Absent: the
   * message has no usage.
   */
  usage?: unknown;
  /** Whether the message ends a turn. Default: true if `usage` is present. `lastResult` is the last such message. */
  isResult?: boolean | undefined;
  /** Key of the sub-agent that the usage belongs to. Absent: the main chain. */
  chain?: string | undefined;
  /**
   * Whether the agent goes on after this message. True: a full context restarts at once. False: it needs no restart.
   * Absent: a full context restarts after the next message or five seconds of silence, and not at all if the stream ends
   * first.
   */
  goesOn?: boolean | undefined;
  /** True: the client says that the prompt is too long for its window. The loop restarts the agent. */
  isTooLong?: boolean | undefined;
  /** Tokens that the next call adds to the context, such as a tool result. If they do not fit, the loop restarts. */
  addedTokens?: number | undefined;
  /** Calls before the one of this message, such as earlier steps, or calls of sub-agents. */
  calls?: readonly AgentCall[] | undefined;
  /** True: the loop reads the message, but does not yield it. */
  isHidden?: boolean | undefined;
  /** What the reader assumed. The loop logs it once as a warning, unless the owner set a lens. */
  assumes?: string | undefined;
  /** The client itself ended the context; usage in the same message belongs to the ended context. */
  boundary?: ClientBoundary | undefined;
}

/**
 * The part of the client's `RunnerSession` that a restart loop calls. If a method is missing, its events are not
 * reported.
 */
export interface RestartSession extends UsageSession {
  /** The session's key: its name in log lines. */
  readonly key?: string;
  /** Where the client keeps its queue, and the session's project. */
  destination?(): { queueFolder?: string | undefined; project?: string | undefined };
  /** Reports the start of the run with its restart line (a share) and window (tokens), then its lens. */
  start?(fields: FieldsOf<'session_start'>): unknown;
  /** Reports that the loop ended a context. `pressure` is a share; `checkpoint` is absent if the agent wrote none. */
  restart(fields: FieldsOf<'restart'>): unknown;
  /** Reports the client's own id of the current session. */
  alias?(fields: FieldsOf<'session_alias'>): unknown;
  /** Reports that the run, and with it the session, has ended. */
  end?(fields: FieldsOf<'session_end'>): unknown;
  /** Takes the commands of operators, as in `RunnerSession`. */
  onCommand?(handle: (command: RunnerCommand) => void): () => void;
  /** Reports what became of a command. */
  command?(fields: FieldsOf<'command_state'>): unknown;
}

/** A place in a run: its context and session. */
export interface RunPlace {
  /** 0 for the first context, 1 for the first continuation. */
  continuation: number;
  /** The agent's id of this context's session; null: not known yet. */
  sessionId: string | null;
}

/** A restart that is about to start. */
export interface RestartNotice {
  /** Number of the next continuation, from 1. */
  continuation: number;
  /** Share of the limit in use when the loop ended the context. */
  pressure: number;
  /** @deprecated Use `pressure`. @hidden */
  readonly pressureRatio?: number;
  /** Null: the agent wrote no checkpoint, and the minimal prompt is used. */
  checkpoint: string | null;
  /** The fresh session's first prompt. */
  prompt: string;
}

/** Options of `runWithRestarts`: the agent, its task, and the limits. */
export interface RestartOptions<Message>
  extends Pick<
    UsageProcessorOptions,
    'usage' | 'limit' | 'restartLine' | 'threshold' | 'lens' | 'vendor' | 'model' | 'runningTotals'
  > {
  /** The agent to run. */
  agent: Agent<Message>;
  /** The task: the first session's prompt. */
  prompt: string;
  /** Name of the run in log lines. Default: the session's key, else `agent`. */
  name?: string | undefined;
  /** Maximum number of continuations. Default: unlimited. */
  maxContinuations?: number | undefined;
  /** Your folder of prompts: see `loadPrompt`. It must exist. Default: the package's prompts. */
  promptsFolder?: string | undefined;
  /**
   * True: a run of this name and task that was killed, cancelled or ended by an error goes on from its last checkpoint.
   * The state, with the checkpoint, is kept in a file until the run finishes. A call that was in flight at a kill is
   * reported as a gap. Default false.
   */
  resume?: boolean | undefined;
  /** Folder of the state. Default: a folder in the queue folder of the session's client. */
  resumeFolder?: string | undefined;
  /** Timeout of the checkpoint query with its retries, milliseconds. Default 300 000. */
  checkpointTimeoutMs?: number | undefined;
  /** Wait before the first of four retries of the checkpoint query, milliseconds; it doubles. Default 1 000. */
  retryMs?: number | undefined;
  /** Timeout of closing a stream, milliseconds. Default 5 000. */
  stopTimeoutMs?: number | undefined;
  /** Ends the run, which then rejects with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined;
  /** Receives turns and restarts. Default: nothing is reported. */
  session?: RestartSession | undefined;
  /**
   * False: the session stays open after the run. Default true: a run that returns ends its session; a run that rejects
   * does not. A later turn reopens the session.
   */
  endsSession?: boolean | undefined;
  /** Logs restarts, and what is assumed or lost. Default: none. */
  logger?: Logger | undefined;
  /** Called with each message before the next message is requested. The run ends if it throws. Default: none. */
  onMessage?: ((message: Message, place: RunPlace) => void | Promise<void>) | undefined;
  /** Called before each restart, which waits for a returned promise. The run ends if it throws. Default: none. */
  onRestart?: ((notice: RestartNotice) => unknown) | undefined;
}

/** One context of a run. Sums in tokens. */
export interface ContextRecord extends RunPlace, Omit<ContextPressure, 'sessionId'> {
  /** The prompt that started the context. */
  prompt: string;
  /** `untracked`: the pressure is meaningless. */
  state: PressureState;
  /**
   * `forecast`: the next call would not fit. `prompt_too_long`: the provider or client refused a prompt. `command`: an
   * operator restarted or stopped the agent.
   */
  endedBy: 'agent' | 'pressure' | 'forecast' | 'prompt_too_long' | 'command';
}

/** Why there is no checkpoint; the fresh session then gets the minimal prompt. */
export type MissingCheckpoint = 'no_session' | 'prompt_too_long' | 'empty' | 'timeout' | 'failed';

/** How a run ended. */
export interface RestartResult<Message> {
  /**
   * `max_continuations`: the last allowed context also reached the restart line. `stopped`: an operator stopped the run.
   * `checkpoint` then has the state.
   */
  outcome: 'finished' | 'max_continuations' | 'stopped';
  /** Number of restarts. */
  continuations: number;
  /** One record for each context, oldest first. */
  contexts: ContextRecord[];
  /** The last message that ended a turn. */
  lastResult: Message | undefined;
  /** The last message of the run. */
  lastMessage: Message | undefined;
  /** The last checkpoint taken. */
  checkpoint: string | null;
  /** Why the last restart had no checkpoint. */
  missingCheckpoint: MissingCheckpoint | null;
}
