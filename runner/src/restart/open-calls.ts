/** The calls of a run that have no answer yet. The provider may bill such a call, although no answer states its usage. */
import { statedOf } from '../usage/read-field';

/** A call without an answer. */
export interface OpenCall {
  /** Estimated size of the request, tokens. */
  tokens: number;
  /** Key of the sub-agent that makes the call. Absent: the main chain. */
  chain?: string | undefined;
}

export interface OpenCalls {
  /** @returns a function that closes the call. */
  open(estimate: () => number, chain?: string): () => void;
  /** Removes and returns the open calls. */
  take(): OpenCall[];
}

/** @param save stores the calls; null: nothing is stored, so requests are estimated only when a call is lost. */
export function trackOpenCalls(save: ((calls: OpenCall[]) => void) | null): OpenCalls {
  const calls = new Map<symbol, () => OpenCall>();
  const list = () => [...calls.values()].map((read) => read());
  return {
    open(estimate, chain) {
      const id = Symbol('call');
      let tokens: number | undefined;
      const read = () => {
        tokens ??= estimate();
        return { tokens, ...statedOf({ chain }) };
      };
      calls.set(id, read);
      save?.(list());
      return () => {
        if (calls.delete(id)) save?.(list());
      };
    },
    take() {
      const taken = list();
      calls.clear();
      if (taken.length > 0) save?.([]);
      return taken;
    },
  };
}
