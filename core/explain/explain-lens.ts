import type { Lens } from '../accounting/types';
import type { Evidence } from '../api/evidence';
import type { Explanation } from './explanation';
import { count, counted, say, share } from './explanation';
import { add, divide, type Expression, value } from './formula';
import { LENS_NAME, LENSES, type LensReading, lensPhrase } from './lens-phrase';
import { limitSourceOf, turnPhrase } from './standing';

const FORMULA: Readonly<Record<Lens, string>> = {
  snapshot: 'the last reading of the context’s size, over the limit',
  cumulative: 'input and output of all turns of this context, over the limit',
  'last-turn': 'input and output of the last turn alone, over the limit',
  'cache-inflated': 'input, output and cache reads of the last turn, over the limit',
};

/** What a lens reads for the last turn of the open context. */
function lensReading(e: Evidence, lens: Lens): LensReading {
  const { lastTurn, context, reading, session } = e;
  const limit = (lens === 'last-turn' || lens === 'cache-inflated' ? lastTurn?.limit : null) ?? session.limit;
  const cacheRead = lastTurn?.cacheRead ?? null;
  const turn = lastTurn?.number ?? null;
  switch (lens) {
    case 'snapshot':
      return { lens, used: reading?.tokens ?? null, limit, cacheRead, turn };
    case 'cumulative': {
      const { input, output } = context.cumulative;
      return { lens, used: context.tracked ? input + output : null, limit, cacheRead, turn };
    }
    case 'last-turn':
      return {
        lens,
        used: lastTurn === null ? null : lastTurn.input + lastTurn.output,
        limit,
        cacheRead,
        turn,
      };
    case 'cache-inflated':
      return {
        lens,
        used: lastTurn === null ? null : lastTurn.input + lastTurn.output + lastTurn.cacheRead,
        limit,
        cacheRead,
        turn,
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
              ? say`${name}, unknown here`
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
      ? [say`No state, forecast or alert uses this lens; it explains what other tools show.`]
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
        value('input', context.cumulative.input, 'tokens', 'sums'),
        value('output', context.cumulative.output, 'tokens', 'sums'),
      );
    default:
      return add(
        value('input', lastTurn?.input ?? 0, 'tokens'),
        value('output', lastTurn?.output ?? 0, 'tokens'),
        ...(lens === 'cache-inflated' ? [value('cache reads', lastTurn?.cacheRead ?? 0, 'tokens')] : []),
      );
  }
}
