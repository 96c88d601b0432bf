import type { Lens } from '../accounting/types';
import type { Evidence } from '../api/evidence';
import type { Session } from '../api/session';
import type { Explanation, Phrase } from './explanation';
import { count, counted, say, share, tokens } from './explanation';
import { add, divide, type Expression, value } from './formula';
import { limitSourceOf, turnPhrase } from './standing';

export const LENSES: readonly Lens[] = ['snapshot', 'cumulative', 'last-turn', 'cache-inflated'];

export const LENS_NAME: Readonly<Record<Lens, string>> = {
  snapshot: 'Snapshot',
  cumulative: 'Cumulative',
  'last-turn': 'Last turn',
  'cache-inflated': 'Cache-inflated',
};

const FORMULA: Readonly<Record<Lens, string>> = {
  snapshot: 'the last reading of the context’s size, over the limit',
  cumulative: 'input and output of all turns of this context, over the limit',
  'last-turn': 'input and output of the last turn alone, over the limit',
  'cache-inflated': 'input, output and cache reads of the last turn, over the limit',
};

/** What one lens read at one place of a session. */
export interface LensReading {
  lens: Lens;
  /** Tokens by that lens; null: it knows nothing there. */
  used: number | null;
  limit: number | null;
  /** Cache reads of the turn; null: the place stands for many turns. */
  cacheRead: number | null;
}

/** Why a lens reads something else than the session's own, in one sentence or two with their numbers. */
export function lensPhrase(session: Session, { lens, used, limit, cacheRead }: LensReading): Phrase {
  if (used === null || limit === null || limit <= 0) return silent(lens);
  const reads = share(used / limit);
  const own = ownPhrase(session, limit);
  switch (lens) {
    case 'cache-inflated':
      return inflated(session, { used, limit, cacheRead }, own);
    case 'last-turn':
      return say`The last turn alone would read ${reads}: it spent ${tokens(used)} tokens and leaves out all that is in the context already. ${own}`;
    case 'cumulative':
      return session.lens === 'cumulative'
        ? say`This is the session’s own lens: input and output of this context, ${tokens(used)} tokens, read ${reads}.`
        : say`The cumulative lens would read ${reads}: it sums input and output of this context, ${tokens(used)} tokens, and neither sees what came from the cache nor what a client sends again. ${own}`;
    case 'snapshot':
      return session.lens === 'snapshot'
        ? say`This is the session’s own lens: the context’s size by its last reading, ${tokens(used)} tokens, reads ${reads}.`
        : say`The snapshot lens would read ${reads}: the size of the context by its last reading, ${tokens(used)} tokens. ${own}`;
  }
}

function ownPhrase({ used, state, lens }: Session, limit: number): Phrase {
  if (state === 'untracked') return say`Pressure is not tracked in this context.`;
  if (used === null) return say`Pressure is unknown at present.`;
  const by = lens === 'cumulative' ? ', the sum of all turns' : ', the last reading';
  return say`Pressure is ${share(used / limit)}${by}.`;
}

/** The window is read from the cache once a call; a turn of many calls counts it many times. */
function inflated(
  session: Session,
  { used, limit, cacheRead }: { used: number; limit: number; cacheRead: number | null },
  own: Phrase,
): Phrase {
  const reads = share(used / limit);
  if (cacheRead === null) {
    return say`With cache reads counted the last turn would read ${reads}. ${own} Cache reads are telemetry.`;
  }
  const first = say`With cache reads counted this turn would read ${reads}: ${tokens(cacheRead)} of its ${tokens(used)} tokens came from the cache.`;
  if (cacheRead > limit) {
    return say`${first} ${own} Each call of a turn reads the same context from the cache again, and a tool that adds them up counts it once a call.`;
  }
  if (session.lens === 'snapshot') {
    return say`${first} ${own} For a single call this comes near the reading; over a turn of several calls it counts the same context once a call.`;
  }
  return say`${first} ${own} Cache reads are telemetry: the same tokens were counted when they first came.`;
}

