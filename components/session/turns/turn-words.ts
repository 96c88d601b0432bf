/** A turn as the table says it. */
import { usedOfTurn } from '@/core/accounting/lens';
import type { Session, TurnRow } from '@/core/api/session';

const FLAG_WORDS: Readonly<Record<string, string>> = {
  estimated: 'estimated',
  untracked: 'not tracked',
  noUsage: 'no usage',
  inherited: 'inherited',
  negative: 'negative count',
  clock: 'clock off',
  superseded: 'superseded',
  readingIgnored: 'reading ignored',
  readingOnly: 'reading alone',
};

/** What is unusual about a turn, in words; empty for most. */
export function turnWords(turn: Pick<TurnRow, 'flags' | 'scope' | 'limitSource'>): string {
  const words = turn.flags.map((flag) => FLAG_WORDS[flag] ?? flag);
  if (turn.scope === 'side') words.unshift('side call');
  if (turn.limitSource === 'assumed') words.push('limit assumed');
  return words.join(', ');
}

/** Tokens of the context after the turn, in the session's lens; null where this turn does not say. */
export function usedAfter(turn: TurnRow, lens: Session['lens']): number | null {
  return usedOfTurn(
    {
      input: turn.usage?.input ?? 0,
      output: turn.usage?.output ?? 0,
      cacheRead: turn.usage?.cacheRead ?? 0,
      cumulativeInput: turn.cumulative.input,
      cumulativeOutput: turn.cumulative.output,
      reading: turn.flags.includes('readingIgnored') ? null : turn.contextTokens,
      untracked: turn.flags.includes('untracked'),
    },
    lens,
  );
}

const AROUND_TURNS = 25;
const LEAST_AROUND_MS = 30_000;

/** The range of time that shows a turn with those around it, milliseconds. */
export function rangeAround(
  turn: TurnRow,
  at: (number: number) => TurnRow | undefined,
): { from: number; to: number } {
  const middle = Date.parse(turn.at);
  let from = middle - LEAST_AROUND_MS;
  let to = middle + LEAST_AROUND_MS;
  for (let by = 1; by <= AROUND_TURNS; by += 1) {
    for (const other of [at(turn.number - by), at(turn.number + by)]) {
      if (other === undefined) continue;
      from = Math.min(from, Date.parse(other.at));
      to = Math.max(to, Date.parse(other.at));
    }
  }
  return { from, to };
}
