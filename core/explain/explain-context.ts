/** Explains the open context, its limit, and the tokens of its session. */
import { cacheShareOf, type Sent } from '../accounting/counts';
import { LIMIT_SOURCES } from '../accounting/types';
import type { Evidence } from '../api/evidence';
import { count, counted, type Explanation, explained, type Phrase, say, share, tokens } from './explanation';
import { add, divide, type Expression, value } from './formula';
import {
  certaintyCaveats,
  certaintyOf,
  lensSource,
  limitSource,
  turnPhrase,
  unknownPhrase,
  usedSource,
} from './standing';

export function explainPressure(e: Evidence): Explanation {
  const { session } = e;
  const { used, limit, state, lens } = session;
  const sources = { lens: lensSource(session), used: usedSource(e), limit: limitSource(e) };
  const without = (meaning: Phrase, result: 0 | null = null) =>
    explained('Pressure', 'share', { meaning, result, sources });
  if (used === null || state === 'untracked') return without(unknownPhrase(e));
  if (limit === null) return without(say`Unknown, because no limit is known.`);
  if (limit <= 0) return without(say`With a limit of 0 or less, pressure is 0.`, 0);
  return explained('Pressure', 'share', {
    meaning: say`The share of the context window in use. It exceeds 100 % if the limit was exceeded.`,
    formula: [
      'pressure',
      divide(value('used', used, 'tokens', 'used'), value('limit', limit, 'tokens', 'limit')),
    ],
    certainty: certaintyOf(session),
    sources,
    caveats: [
      ...certaintyCaveats(session),
      session.limitSource === 'assumed' &&
        say`The limit is assumed. When a runner or client states a limit, the pressure changes.`,
      lens === 'cumulative' && say`Cache reads are telemetry and not part of pressure.`,
    ],
  });
}

export function explainUsed(e: Evidence): Explanation {
  const { session, context, reading } = e;
  const sources = { lens: lensSource(session), used: usedSource(e) };
  if (session.used === null || session.state === 'untracked') {
    return explained('Tokens in use', 'tokens', { meaning: unknownPhrase(e), sources });
  }
  const isSum = session.lens === 'cumulative';
  const { startedBy, mainTurns, cumulative } = context;
  return explained('Tokens in use', 'tokens', {
    meaning: isSum
      ? say`Input and output of ${counted(mainTurns, 'turn')} of this context, summed since it started${startedBy === null ? '' : ` with a ${startedBy}`}.`
      : say`The last reading of the context’s size, with ${turnPhrase(reading?.turn ?? null)}. Each reading replaces the previous one; nothing is summed.`,
    formula: isSum
      ? [
          'used',
          add(value('input', cumulative.input, 'tokens'), value('output', cumulative.output, 'tokens')),
        ]
      : readingFormula(e),
    result: session.used,
    certainty: certaintyOf(session),
    sources,
    caveats: [
      ...certaintyCaveats(session),
      isSum && say`System prompt and tools are included only if the runner counted them as input.`,
      !isSum &&
        reading?.basis === 'input' &&
        say`The reading covers only the input, without the last answer.`,
    ],
  });
}

/** The counts of a call, if their sum equals the reading. Null: the reading was stated as a whole. */
function readingFormula({ reading, lastTurn }: Evidence) {
  if (reading === null || lastTurn === null || reading.turn?.number !== lastTurn.number) return null;
  const { input, output, cacheRead, cacheCreation } = lastTurn;
  if (input + cacheCreation + cacheRead + output !== reading.tokens) return null;
  const sum = add(
    value('input', input, 'tokens'),
    value('cache writes', cacheCreation, 'tokens'),
    value('cache reads', cacheRead, 'tokens'),
    value('output', output, 'tokens'),
  );
  return [`reading of turn ${lastTurn.number}`, sum] as const;
}

export function explainLimit(e: Evidence): Explanation {
  const { limit, session } = e;
  const isStated = LIMIT_SOURCES.indexOf(limit.source) <= LIMIT_SOURCES.indexOf('setting');
  const source = limitSource(e);
  return explained('Limit', 'tokens', {
    meaning:
      limit.tokens === null
        ? say`No context window is known: ${source}. Tokens are shown without a share.`
        : say`The context window of this session: ${source}.`,
    result: limit.tokens,
    certainty: isStated ? 'exact' : 'estimate',
    steps: [
      say`The first known of these: the turn’s own limit, the client’s (or its status line’s, or an API error’s) unless a call refuted it, the session’s, the project’s setting, one learned from a reading, the model table’s, an assumption.`,
    ],
    sources: {
      source: say`${limit.source}`,
      ...(limit.model !== null && { model: say`${limit.model}` }),
    },
    caveats: [
      !isStated &&
        limit.tokens !== null &&
        say`This limit is an estimate. A higher reading corrects it, including for the earlier turns of this estimate.`,
      session.compactsAt !== null && say`The client compacts earlier, at ${tokens(session.compactsAt)}.`,
    ],
  });
}

