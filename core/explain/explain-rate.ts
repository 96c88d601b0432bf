import type { Evidence } from '../api/evidence';
import type { Explanation, Phrase } from './explanation';
import { atTime, counted, minutes, say, tokens } from './explanation';
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
  value,
} from './formula';
import { boundaryPhrase, usedSource } from './standing';

type Rate = NonNullable<Evidence['rate']>;
type Countdown = NonNullable<Evidence['countdown']>;

/** Growth per turn over the last turns. */
export function explainTokensPerTurn(e: Evidence): Explanation {
  const { rate } = e;
  return {
    title: 'Tokens a turn',
    unit: 'tokens a turn',
    meaning:
      rate === null
        ? tooEarly()
        : say`By how much the context grew with one turn, as the mean of the last ${counted(rate.turns, 'turn')} of this context${trimmed(rate)}.`,
    formula: rate === null ? null : perTurn(rate),
    result: e.session.tokensPerTurn,
    certainty: rate === null ? 'not known' : 'exact',
    steps: [],
    sources: [
      {
        name: 'growth',
        from: say`the last turns of context ${{ value: e.context.index, unit: 'count' }}, 24 at most`,
      },
    ],
    caveats: [say`A measurement of the past, not the forecast.`],
  };
}

/** Growth per minute of work. */
export function explainTokensPerMinute(e: Evidence): Explanation {
  const { rate } = e;
  const known = rate !== null && rate.minutes > 0;
  return {
    title: 'Tokens a minute',
    unit: 'tokens a minute',
    meaning:
      rate === null
        ? tooEarly()
        : known
          ? say`The burn rate: growth of the context per minute of work, over the last ${counted(rate.turns, 'turn')} of this context.`
          : say`All turns have the same time, so there is no rate.`,
    formula: known
      ? {
          expression: divide(perTurn(rate).expression, minutesPerTurn(rate)),
          name: 'burn',
          unit: 'tokens a minute',
        }
      : null,
    result: e.session.tokensPerMinute,
    certainty: known ? 'exact' : 'not known',
    steps: rate === null ? [] : [{ formula: perTurn(rate) }],
    sources: [
      {
        name: 'growth',
        from: say`the last turns of context ${{ value: e.context.index, unit: 'count' }}, 24 at most`,
      },
    ],
    caveats: rate === null ? [] : pauses(rate),
  };
}

function tooEarly(): Phrase {
  return say`Too early: a rate needs three turns of growth in this context.`;
}

function trimmed({ leftOut }: Rate): Phrase {
  return leftOut === null
    ? say``
    : say`, without the smallest (${tokens(leftOut[0])}) and the largest (${tokens(leftOut[1])})`;
}

function pauses(rate: Rate): Phrase[] {
  const longest = say`A pause counts as ${minutes(rate.longestPause)} at most, so that an idle hour does not look like slow work`;
  return [
    rate.shortened === 0
      ? say`${longest}; none was longer.`
      : say`${longest}; ${counted(rate.shortened, 'was', 'were')} longer.`,
  ];
}

function perTurn(rate: Rate): Formula {
  return {
    expression: divide(value('growth', rate.tokens, 'tokens'), value('turns', rate.counted, 'turns')),
    name: 'tokens a turn',
    unit: 'tokens a turn',
  };
}

function minutesPerTurn(rate: Rate): Expression {
  return divide(value('minutes', rate.minutes, 'minutes'), value('turns', rate.turns, 'turns'));
}

/** Turns left until the next boundary, unrounded. */
function turnsLeft({ left, tokensPerTurn, overshoot }: Countdown): Expression {
  return add(
    divide(value('left', left, 'tokens'), value('expected growth', tokensPerTurn, 'tokens a turn')),
    value('for uneven steps', overshoot, 'turns'),
  );
}

