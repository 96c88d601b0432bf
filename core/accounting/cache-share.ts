/** What a model was sent, tokens: input did not come from the cache. */
export interface Sent {
  input: number;
  cacheRead: number;
  cacheCreation: number;
}

/** Of all that was sent to the models the share that came from the cache; null: nothing was sent. */
export function cacheShareOf({ input, cacheRead, cacheCreation }: Sent): number | null {
  const sent = input + cacheRead + cacheCreation;
  return sent > 0 ? cacheRead / sent : null;
}