export function explainState(e: Evidence): Explanation {
  const { session, thresholds } = e;
  const { state } = session;
  const pressure = state === 'untracked' || state === 'unknown' ? null : session.pressure;
  const bounds = [
    ['Elevated', thresholds.elevated],
    ['Warning', thresholds.warning],
    ['Critical', thresholds.critical],
    ['Over limit', thresholds.redlined],
  ] as const;
  const [name, from] = bounds.findLast(([, bound]) => (pressure ?? 0) >= bound) ?? ['Nominal', 0];
  return explained('State', 'share', {
    meaning:
      pressure === null
        ? unknownPhrase(e)
        : say`${name}: ${share(pressure)} is at least ${share(from)}. Bounds are inclusive.`,
    result: pressure,
    certainty: certaintyOf(session),
    steps: bounds.map(([word, bound]) => say`${word.toLowerCase()} from ${share(bound)}`),
    sources: { bounds: say`the settings of project ${session.project}` },
    caveats: pressure === null ? [] : certaintyCaveats(session),
  });
}

function ofBoundaries(title: string, { boundaries }: Evidence, first: Expression[], meaning: Phrase) {
  const counts = (['restarts', 'compactions', 'clears'] as const).map((name) =>
    value(name, boundaries[name], 'count'),
  );
  return explained(title, 'count', {
    meaning,
    formula: [first.length === 0 ? 'context' : 'contexts', add(...first, ...counts)],
    sources: { boundaries: say`the events of this session, on its main chain` },
    caveats: [say`Only confirmed compactions count: pending, blocked and failed ones end no context.`],
  });
}

export function explainContexts(e: Evidence): Explanation {
  const meaning = say`Each boundary of the main chain ends a context and starts the next. Contexts are numbered from 0: the open one is context ${count(e.context.index)}.`;
  return ofBoundaries('Contexts', e, [value('the first', 1, 'count')], meaning);
}

/** The number of the open context: the number of boundaries before it. */
export function explainContextNumber(e: Evidence): Explanation {
  const meaning = say`Contexts are numbered from 0, so the number of the open context is the number of boundaries before it. The session has ${counted(e.session.contextCount, 'context')}.`;
  return ofBoundaries(`Context ${e.context.index}`, e, [], meaning);
}

/** The formula of a cache share, for a session and for history. */
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
      ? say`The share of the session’s sent tokens that the provider’s prompt cache served.`
      : say`No calls yet.`,
    formula: isKnown ? cacheShareFormula(all) : null,
    sources: { counts: say`${counted(all.calls, 'call')} of the whole session, sub-agents included` },
    caveats: [say`Telemetry: cache reads are not part of pressure or input.`],
  });
}

export function explainSpent({ session }: Evidence): Explanation {
  const { main, side, all } = session.totals;
  const sum = (field: 'input' | 'output' | 'cacheRead' | 'cacheCreation') =>
    add(value('main', main[field], 'tokens'), value('sub-agents and side calls', side[field], 'tokens'));
  return explained('Input and output', 'tokens', {
    meaning: say`The tokens of ${counted(all.calls, 'call')} in all contexts of this session. They are unrelated to pressure.`,
    formula: [
      'input and output',
      add(value('input', all.input, 'tokens'), value('output', all.output, 'tokens')),
    ],
    certainty: session.complete ? 'exact' : 'at least',
    steps: [
      { name: 'input', unit: 'tokens', expression: sum('input') },
      { name: 'output', unit: 'tokens', expression: sum('output') },
      { name: 'cache reads', unit: 'tokens', expression: sum('cacheRead') },
      { name: 'cache writes', unit: 'tokens', expression: sum('cacheCreation') },
    ],
    sources: { counts: say`as each call reported them; a negative count counts as 0` },
    caveats: [
      ...certaintyCaveats({ ...session, estimated: false }),
      say`Input excludes tokens from the cache.`,
    ],
  });
}

export function explainPeak(e: Evidence): Explanation {
  const { context, session, peakTurn } = e;
  const peak = context.peakOccupancy;
  const limit = session.limit ?? 0;
  const isShare = limit > 0;
  return explained(`Peak of context ${context.index}`, isShare ? 'share' : 'tokens', {
    meaning:
      peak === null
        ? say`No known size of this context yet.`
        : say`The largest size of the open context, by the session’s lens, reached with ${turnPhrase(peakTurn)}.`,
    ...(peak !== null && isShare
      ? { formula: ['peak', divide(value('peak', peak, 'tokens'), value('limit', limit, 'tokens', 'limit'))] }
      : { result: peak }),
    certainty: session.complete ? 'exact' : 'at least',
    sources: { turn: turnPhrase(peakTurn), limit: limitSource(e) },
    caveats: certaintyCaveats({ ...session, estimated: false }),
  });
}