function silent(lens: Lens): Phrase {
  return lens === 'snapshot'
    ? say`No reading of the context’s size was sent: the snapshot lens knows nothing here.`
    : say`The ${LENS_NAME[lens].toLowerCase()} lens has no value for the last turn.`;
}

/** What a lens reads for the last turn of the open context. */
export function lensReading(e: Evidence, lens: Lens): LensReading {
  const { lastTurn, context, reading, session } = e;
  const limit = (lens === 'last-turn' || lens === 'cache-inflated' ? lastTurn?.limit : null) ?? session.limit;
  const cacheRead = lastTurn?.cacheRead ?? null;
  switch (lens) {
    case 'snapshot':
      return { lens, used: reading?.tokens ?? null, limit, cacheRead };
    case 'cumulative': {
      const { input, output } = context.cumulative;
      return { lens, used: context.tracked ? input + output : null, limit, cacheRead };
    }
    case 'last-turn':
      return { lens, used: lastTurn === null ? null : lastTurn.input + lastTurn.output, limit, cacheRead };
    case 'cache-inflated':
      return {
        lens,
        used: lastTurn === null ? null : lastTurn.input + lastTurn.output + lastTurn.cacheRead,
        limit,
        cacheRead,
      };
  }
}

/** One way to read the session, worked out, beside the others. */
export function explainLens(e: Evidence, lens: Lens): Explanation {
  const { session, lastTurn } = e;
  const read = lensReading(e, lens);
  const known = read.used !== null && read.limit !== null && read.limit > 0;
  const isBug = lens === 'last-turn' || lens === 'cache-inflated';
  const isOfTurn = isBug || lens === 'snapshot';
  return {
    title: `${LENS_NAME[lens]} lens`,
    meaning: lensPhrase(session, read),
    formula: known
      ? {
          expression: divide(tokensOf(e, lens), value('limit', read.limit ?? 0, 'tokens', 'limit')),
          name: `${LENS_NAME[lens].toLowerCase()} lens`,
          unit: 'share',
        }
      : null,
    result: known ? (read.used ?? 0) / (read.limit ?? 1) : null,
    unit: 'share',
    certainty: known ? 'exact' : 'not known',
    steps: LENSES.filter((other) => other !== lens).flatMap((other) => {
      const { used, limit } = lensReading(e, other);
      const name = `${LENS_NAME[other]}: ${FORMULA[other]}`;
      return [
        {
          says:
            used === null || limit === null || limit <= 0
              ? say`${name}, not known here`
              : say`${name}, ${share(used / limit)}`,
        },
      ];
    }),
    sources: [
      isOfTurn
        ? { name: 'turn', from: turnPhrase(lens === 'snapshot' ? (e.reading?.turn ?? null) : lastTurn) }
        : {
            name: 'turns',
            from: say`${counted(e.context.mainTurns, 'turn')} of context ${count(e.context.index)}`,
          },
      limitSourceOf(e),
    ],
    caveats: isBug
      ? [say`No state, forecast or alert uses this lens: it is here to explain what other tools show.`]
      : session.lens === lens
        ? [say`The session’s own lens: state, forecast and alerts use it.`]
        : [say`Not the lens this session declares: state, forecast and alerts use the other one.`],
  };
}

function tokensOf(e: Evidence, lens: Lens): Expression {
  const { lastTurn, context, reading } = e;
  switch (lens) {
    case 'snapshot':
      return value('last reading', reading?.tokens ?? 0, 'tokens', 'used');
    case 'cumulative':
      return add(
        value('input', context.cumulative.input, 'tokens'),
        value('output', context.cumulative.output, 'tokens'),
      );
    default:
      return add(
        value('input', lastTurn?.input ?? 0, 'tokens'),
        value('output', lastTurn?.output ?? 0, 'tokens'),
        ...(lens === 'cache-inflated' ? [value('cache reads', lastTurn?.cacheRead ?? 0, 'tokens')] : []),
      );
  }
}
