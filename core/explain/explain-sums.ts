import { cacheShareOf, type Sent } from '../accounting/counts';
import type { Evidence } from '../api/evidence';
import { counted, type Explanation, explained, say } from './explanation';
import { add, divide, value } from './formula';
import { certaintyCaveats, contextTurns, limitSource, turnPhrase } from './standing';

/** The formula of a cache share: the same for a session and for history. */
export function cacheShareFormula({ input, cacheRead, cacheCreation }: Sent) {
  const reads = value('cache reads', cacheRead, 'tokens');
  const sent = add(value('input', input, 'tokens'), reads, value('cache writes', cacheCreation, 'tokens'));
  return ['cache share', divide(reads, sent)] as const;
}

export function explainCacheShare({ session }: Evidence): Explanation {
  const { all } = session.totals;
  const isKnown = cacheShareOf(all) !== null;
  return explained('Cache share', 'share', {
    meaning: isKnown
      ? say`Of all that this session sent to its models, the share that was served from the provider’s prompt cache.`
      : say`No calls yet.`,
    formula: isKnown ? cacheShareFormula(all) : null,
    sources: { counts: say`${counted(all.calls, 'call')} of the whole session, sub-agents included` },
    caveats: [say`Telemetry: cache reads are not part of pressure or input.`],
  });
}

/** All tokens of the session. */
export function explainSpent({ session }: Evidence): Explanation {
  const { main, side, all } = session.totals;
  const sum = (field: 'input' | 'output' | 'cacheRead' | 'cacheCreation') =>
    add(value('main', main[field], 'tokens'), value('sub-agents and side calls', side[field], 'tokens'));
  return explained('Tokens spent', 'tokens', {
    meaning: say`What ${counted(all.calls, 'call')} of this session spent, over all contexts. It only grows and is unrelated to pressure.`,
    formula: ['input', sum('input')],
    certainty: session.complete ? 'exact' : 'at least',
    steps: [
      { name: 'output', unit: 'tokens', expression: sum('output') },
      { name: 'cache reads', unit: 'tokens', expression: sum('cacheRead') },
      { name: 'cache writes', unit: 'tokens', expression: sum('cacheCreation') },
    ],
    sources: { counts: say`each call’s own, as reported; a negative one counts as 0` },
    caveats: [
      ...certaintyCaveats({ ...session, estimated: false }),
      say`Input is what did not come from the cache.`,
    ],
  });
}

/** The cumulative sums of the open context. */
export function explainSums({ context, session }: Evidence): Explanation {
  const { input, output } = context.cumulative;
  return explained(`Sums of context ${context.index}`, 'tokens', {
    meaning: say`Input and output of the turns of the open context, which every boundary starts at zero.`,
    formula: ['input and output', add(value('input', input, 'tokens'), value('output', output, 'tokens'))],
    certainty: session.complete ? 'exact' : 'at least',
    sources: { turns: say`${contextTurns(context)}, side calls left out` },
    caveats: certaintyCaveats({ ...session, estimated: false }),
  });
}

/** The highest point of the open context. */
export function explainPeak(e: Evidence): Explanation {
  const { context, session, peakTurn } = e;
  const peak = context.peakOccupancy;
  const limit = session.limit ?? 0;
  const isShare = limit > 0;
  return explained(`Peak of context ${context.index}`, isShare ? 'share' : 'tokens', {
    meaning:
      peak === null
        ? say`No known size of this context yet.`
        : say`The most that was in use in the open context, by the session’s lens. It was reached with ${turnPhrase(peakTurn)}.`,
    ...(peak !== null && isShare
      ? { formula: ['peak', divide(value('peak', peak, 'tokens'), value('limit', limit, 'tokens', 'limit'))] }
      : { result: peak }),
    certainty: session.complete ? 'exact' : 'at least',
    sources: { turn: turnPhrase(peakTurn), limit: limitSource(e) },
    caveats: certaintyCaveats({ ...session, estimated: false }),
  });
}
