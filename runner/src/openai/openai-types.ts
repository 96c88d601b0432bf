import type { FieldsOf, TurnFields } from '../client/client-types';
import type { Logger } from '../logger';
import type { ContextSnapshot, ContextSnapshotOptions } from './context-snapshot';

/** Chat Completions and Responses of OpenAI, or Messages of Anthropic. */
export type Api = 'chat' | 'responses' | 'messages';
/** `side`: a call without the chain's history, such as classification or titling. */
export type CallScope = 'main' | 'side';

/** A client of the `openai` package, Azure's, or any other with the same methods. */
export interface OpenAILike {
  /** Chat Completions. Absent: the client does not have this API. */
  readonly chat?: {
    /** The resource with `create`. */
    readonly completions: {
      /** Makes a call to Chat Completions. */
      create(...args: never[]): unknown;
    };
  };
  /** Responses. Absent: the client does not have this API. */
  readonly responses?: {
    /** Makes a call to the Responses API. */
    create(...args: never[]): unknown;
  };
}

/**
 * A reported turn, as `RunnerSession.turn` takes it. `call` is absent if the server's ids are not unique. `limit` is
 * present only if you gave the context window. `usage: null`: the provider reported no usage.
 */
export type SnapshotTurn = TurnFields;

/** Receives turns: a `RunnerSession`, or any object with this method. */
export interface SnapshotSession {
  /** Takes the usage of one call, and the context's size after the call. */
  turn(turn: SnapshotTurn): unknown;
  /** Optional. Takes the lens before the first turn. */
  start?(fields: FieldsOf<'session_start'>): unknown;
  /** Optional. Takes a compaction that the provider made. The turn of the same call follows, with the new size. */
  compaction?(fields: FieldsOf<'compaction'>): unknown;
}

/** A request as you made it. */
export interface TrackedRequest {
  /** The API that receives the request. */
  api: Api;
  /** The request's body. */
  body: Readonly<Record<string, unknown>>;
}

/** Options of `trackOpenAI` and `trackAnthropic`; each has a default. */
export interface TrackOptions extends ContextSnapshotOptions {
  /** Receives turns: a `RunnerSession`. Default: only the snapshot is kept. */
  session?: SnapshotSession | undefined;
  /** A snapshot to share, for example between two providers of one conversation. Default: a new one. */
  snapshot?: ContextSnapshot | undefined;
  /** Chain of the calls, such as a sub-agent's name. Default: the main chain. */
  chain?: string | undefined;
  /**
   * Whether calls contain the conversation. `main`: all calls do. `side`: no call does. A function decides for each
   * request; if it throws, the call counts as main. Default `main`.
   */
  scope?: CallScope | ((request: TrackedRequest) => CallScope) | undefined;
  /**
   * Whether streams of Chat Completions request their usage (`stream_options.include_usage`). Default true. A request
   * with its own `include_usage: false` stays unchanged.
   */
  asksForUsage?: boolean | undefined;
  /**
   * What to do with the extra last chunk, which has the usage but no choices, if the request did not ask for usage.
   * `hide`: the caller does not get the chunk. `pass`: the caller gets it. A request that asks for usage always gets
   * the chunk. Default `hide`.
   */
  usageChunk?: 'hide' | 'pass' | undefined;
  /**
   * Whether to estimate a size if the provider reports no usage, or a tokenizer that counts the tokens of a text.
   * Default true: `estimateTokens`.
   */
  estimates?: boolean | ((text: string) => number) | undefined;
  /** Logs what could not be reported or read. Default: none. */
  logger?: Logger | undefined;
}
