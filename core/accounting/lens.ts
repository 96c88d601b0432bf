import type { ContextFold } from './fold-types';
import type { Lens, LensName } from './types';

export interface TurnFigures {
  input: number;
  output: number;
  cacheRead: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  reading: number | null;
  untracked: boolean;
}

export function usedCumulative(context: Readonly<ContextFold>): number | null {
  return context.tracked ? context.cumulative.input + context.cumulative.output : null;
}

export function usedSnapshot(context: Readonly<ContextFold>): number | null {
  return context.reading === null ? null : context.reading.tokens;
}

export function usedByLens(context: Readonly<ContextFold>, lens: LensName): number | null {
  return lens === 'cumulative' ? usedCumulative(context) : usedSnapshot(context);
}

/** Only `cache-inflated` counts cache reads. That lens shows what other tools report. */
export function usedOfTurn(turn: Readonly<TurnFigures>, lens: Lens): number | null {
  switch (lens) {
    case 'cumulative':
      return turn.untracked ? null : turn.cumulativeInput + turn.cumulativeOutput;
    case 'snapshot':
      return turn.reading;
    case 'last-turn':
      return turn.input + turn.output;
    case 'cache-inflated':
      return turn.input + turn.output + turn.cacheRead;
  }
}
