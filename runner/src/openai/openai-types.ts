/** What this library needs of the `openai` package, as shapes: any version or substitute with them works. */

/** Chat Completions, or Responses. */
export type Api = 'chat' | 'responses';
/** `side`: a call without the chain's history, such as classification or titling. */
export type CallScope = 'main' | 'side';

/** A client of the `openai` package (also Azure's), or of another one with the same methods. */
export interface OpenAILike {
  readonly chat?: {
    readonly completions: {
      /** Makes a call to Chat Completions. */
      create(...args: never[]): unknown;
    };
  };
  readonly responses?: {
    /** Makes a call to the Responses API. */
    create(...args: never[]): unknown;
  };
}

/** The parts of `APIPromise` that are used, each only where it is there. */
export interface PromiseParts {
  _thenUnwrap?<T>(transform: (data: unknown) => T): object;
  parse?(): Promise<unknown>;
  asResponse?(): Promise<unknown>;
}

/** The parts of `Stream` that are used. */
export interface StreamParts {
  iterator?(): AsyncIterator<unknown>;
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
}

export function isStream(value: unknown): value is StreamParts {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Sees what passes between the provider and the owner, for one call. */
export interface CallWatch {
  /** A response, chunk or event passes. Returns whether the owner gets it. */
  see(value: unknown): boolean;
  /** Nothing more will pass. */
  end(): void;
}
