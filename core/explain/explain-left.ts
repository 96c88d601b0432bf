/** Explains the tokens, turns and minutes until the next boundary, and the growth of the context. */
import { tokensUntilEnd } from '../accounting/next-boundary';
import type { Evidence } from '../api/evidence';
import {
  atTime,
  count,
  counted,
  type Explanation,
  explained,
  minutes,
  type Phrase,
  say,
  share,
  tokens,
} from './explanation';
import {
  add,
  atLeast,
  ceil,
  divide,
  type Expression,
  evaluate,
  floor,
  hundredths,
  lineAt,
  multiply,
  subtract,
  value,
} from './formula';
import {
  boundaryPhrase,
  certaintyCaveats,
  certaintyOf,
  limitSource,
  unknownPhrase,
  usedSource,
} from './standing';

interface Point {
  title: string;
  /** The source of `at`, by name. */
  line: Readonly<Record<string, Phrase>>;
  meaning: Phrase;
  /** The point in tokens. Null: unknown without a limit. */
  at: Expression | null;
  /** The session's own figure of the tokens left. */
  result: number | null;
}

/** Tokens left to a point. */
function until(e: Evidence, { title, line, meaning, at, result }: Point): Explanation {
  const { session } = e;
  const sources = { ...line, used: usedSource(e), limit: limitSource(e) };
  if (session.used === null) return explained(title, 'tokens', { meaning: unknownPhrase(e), sources });
  if (at === null) return explained(title, 'tokens', { meaning: say`Unknown without a limit.`, sources });
  return explained(title, 'tokens', {
    meaning,
    formula: ['left', atLeast(0, subtract(at, value('used', session.used, 'tokens', 'used')))],
    result,
    certainty: certaintyOf(session),
    sources,
    caveats: session.complete
      ? certaintyCaveats(session)
      : [say`Turns were lost, so this is an upper bound until the next boundary.`],
  });
}

function lineOf(name: string, line: number, limit: number | null): Expression | null {
  if (limit === null) return null;
  return lineAt(value(name, line, 'share'), value('limit', limit, 'tokens', 'limit'));
}

export function explainUntilWarning(e: Evidence): Explanation {
  const { warning } = e.thresholds;
  return until(e, {
    title: 'Tokens until warning',
    line: { line: say`${share(warning)}, a setting of project ${e.session.project}` },
    meaning: say`Tokens left before the session reaches the state warning, never below 0.`,
    at: lineOf('warning', warning, e.session.limit),
    result: e.session.tokensUntilWarning,
  });
}

export function explainUntilRestart(e: Evidence): Explanation {
  const { restartLine, limit, project, tokensUntilRestart } = e.session;
  const title = 'Tokens until the restart line';
  const by =
    e.restartLineBy === 'session' ? 'declared by this session’s runner' : `a setting of project ${project}`;
  if (restartLine === null) {
    const meaning = say`The line is above 100 %, which means never.`;
    return explained(title, 'tokens', { meaning, sources: { line: say`${by}` } });
  }
  return until(e, {
    title,
    line: { line: say`${share(restartLine)}, ${by}` },
    meaning: say`Tokens left before the restart line, never below 0.`,
    at: lineOf('restart line', restartLine, limit),
    result: tokensUntilRestart,
  });
}

/** Until the client compacts, or until the limit if no compaction point is known. */
export function explainUntilEnd(e: Evidence): Explanation {
  const { compaction, session } = e;
  const result = tokensUntilEnd(session);
  if (compaction !== null && !compaction.passed) {
    return until(e, {
      title: 'Tokens until compaction',
      line: { point: compactionSource(compaction) },
      meaning: say`Tokens left before the client compacts automatically, at ${tokens(compaction.tokens)}, never below 0.`,
      at: value('compacts at', compaction.tokens, 'tokens'),
      result,
    });
  }
  const { limit } = session;
  return until(e, {
    title: 'Tokens until the limit',
    line: {
      end:
        compaction === null
          ? say`the limit, because this client’s compaction point is unknown`
          : say`the limit, because this client continued past ${tokens(compaction.tokens)} without a compaction`,
    },
    meaning: say`Tokens left before the context window is full, never below 0.`,
    at: limit === null ? null : value('limit', limit, 'tokens', 'limit'),
    result,
  });
}

