/** Sentences about the value of a lens, for the turn sheet and for explanations. */
import type { Lens } from '../accounting/types';
import type { Session } from '../api/session';
import { count, type Phrase, say, share, tokens } from './explanation';

export const LENSES: readonly Lens[] = ['snapshot', 'cumulative', 'last-turn', 'cache-inflated'];

export const LENS_NAME: Readonly<Record<Lens, string>> = {
  snapshot: 'Snapshot',
  cumulative: 'Cumulative',
  'last-turn': 'Last turn',
  'cache-inflated': 'Cache-inflated',
};

/** The value of one lens at one turn of a session. */
interface LensReading {
  lens: Lens;
  /** Tokens by that lens; null: unknown. */
  used: number | null;
  limit: number | null;
  /** Cache reads of the turn; null: several turns. */
  cacheRead: number | null;
  /** Number of the turn; null: several turns. */
  turn: number | null;
}

/** Compares a lens with the session's own lens in a few sentences. */
export function lensPhrase(session: Session, { lens, used, limit, cacheRead, turn }: LensReading): Phrase {
  if (used === null || limit === null || limit <= 0) {
    return lens === 'snapshot'
      ? say`No reading of the context’s size was sent, so the snapshot lens has no value.`
      : say`The ${LENS_NAME[lens].toLowerCase()} lens has no value for the last turn.`;
  }
  const reads = share(used / limit);
  const own = ownPhrase(session, limit);
  switch (lens) {
    case 'cache-inflated': {
      if (cacheRead === null) {
        return say`With cache reads counted, the last turn would read ${reads}. ${own} Cache reads are telemetry.`;
      }
      const which = turn === null ? 'this turn' : say`turn ${count(turn)}`;
      return say`With cache reads counted, ${which} would read ${reads}: ${tokens(cacheRead)} of its ${tokens(used)} tokens came from the cache. ${own} ${reasonOf(cacheRead, limit, session)}`;
    }
    case 'last-turn':
      return say`${turn === null ? 'The last turn' : say`Turn ${count(turn)}`} alone would read ${reads}: it spent ${tokens(used)} tokens without what is already in the context. ${own}`;
    case 'cumulative':
      return session.lens === 'cumulative'
        ? say`This is the session’s own lens: input and output of this context, ${tokens(used)} tokens, read ${reads}.`
        : say`The cumulative lens would read ${reads}: it sums input and output of this context, ${tokens(used)} tokens, without cached and re-sent tokens. ${own}`;
    case 'snapshot':
      return session.lens === 'snapshot'
        ? say`This is the session’s own lens: the context’s size by its last reading, ${tokens(used)} tokens, reads ${reads}.`
        : say`The snapshot lens would read ${reads}: the size of the context by its last reading, ${tokens(used)} tokens. ${own}`;
  }
}

function ownPhrase({ used, state, lens }: Session, limit: number): Phrase {
  if (state === 'untracked') return say`Pressure is not tracked in this context.`;
  if (used === null) return say`Pressure is unknown.`;
  const by = lens === 'cumulative' ? ', the sum of all turns' : ', the last reading';
  return say`Pressure is ${share(used / limit)}${by}.`;
}

/** Why cache reads do not show the size of the context. */
function reasonOf(cacheRead: number, limit: number, { lens }: Session): string {
  if (cacheRead > limit) {
    return 'Each call of a turn reads the same context from the cache again, so a tool that adds up cache reads counts the context once per call.';
  }
  return lens === 'snapshot'
    ? 'For a single call this is close to the reading; a turn of several calls counts the same context once per call.'
    : 'Cache reads are telemetry: these tokens were already counted when they were first sent.';
}
