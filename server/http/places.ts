/** Places for concurrent work. A caller gets at most three quarters of them, so that it cannot lock out all others. */
export function createPlaces(most: number) {
  const mostOfOne = Math.ceil(most * 0.75);
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** For the error to a caller without a place. */
    limit: `${most} bodies, and ${mostOfOne} of one token,`,
    /** @returns a function that frees the place; null: all places are taken, or too many by this caller */
    take(caller: string): (() => void) | null {
      const own = taken.get(caller) ?? 0;
      if (all >= most || own >= mostOfOne) return null;
      all += 1;
      taken.set(caller, own + 1);
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        all -= 1;
        const left = (taken.get(caller) ?? 0) - 1;
        if (left > 0) taken.set(caller, left);
        else taken.delete(caller);
      };
    },
  };
}

/** Each caller has at most `most` tasks at work. Its further tasks wait, so that a flood delays only its own caller. */
export function createTurns(most: number) {
  const callers = new Map<string, { atWork: number; waiting: (() => void)[] }>();
  return {
    /** @returns a function for the end of the task */
    async take(caller: string): Promise<() => void> {
      const own = callers.get(caller) ?? { atWork: 0, waiting: [] };
      callers.set(caller, own);
      if (own.atWork < most) own.atWork += 1;
      else await new Promise<void>((resolve) => own.waiting.push(resolve));
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const next = own.waiting.shift();
        if (next) return next();
        own.atWork -= 1;
        if (own.atWork === 0) callers.delete(caller);
      };
    },
  };
}
