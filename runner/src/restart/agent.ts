/** What the restart loop needs of an agent, whoever makes it. */
import type { LensName } from '../../../core/protocol/items';
import type { TurnFacts } from '../usage/usage-processor';

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
