import type { Lens } from '../accounting/types';
import type { Evidence } from '../api/evidence';
import { type Explanation, explained, say, share } from './explanation';
import { add, divide, type Expression, evaluate, value } from './formula';
import { LENS_NAME, LENSES, lensPhrase } from './lens-phrase';
import { contextTurns, limitSource, turnPhrase } from './standing';

const FORMULA: Readonly<Record<Lens, string>> = {
  snapshot: 'the last reading of the context’s size, over the limit',
  cumulative: 'input and output of all turns of this context, over the limit',
  'last-turn': 'input and output of the last turn alone, over the limit',
  'cache-inflated': 'input, output and cache reads of the last turn, over the limit',
};

const isOneTurn = (lens: Lens) => lens === 'last-turn' || lens === 'cache-inflated';

/** Tokens of the open context by a lens, as a sum; null: unknown. */
function tokensOf({ lastTurn, context, reading }: Evidence, lens: Lens): Expression | null {
  if (lens === 'snapshot') return reading && value('last reading', reading.tokens, 'tokens', 'used');
  if (lens === 'cumulative') {
    const { input, output } = context.cumulative;
    return context.tracked ? add(value('input', input, 'tokens'), value('output', output, 'tokens')) : null;
  }
  if (lastTurn === null) return null;
  const { input, output, cacheRead } = lastTurn;
  return add(
    value('input', input, 'tokens'),
    value('output', output, 'tokens'),
    ...(lens === 'cache-inflated' ? [value('cache reads', cacheRead, 'tokens')] : []),
  );
}

/** Tokens by a lens, and their share of the limit; null: unknown. */
function readLens(e: Evidence, lens: Lens) {
  const limit = (isOneTurn(lens) ? e.lastTurn?.limit : null) ?? e.session.limit;
  const sum = tokensOf(e, lens);
  const isKnown = sum !== null && limit !== null && limit > 0;
  const ratio = isKnown ? divide(sum, value('limit', limit, 'tokens', 'limit')) : null;
  return { used: sum && evaluate(sum), limit, ratio };
}

/** The value of one lens, with the values of the other lenses. */
export function explainLens(e: Evidence, lens: Lens): Explanation {
  const { session, lastTurn } = e;
  const { used, limit, ratio } = readLens(e, lens);
  const cacheRead = lastTurn?.cacheRead ?? null;
  const title = `${LENS_NAME[lens]} lens`;
  return explained(title, 'share', {
    meaning: lensPhrase(session, { lens, used, limit, cacheRead, turn: lastTurn?.number ?? null }),
    formula: ratio && [title.toLowerCase(), ratio],
    steps: LENSES.filter((other) => other !== lens).map((other) => {
      const read = readLens(e, other).ratio;
      return say`${LENS_NAME[other]}: ${FORMULA[other]}, ${read === null ? 'unknown here' : share(evaluate(read))}`;
    }),
    sources: {
      ...(lens === 'cumulative'
        ? { turns: contextTurns(e.context) }
        : { turn: turnPhrase(lens === 'snapshot' ? (e.reading?.turn ?? null) : lastTurn) }),
      limit: limitSource(e),
    },
    caveats: [
      isOneTurn(lens)
        ? say`No state, forecast or alert uses this lens; it explains what other tools show.`
        : session.lens === lens
          ? say`The session’s own lens: state, forecast and alerts use it.`
          : say`The session declares another lens for state, forecast and alerts.`,
    ],
  });
}
