import type { Evidence } from '../api/evidence';
import { atTime, count, counted, type Explanation, explained, minutes, say, tokens } from './explanation';
import {
  add,
  atLeast,
  ceil,
  divide,
  type Expression,
  evaluate,
  type Formula,
  floor,
  hundredths,
  multiply,
  type Unit,
  value,
} from './formula';
import { boundaryPhrase, usedSource } from './standing';

type Rate = NonNullable<Evidence['rate']>;
type Countdown = NonNullable<Evidence['countdown']>;

const TOO_EARLY = say`Too early: a rate needs three turns of growth in this context.`;
const growthOf = ({ context }: Evidence) => ({
  growth: say`the last turns of context ${count(context.index)}, 24 at most`,
});

const perTurn = ({ tokens, counted }: Rate) =>
  divide(value('growth', tokens, 'tokens'), value('turns', counted, 'turns'));

/** Growth per turn over the last turns. */
export function explainTokensPerTurn(e: Evidence): Explanation {
  const { rate } = e;
  const leftOut = rate?.leftOut ?? null;
  const trimmed =
    leftOut === null
      ? ''
      : say`, without the smallest (${tokens(leftOut[0])}) and the largest (${tokens(leftOut[1])})`;
  return explained('Tokens a turn', 'tokens a turn', {
    meaning:
      rate === null
        ? TOO_EARLY
        : say`By how much the context grew with one turn, as the mean of the last ${counted(rate.turns, 'turn')} of this context${trimmed}.`,
    formula: rate === null ? null : ['tokens a turn', perTurn(rate)],
    sources: growthOf(e),
    caveats: [say`A measurement of the past, not the forecast.`],
  });
}

/** Growth per minute of work. */
export function explainTokensPerMinute(e: Evidence): Explanation {
  const { rate } = e;
  const sources = growthOf(e);
  if (rate === null) return explained('Tokens a minute', 'tokens a minute', { meaning: TOO_EARLY, sources });
  const isKnown = rate.minutes > 0;
  const pace = divide(value('minutes', rate.minutes, 'minutes'), value('turns', rate.turns, 'turns'));
  const longer = rate.shortened === 0 ? 'none was' : counted(rate.shortened, 'was', 'were');
  return explained('Tokens a minute', 'tokens a minute', {
    meaning: isKnown
      ? say`The burn rate: growth of the context per minute of work, over the last ${counted(rate.turns, 'turn')} of this context.`
      : say`All turns have the same time, so there is no rate.`,
    formula: isKnown ? ['burn', divide(perTurn(rate), pace)] : null,
    steps: [{ name: 'tokens a turn', unit: 'tokens a turn', expression: perTurn(rate) }],
    sources,
    caveats: [
      say`A pause counts as ${minutes(rate.longestPause)} at most, so that an idle hour does not look like slow work; ${longer} longer.`,
    ],
  });
}

/** Turns left until the next boundary, unrounded. */
function turnsLeft({ left, tokensPerTurn, overshoot }: Countdown): Expression {
  return add(
    divide(value('left', left, 'tokens'), value('expected growth', tokensPerTurn, 'tokens a turn')),
    value('for uneven steps', overshoot, 'turns'),
  );
}

/** The ends of a forecast, each in its own rounding. */
function ends(unit: Unit, soonest: Expression, latest: Expression): Formula[] {
  return [
    { name: 'at the soonest', unit, expression: soonest },
    { name: 'at the latest', unit, expression: latest },
  ];
}

/** The forecast in turns. */
export function explainTurns(e: Evidence): Explanation {
  const { countdown } = e;
  const title = 'Turns to the next boundary';
  if (countdown === null) return silent(e, title, 'turns');
  const turns = turnsLeft(countdown);
  const middle = value('turns, unrounded', evaluate(turns), 'turns');
  const factor = value('range', countdown.factor, 'factor');
  return explained(title, 'turns', {
    ...forecastParts(e),
    formula: ['turns', atLeast(1, ceil(turns))],
    steps: ends(
      'turns',
      atLeast(1, floor(divide(middle, factor))),
      atLeast(1, ceil(multiply(middle, factor))),
    ),
  });
}

/** The forecast in minutes of work. */
export function explainMinutes(e: Evidence): Explanation {
  const { countdown } = e;
  const title = 'Minutes to the next boundary';
  if (countdown === null) return silent(e, title, 'minutes');
  const { pace } = countdown;
  if (pace === null) {
    const meaning = say`Only turns are forecast: all turns so far have the same time.`;
    return { ...silent(e, title, 'minutes'), meaning };
  }
  const turns = value('turns, unrounded', evaluate(turnsLeft(countdown)), 'turns', 'turns');
  const left = multiply(turns, value('pace', pace.minutesPerTurn, 'minutes a turn'));
  const middle = value('minutes, unrounded', evaluate(left), 'minutes');
  const factor = value('range', pace.factor, 'factor');
  const parts = forecastParts(e);
  return explained(title, 'minutes', {
    ...parts,
    formula: ['minutes', hundredths(left)],
    steps: ends('minutes', hundredths(divide(middle, factor)), hundredths(multiply(middle, factor))),
    caveats: [say`Minutes of work: long pauses of the agent do not count.`, ...parts.caveats],
  });
}

function forecastParts(e: Evidence) {
  return {
    meaning: say`Tokens left, divided by the expected growth: of this context, blended with typical growth while it has few turns. Next: ${boundaryPhrase(e)}.`,
    certainty: 'forecast',
    sources: {
      boundary: boundaryPhrase(e),
      used: usedSource(e),
      growth: say`${counted(e.context.mainTurns, 'turn')} of this context, and the contexts before it`,
    },
    caveats: [
      lineCaveat(e),
      say`The range is right 80 % of the time.`,
      e.session.forecast?.certainty === 'rough' &&
        say`A wide range: its ends are more than four times apart.`,
    ],
  } as const;
}

/** Caveat of the restart line: passed without a restart, or only a setting. */
function lineCaveat({ session: { restartLinePassed, nextBoundary } }: Evidence) {
  if (restartLinePassed !== null) {
    const { at, turnsSince } = restartLinePassed;
    const since = turnsSince === 0 ? 'with the last turn' : say`${counted(turnsSince, 'turn')} ago`;
    return say`The restart line was passed ${since}, at ${atTime(at)}, and no restart was seen since.`;
  }
  return (
    nextBoundary?.source === 'setting' &&
    say`The restart line is a project setting, and nothing has restarted this session so far.`
  );
}

function silent(e: Evidence, title: string, unit: 'turns' | 'minutes'): Explanation {
  const { nextBoundary: next, forecast } = e.session;
  if (next === null) {
    const meaning = say`No known boundary: the tokens in use or the limit are unknown.`;
    return explained(title, unit, { meaning, sources: {} });
  }
  return explained(title, unit, {
    meaning: next.passed
      ? say`The last boundary, ${boundaryPhrase(e)}, is passed.`
      : forecast?.certainty === 'still'
        ? say`This context does not grow.`
        : say`Too early: a forecast needs three turns of growth in this context.`,
    sources: { boundary: boundaryPhrase(e) },
    caveats: [lineCaveat(e)],
  });
}
