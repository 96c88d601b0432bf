import type { Evidence } from '../api/evidence';
import type { Explanation, Step } from './explanation';
import { count, counted, say, share } from './explanation';
import { add, divide, type Formula, value } from './formula';
import {
  certaintyCaveats,
  certaintyOf,
  lensSource,
  limitPhrase,
  limitSourceOf,
  turnPhrase,
  unknownPhrase,
  untrackedPhrase,
  usedSource,
} from './standing';

/** How full the context is. */
export function explainPressure(e: Evidence): Explanation {
  const { session } = e;
  const { used, limit, state } = session;
  const base = {
    title: 'Pressure',
    unit: 'share',
    steps: [] as Step[],
    caveats: certaintyCaveats(session),
  } as const;
  const sources = [lensSource(session), usedSource(e), limitSourceOf(e)];
  const without = { ...base, formula: null, result: null, certainty: 'not known', sources } as const;
  if (state === 'untracked') return { ...without, meaning: untrackedPhrase(), caveats: [] };
  if (used === null) return { ...without, meaning: unknownPhrase(e), caveats: [] };
  if (limit === null) {
    return { ...without, meaning: say`Tokens in use are known, but no limit, so there is no share.` };
  }
  if (limit <= 0) {
    return { ...without, result: 0, certainty: 'exact', meaning: say`A limit of 0 or less reads 0.` };
  }
  return {
    ...base,
    meaning: say`The share of the context window in use. It may pass 100 % where the limit was exceeded.`,
    formula: {
      expression: divide(value('used', used, 'tokens', 'used'), value('limit', limit, 'tokens', 'limit')),
      name: 'pressure',
      unit: 'share',
    },
    result: used / limit,
    certainty: certaintyOf(session),
    sources,
    caveats: [
      ...base.caveats,
      ...(session.limitSource === 'assumed'
        ? [say`The limit is assumed: once a runner or client states one, the pressure changes with it.`]
        : []),
      ...(session.lens === 'cumulative' ? [say`Cache reads are telemetry and not part of it.`] : []),
    ],
  };
}

/** The tokens in use, by the session's lens. */
export function explainUsed(e: Evidence): Explanation {
  const { session, context, reading } = e;
  const base = {
    title: 'Tokens in use',
    unit: 'tokens',
    steps: [] as Step[],
    caveats: certaintyCaveats(session),
  } as const;
  const sources = [lensSource(session), usedSource(e)];
  const without = {
    ...base,
    formula: null,
    result: null,
    certainty: 'not known',
    sources,
    caveats: [],
  } as const;
  if (session.state === 'untracked') return { ...without, meaning: untrackedPhrase() };
  if (session.used === null) return { ...without, meaning: unknownPhrase(e) };
  if (session.lens === 'cumulative') {
    const { input, output } = context.cumulative;
    return {
      ...base,
      meaning: say`Input and output of ${counted(context.mainTurns, 'turn')} of this context, summed since it started${context.startedBy === null ? '' : ` with a ${context.startedBy}`}.`,
      formula: {
        expression: add(value('input', input, 'tokens'), value('output', output, 'tokens')),
        name: 'used',
        unit: 'tokens',
      },
      result: session.used,
      certainty: certaintyOf(session),
      sources,
      caveats: [
        ...base.caveats,
        say`System prompt and tools are included only where the runner counted them as input.`,
      ],
    };
  }
  return {
    ...base,
    meaning: say`The last reading of the context’s size, with ${turnPhrase(reading?.turn ?? null)}. A reading replaces the one before it; nothing is summed.`,
    formula: readingFormula(e),
    result: session.used,
    certainty: certaintyOf(session),
    sources,
    caveats:
      reading?.basis === 'input'
        ? [...base.caveats, say`The reading is of the input side alone: the last answer is not in it yet.`]
        : base.caveats,
  };
}

/** The sum of a call's counts, where it equals the reading; null: the reading was stated as a whole. */
function readingFormula({ reading, lastTurn }: Evidence): Formula | null {
  if (reading === null || lastTurn === null || reading.turn?.number !== lastTurn.number) return null;
  const { input, output, cacheRead, cacheCreation } = lastTurn;
  if (input + cacheCreation + cacheRead + output !== reading.tokens) return null;
  return {
    expression: add(
      value('input', input, 'tokens'),
      value('cache writes', cacheCreation, 'tokens'),
      value('cache reads', cacheRead, 'tokens'),
      value('output', output, 'tokens'),
    ),
    name: `reading of turn ${lastTurn.number}`,
    unit: 'tokens',
  };
}