function compactionSource({ source, seen }: NonNullable<Evidence['compaction']>): Phrase {
  switch (source) {
    case 'client':
      return say`stated by the client`;
    case 'learned': {
      if (seen.length === 0)
        return say`the automatic compactions of earlier sessions of this client, version and window`;
      const list = seen.flatMap((amount, index) => [...(index === 0 ? [] : [', ']), tokens(amount)]);
      return say`the lowest of the automatic compactions seen here: ${list}`;
    }
    case 'rule':
      return say`a rule for this client and version${seen.length === 0 ? '' : ', confirmed by the compactions seen here'}`;
  }
}

type Rate = NonNullable<Evidence['rate']>;
type Countdown = NonNullable<Evidence['countdown']>;

const TOO_EARLY = say`Too early: a rate needs three turns of growth in this context.`;
const growthOf = ({ context }: Evidence) => ({
  growth: say`the last turns of context ${count(context.index)}, 24 at most`,
});

const perTurn = ({ tokens, counted }: Rate) =>
  divide(value('growth', tokens, 'tokens'), value('turns', counted, 'turns'));

export function explainTokensPerTurn(e: Evidence): Explanation {
  const { rate } = e;
  const leftOut = rate?.leftOut ?? null;
  const trimmed =
    leftOut === null
      ? ''
      : say`, without the smallest (${tokens(leftOut[0])}) and the largest (${tokens(leftOut[1])})`;
  return explained('Tokens per turn', 'tokens per turn', {
    meaning:
      rate === null
        ? TOO_EARLY
        : say`Mean growth of the context per turn, over the last ${counted(rate.turns, 'turn')} of this context${trimmed}.`,
    formula: rate === null ? null : ['tokens per turn', perTurn(rate)],
    sources: growthOf(e),
    caveats: [say`A measurement of the past, not a forecast.`],
  });
}

export function explainTokensPerMinute(e: Evidence): Explanation {
  const { rate } = e;
  const sources = growthOf(e);
  if (rate === null)
    return explained('Tokens per minute', 'tokens per minute', { meaning: TOO_EARLY, sources });
  const isKnown = rate.minutes > 0;
  const pace = divide(value('minutes', rate.minutes, 'minutes'), value('turns', rate.turns, 'turns'));
  const longer = rate.shortened === 0 ? 'none was' : counted(rate.shortened, 'was', 'were');
  return explained('Tokens per minute', 'tokens per minute', {
    meaning: isKnown
      ? say`The burn rate: growth of the context per active minute, over the last ${counted(rate.turns, 'turn')} of this context.`
      : say`No rate: all turns have the same timestamp.`,
    formula: isKnown ? ['burn', divide(perTurn(rate), pace)] : null,
    steps: [{ name: 'tokens per turn', unit: 'tokens per turn', expression: perTurn(rate) }],
    sources,
    caveats: [
      say`A pause counts as at most ${minutes(rate.longestPause)}, so that an idle hour does not look like slow work; ${longer} longer.`,
    ],
  });
}

/** Turns left until the next boundary, unrounded. */
function turnsLeft({ left, tokensPerTurn, overshoot }: Countdown): Expression {
  return add(
    divide(value('left', left, 'tokens'), value('expected growth', tokensPerTurn, 'tokens per turn')),
    value('for uneven steps', overshoot, 'turns'),
  );
}

