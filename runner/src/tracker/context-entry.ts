import { describeMessage, type MessageTraits } from './describe-message';

/** One message in the context. */
export interface ContextEntry<M extends object = object> {
  readonly message: M;
  readonly tokens: number;
  /** The count is an estimate. */
  readonly estimated: boolean;
  /** When it was added, milliseconds since the epoch. */
  readonly addedAt: number;
  readonly traits: MessageTraits;
}

/** Read once, so that what happens to the message afterwards does not change what the tracker knows of it. */
export function makeEntry<M extends object>(
  message: M,
  tokens: number,
  estimated: boolean,
  addedAt: number,
): ContextEntry<M> {
  return { message, tokens, estimated, addedAt, traits: describeMessage(message) };
}
