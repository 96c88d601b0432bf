import { cacheShareOf, type Sent } from '../accounting/counts';
import type { Evidence } from '../api/evidence';
import type { Explanation, Step } from './explanation';
import { count, counted, say } from './explanation';
import { add, divide, type Formula, value } from './formula';
import { certaintyCaveats, limitSourceOf, turnPhrase } from './standing';

/** The formula of a cache share, and its caveat: the same for a session, the fleet and history. */
export function cacheShareFormula({ input, cacheRead, cacheCreation }: Sent): Formula {
  return {
    expression: divide(
      value('cache reads', cacheRead, 'tokens'),
      add(
        value('input', input, 'tokens'),
        value('cache reads', cacheRead, 'tokens'),
        value('cache writes', cacheCreation, 'tokens'),
      ),
    ),
    name: 'cache share',
    unit: 'share',
  };
}

export function explainCacheShare({ session }: Evidence): Explanation {
  const { all } = session.totals;
  const result = cacheShareOf(all);
  return {
    title: 'Cache share',
    meaning:
      result === null
        ? say`No calls yet.`
        : say`Of all that this session sent to its models, the share that was served from the provider’s prompt cache.`,
    formula: result === null ? null : cacheShareFormula(all),
    result,
    unit: 'share',
    certainty: result === null ? 'not known' : 'exact',
    steps: [],
    sources: [
      { name: 'counts', from: say`${counted(all.calls, 'call')} of the whole session, sub-agents included` },
    ],
    caveats: [say`Telemetry: cache reads are not part of pressure or input.`],
  };
}

/** All tokens of the session. */
export function explainSpent({ session }: Evidence): Explanation {
  const { main, side, all } = session.totals;
  const sum = (name: string, field: 'input' | 'output' | 'cacheRead' | 'cacheCreation'): Formula => ({
    expression: add(
      value('main', main[field], 'tokens'),
      value('sub-agents and side calls', side[field], 'tokens'),
    ),
    name,
    unit: 'tokens',
  });
  const steps: Step[] = [
    { formula: sum('output', 'output') },
    { formula: sum('cache reads', 'cacheRead') },
    { formula: sum('cache writes', 'cacheCreation') },
  ];
  return {
    title: 'Tokens spent',
    meaning: say`What ${counted(all.calls, 'call')} of this session spent, over all contexts. It only grows and is unrelated to pressure.`,
    formula: sum('input', 'input'),
    result: all.input,
    unit: 'tokens',
    certainty: session.complete ? 'exact' : 'at least',
    steps,
    sources: [{ name: 'counts', from: say`each call’s own, as reported; a negative one counts as 0` }],
    caveats: [
      ...certaintyCaveats({ ...session, estimated: false }),
      say`Input is what did not come from the cache.`,
    ],
  };
}

/** The cumulative sums of the open context. */
export function explainSums({ context, session }: Evidence): Explanation {
  const { input, output } = context.cumulative;
  return {
    title: `Sums of context ${context.index}`,
    meaning: say`Input and output of the turns of the open context, which every boundary starts at zero.`,
    formula: {
      expression: add(value('input', input, 'tokens'), value('output', output, 'tokens')),
      name: 'input and output',
      unit: 'tokens',
    },
    result: input + output,
    unit: 'tokens',
    certainty: session.complete ? 'exact' : 'at least',
    steps: [],
    sources: [
      {
        name: 'turns',
        from: say`${counted(context.mainTurns, 'turn')} of context ${count(context.index)}, side calls left out`,
      },
    ],
    caveats: certaintyCaveats({ ...session, estimated: false }),
  };
}

/** The highest point of the open context. */
export function explainPeak(e: Evidence): Explanation {
  const { context, session, peakTurn } = e;
  const peak = context.peakOccupancy;
  const limit = session.limit ?? 0;
  return {
    title: `Peak of context ${context.index}`,
    meaning:
      peak === null
        ? say`No known size of this context yet.`
        : say`The most that was in use in the open context, by the session’s lens. It was reached with ${turnPhrase(peakTurn)}.`,
    formula:
      peak === null || limit <= 0
        ? null
        : {
            expression: divide(value('peak', peak, 'tokens'), value('limit', limit, 'tokens', 'limit')),
            name: 'peak',
            unit: 'share',
          },
    // Without a limit the result is in tokens.
    result: peak === null ? null : limit > 0 ? peak / limit : peak,
    unit: limit > 0 ? 'share' : 'tokens',
    certainty: peak === null ? 'not known' : session.complete ? 'exact' : 'at least',
    steps: [],
    sources: [{ name: 'turn', from: turnPhrase(peakTurn) }, limitSourceOf(e)],
    caveats: certaintyCaveats({ ...session, estimated: false }),
  };
}