export function explainTurns(e: Evidence): Explanation {
  const { countdown } = e;
  const title = 'Turns to the next boundary';
  if (countdown === null) return silent(e, title, 'turns');
  const turns = turnsLeft(countdown);
  const middle = value('turns, unrounded', evaluate(turns), 'turns');
  const [soonest, latest] = endsOf(middle, countdown.factors);
  return explained(title, 'turns', {
    ...forecastParts(e),
    formula: ['turns', atLeast(1, ceil(turns))],
    steps: [
      { name: SOONEST, unit: 'turns', expression: atLeast(1, floor(soonest)) },
      { name: LATEST, unit: 'turns', expression: atLeast(1, ceil(latest)) },
    ],
  });
}

/** The forecast in active minutes. */
export function explainMinutes(e: Evidence): Explanation {
  const { countdown } = e;
  const title = 'Minutes to the next boundary';
  if (countdown === null) return silent(e, title, 'minutes');
  const { pace } = countdown;
  if (pace === null) {
    const meaning = say`Only turns are forecast: all turns so far have the same timestamp.`;
    return { ...silent(e, title, 'minutes'), meaning };
  }
  const turns = value('turns, unrounded', evaluate(turnsLeft(countdown)), 'turns', 'turns');
  const left = multiply(turns, value('pace', pace.minutesPerTurn, 'minutes per turn'));
  const middle = value('minutes, unrounded', evaluate(left), 'minutes');
  const [soonest, latest] = endsOf(middle, pace.factors);
  const parts = forecastParts(e);
  return explained(title, 'minutes', {
    ...parts,
    formula: ['minutes', hundredths(left)],
    steps: [
      { name: SOONEST, unit: 'minutes', expression: hundredths(soonest) },
      { name: LATEST, unit: 'minutes', expression: hundredths(latest) },
    ],
    caveats: [say`Active minutes: a pause counts as ten minutes at most.`, ...parts.caveats],
  });
}

/** The ends of a forecast. */
const SOONEST = 'at the earliest';
const LATEST = 'at the latest';

function endsOf(middle: Expression, { low, high }: Countdown['factors']): [Expression, Expression] {
  return [divide(middle, value('range', low, 'factor')), multiply(middle, value('range', high, 'factor'))];
}

function forecastParts(e: Evidence) {
  return {
    meaning: say`Tokens left, divided by the expected growth of this context. While it has few turns, typical growth also counts. Next: ${boundaryPhrase(e)}.`,
    certainty: 'forecast',
    sources: {
      boundary: boundaryPhrase(e),
      used: usedSource(e),
      growth: say`${counted(e.context.mainTurns, 'turn')} of this context, and the earlier contexts`,
    },
    caveats: [
      lineCaveat(e),
      say`The range is right 80 % of the time.`,
      e.session.forecast?.certainty === 'rough' &&
        say`A wide range: the upper end is more than four times the lower end.`,
    ],
  } as const;
}

/** Caveat about a restart line that was passed without a restart. */
function lineCaveat({ session: { restartLinePassed } }: Evidence) {
  if (restartLinePassed === null) return false;
  const { at, turnsSince } = restartLinePassed;
  const since = turnsSince === 0 ? 'with the last turn' : say`${counted(turnsSince, 'turn')} ago`;
  return say`The session passed the restart line ${since}, at ${atTime(at)}, with no restart since.`;
}

function silent(e: Evidence, title: string, unit: 'turns' | 'minutes'): Explanation {
  const { nextBoundary: next, forecast } = e.session;
  if (next === null) {
    const meaning = say`No known boundary: the tokens in use or the limit are unknown.`;
    return explained(title, unit, { meaning, sources: {} });
  }
  return explained(title, unit, {
    meaning: next.passed
      ? say`The session has passed its last boundary: ${boundaryPhrase(e)}.`
      : forecast?.certainty === 'still'
        ? say`This context does not grow.`
        : say`Too early: a forecast needs three turns of growth in this context.`,
    sources: { boundary: boundaryPhrase(e) },
    caveats: [lineCaveat(e)],
  });
}