/** The forecast in turns. */
export function explainTurns(e: Evidence): Explanation {
  const { countdown } = e;
  if (countdown === null) return silent(e, 'Turns to the next boundary', 'turns');
  const turns = turnsLeft(countdown);
  const middle = value('turns, unrounded', evaluate(turns), 'turns');
  const factor = value('range', countdown.factor, 'factor');
  const end = (name: string, expression: Expression): { formula: Formula } => ({
    formula: { expression: atLeast(1, 'turns', expression), name, unit: 'turns' },
  });
  return {
    ...forecastBase(e, 'Turns to the next boundary'),
    unit: 'turns',
    formula: { expression: atLeast(1, 'turns', ceil(turns)), name: 'turns', unit: 'turns' },
    result: e.session.forecast?.turns?.mid ?? null,
    steps: [
      end('at the soonest', floor(divide(middle, factor))),
      end('at the latest', ceil(multiply(middle, factor))),
    ],
  };
}

/** The forecast in minutes of work. */
export function explainMinutes(e: Evidence): Explanation {
  const { countdown } = e;
  if (countdown === null) return silent(e, 'Minutes to the next boundary', 'minutes');
  const { pace } = countdown;
  if (pace === null) {
    return {
      ...silent(e, 'Minutes to the next boundary', 'minutes'),
      meaning: say`Only turns are forecast: all turns so far have the same time.`,
    };
  }
  const turns = value('turns, unrounded', evaluate(turnsLeft(countdown)), 'turns', 'turns');
  const minutesLeft = multiply(turns, value('pace', pace.minutesPerTurn, 'minutes a turn'));
  const middle = value('minutes, unrounded', evaluate(minutesLeft), 'minutes');
  const factor = value('range', pace.factor, 'factor');
  const end = (name: string, expression: Expression): { formula: Formula } => ({
    formula: { expression: hundredths(expression), name, unit: 'minutes' },
  });
  return {
    ...forecastBase(e, 'Minutes to the next boundary'),
    unit: 'minutes',
    formula: { expression: hundredths(minutesLeft), name: 'minutes', unit: 'minutes' },
    result: e.session.forecast?.minutes?.mid ?? null,
    steps: [end('at the soonest', divide(middle, factor)), end('at the latest', multiply(middle, factor))],
    caveats: [say`Minutes of work: long pauses of the agent do not count.`, ...forecastCaveats(e)],
  };
}

function forecastBase(e: Evidence, title: string) {
  return {
    title,
    meaning: say`Tokens left, divided by the expected growth: of this context, blended with typical growth while it has few turns. Next: ${boundaryPhrase(e)}.`,
    certainty: 'forecast',
    sources: [
      { name: 'boundary', from: boundaryPhrase(e) },
      usedSource(e),
      {
        name: 'growth',
        from: say`${counted(e.context.mainTurns, 'turn')} of this context, and the contexts before it`,
      },
    ],
    caveats: forecastCaveats(e),
  } as const;
}

function forecastCaveats(e: Evidence): Phrase[] {
  const { session } = e;
  return [
    ...lineCaveats(e),
    say`The range is right 80 % of the time.`,
    ...(session.forecast?.certainty === 'rough'
      ? [say`A wide range: its ends are more than four times apart.`]
      : []),
  ];
}

/** Caveats of the restart line: passed without a restart, or only a setting. */
function lineCaveats({ session: { restartLinePassed, nextBoundary } }: Evidence): Phrase[] {
  if (restartLinePassed !== null) {
    const { at, turnsSince } = restartLinePassed;
    const since = turnsSince === 0 ? say`with the last turn` : say`${counted(turnsSince, 'turn')} ago`;
    return [say`The restart line was passed ${since}, at ${atTime(at)}, and no restart was seen since.`];
  }
  if (nextBoundary?.source !== 'setting') return [];
  return [say`The restart line is a project setting, and nothing has restarted this session so far.`];
}

function silent(e: Evidence, title: string, unit: 'turns' | 'minutes'): Explanation {
  const { session } = e;
  const next = session.nextBoundary;
  const why =
    next === null
      ? say`No known boundary: the tokens in use or the limit are unknown.`
      : next.passed
        ? say`The last boundary, ${boundaryPhrase(e)}, is passed.`
        : session.forecast?.certainty === 'still'
          ? say`This context does not grow.`
          : say`Too early: a forecast needs three turns of growth in this context.`;
  return {
    title,
    meaning: why,
    formula: null,
    result: null,
    unit,
    certainty: 'not known',
    steps: [],
    sources: next === null ? [] : [{ name: 'boundary', from: boundaryPhrase(e) }],
    caveats: next === null ? [] : lineCaveats(e),
  };
}