/** The context window and its source. */
export function explainLimit(e: Evidence): Explanation {
  const { limit, session } = e;
  const stated = ['turn', 'client', 'session'].includes(limit.source);
  return {
    title: 'Limit',
    meaning:
      limit.tokens === null
        ? say`No context window is known: ${limitPhrase(limit, e.newestTurn)}. Tokens are shown without a share.`
        : say`The context window this session is measured against: ${limitPhrase(limit, e.newestTurn)}.`,
    formula: null,
    result: limit.tokens,
    unit: 'tokens',
    certainty: limit.tokens === null ? 'not known' : stated ? 'exact' : 'estimate',
    steps: [
      {
        says: say`Taken in this order: the turn’s own; stated by the client for the model; the session’s; the table of models; learned; assumed. The first known one is used.`,
      },
    ],
    sources: [
      { name: 'source', from: say`${limit.source === 'none' ? 'none' : limit.source}` },
      ...(limit.model === null ? [] : [{ name: 'model', from: say`${limit.model}` }]),
    ],
    caveats: [
      ...(stated || limit.tokens === null
        ? []
        : [say`Not stated, so a reading above it replaces it. Earlier turns keep their limit.`]),
      ...(session.compactsAt === null
        ? []
        : [say`The client compacts before it, at ${{ value: session.compactsAt, unit: 'tokens' }}.`]),
    ],
  };
}

/** The word for how full it is. */
export function explainState(e: Evidence): Explanation {
  const { session, thresholds } = e;
  const { pressure, state } = session;
  const isRead = pressure !== null && state !== 'untracked' && state !== 'unknown';
  const bounds = [
    ['elevated', thresholds.elevated],
    ['warning', thresholds.warning],
    ['critical', thresholds.critical],
    ['over limit', thresholds.redlined],
  ] as const;
  return {
    title: 'State',
    meaning: isRead
      ? say`${statePhrase(pressure, bounds)} A bound counts from itself on.`
      : state === 'untracked'
        ? untrackedPhrase()
        : unknownPhrase(e),
    formula: null,
    result: isRead ? pressure : null,
    unit: 'share',
    certainty: isRead ? certaintyOf(session) : 'not known',
    steps: bounds.map(([name, from]) => ({ says: say`${name} from ${share(from)}` })),
    sources: [{ name: 'bounds', from: say`the settings of project ${session.project}` }],
    caveats: isRead ? certaintyCaveats(session) : [],
  };
}

function statePhrase(pressure: number, bounds: readonly (readonly [string, number])[]) {
  const above = bounds.findLast(([, from]) => pressure >= from);
  const below = bounds.find(([, from]) => pressure < from);
  if (above === undefined) {
    return say`Nominal: ${share(pressure)} lies below ${share(bounds[0]?.[1] ?? 0)}.`;
  }
  const [name, from] = above;
  const isAbove = say`${name[0]?.toUpperCase() ?? ''}${name.slice(1)}: ${share(pressure)} is ${share(from)} or more`;
  return below === undefined ? say`${isAbove}.` : say`${isAbove}, and less than ${share(below[1])}.`;
}

/** How many contexts the main chain has had. */
export function explainContexts(e: Evidence): Explanation {
  return {
    ...ofBoundaries,
    title: 'Contexts',
    meaning: say`Each boundary of the main chain ends a context and begins the next. They are numbered from 0: the open one is context ${count(e.context.index)}.`,
    formula: {
      expression: add(value('the first', 1, 'count'), ...boundaryValues(e)),
      name: 'contexts',
      unit: 'count',
    },
    result: e.session.contextCount,
  };
}

/** The number of the open context: the boundaries before it. */
export function explainContextNumber(e: Evidence): Explanation {
  return {
    ...ofBoundaries,
    title: `Context ${e.context.index}`,
    meaning: say`Contexts are numbered from 0, and each boundary of the main chain begins the next: the open one has the number of the boundaries before it, and is one of ${count(e.session.contextCount)}.`,
    formula: { expression: add(...boundaryValues(e)), name: 'context', unit: 'count' },
    result: e.context.index,
  };
}

const ofBoundaries = {
  unit: 'count',
  certainty: 'exact',
  steps: [],
  sources: [{ name: 'boundaries', from: say`the events of this session, on its main chain` }],
  caveats: [say`Only confirmed compactions count: pending, blocked and failed ones end no context.`],
} as const satisfies Partial<Explanation>;

function boundaryValues({ boundaries: { restarts, compactions, clears } }: Evidence) {
  return [
    value('restarts', restarts, 'count'),
    value('compactions', compactions, 'count'),
    value('clears', clears, 'count'),
  ];
}
