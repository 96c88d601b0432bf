import { describe, expect, it } from 'vitest';
import { arbitraryDrafts, type Draft } from '../accounting/arbitrary-items.fixture';
import { tokensUntilEnd } from '../accounting/next-boundary';
import { evidence as evidenceShape } from '../api/evidence';
import { fc } from '../testing/property-runs';
import { SESSION_FIGURES, type SessionFigure } from './explain-session';
import type { Explanation, Phrase } from './explanation';
import { type Expression, evaluate, type Value } from './formula';
import { foldEvidence } from './testing-evidence';

const figures = Object.keys(SESSION_FIGURES) as SessionFigure[];
const AT = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;
const explain = (figure: SessionFigure, drafts: readonly Draft[]) =>
  SESSION_FIGURES[figure](foldEvidence(drafts));

/** Turns of a snapshot session, a minute apart. */
const readings = (contextTokens: readonly number[], more: object = {}) =>
  contextTokens.map(
    (read, index): Draft => ({
      type: 'turn',
      at: AT + (index + 1) * MINUTE,
      usage: { input: 10, output: 490, cacheCreation: 1_500, cacheRead: Math.max(0, read - 2_000) },
      contextTokens: read,
      model: 'claude-opus-4-5',
      ...more,
    }),
  );

const START: Draft = {
  type: 'session_start',
  at: AT,
  lens: 'snapshot',
  client: 'claude-code',
  clientVersion: '2.1.90',
};

/** A session of even turns. */
const steady = (turns: number, ...extra: Draft[]): Draft[] => [
  START,
  ...readings(Array.from({ length: turns }, (_, index) => 60_000 + index * 2_000)),
  ...extra,
];

/** The text of a phrase, with plain numbers. */
function text(phrase: Phrase): string {
  const plain = (part: Phrase[number]) => {
    if (typeof part === 'string') return part;
    return 'atMs' in part ? new Date(part.atMs).toISOString() : String(part.value);
  };
  return phrase.map(plain).join('');
}

const spoken = ({ meaning, sources, caveats, steps }: Explanation) =>
  [meaning, ...Object.values(sources), ...caveats, ...steps.filter((step) => Array.isArray(step))].map(
    (phrase) => text(phrase as Phrase),
  );

/** Every number of a formula, in order. */
const valuesOf = (expression: Expression): Value[] =>
  expression.kind === 'value' ? [expression] : expression.of.flatMap(valuesOf);

describe('an explanation', () => {
  it('matches the API’s figures, in words and numbers, for any evidence the API may send', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        const e = foldEvidence(drafts);
        expect(() => evidenceShape.parse(JSON.parse(JSON.stringify(e)))).not.toThrow();
        const { session } = e;
        const isRead = session.state !== 'untracked' && session.state !== 'unknown';
        const shown: Partial<Record<SessionFigure, number | null>> = {
          pressure: session.state === 'untracked' ? null : session.pressure,
          used: session.used,
          limit: session.limit,
          state: isRead ? session.pressure : null,
          'until-warning': session.tokensUntilWarning,
          'until-restart': session.tokensUntilRestart,
          'until-end': tokensUntilEnd(session),
          minutes: session.forecast?.minutes?.mid ?? null,
          turns: session.forecast?.turns?.mid ?? null,
          'a-minute': session.tokensPerMinute,
          'a-turn': session.tokensPerTurn,
          contexts: session.contextCount,
          context: session.contextCount - 1,
          spent: session.totals.all.input + session.totals.all.output,
          [session.lens]:
            session.state === 'untracked' ? null : (session.limit ?? 0) > 0 ? session.pressure : null,
        };
        for (const figure of figures) {
          const explanation = SESSION_FIGURES[figure](e);
          const { result, formula, certainty } = explanation;
          if (figure in shown) expect({ figure, result }).toEqual({ figure, result: shown[figure] });
          if (formula !== null)
            expect({ figure, result: evaluate(formula.expression) }).toEqual({ figure, result });
          expect({ figure, isKnown: result !== null }).toEqual({
            figure,
            isKnown: certainty !== 'not known',
          });
          for (const sentence of spoken(explanation))
            expect(sentence).not.toMatch(/undefined|null|NaN|Infinity|false/);
          for (const { value } of formula === null ? [] : valuesOf(formula.expression)) {
            expect(Number.isFinite(value)).toBe(true);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('gives the same ends of a forecast as the API', () => {
    const growth = fc.array(
      fc.tuple(fc.integer({ min: -2_000, max: 9_000 }), fc.integer({ min: 0, max: 20 })),
      { minLength: 3, maxLength: 40 },
    );
    let forecasts = 0;
    fc.assert(
      fc.property(growth, (turns) => {
        let contextTokens = 20_000;
        let at = AT;
        const drafts = turns.map(([grown, minutes]): Draft => {
          contextTokens = Math.max(0, contextTokens + grown);
          at += minutes * MINUTE;
          return {
            type: 'turn',
            at,
            usage: { input: 1, output: 1 },
            contextTokens,
            model: 'claude-opus-4-5',
          };
        });
        const e = foldEvidence([START, ...drafts]);
        const ends = (figure: 'turns' | 'minutes') =>
          SESSION_FIGURES[figure](e).steps.map((step) => 'expression' in step && evaluate(step.expression));
        const { turns: inTurns = null, minutes = null } = e.session.forecast ?? {};
        expect(ends('turns')).toEqual(inTurns === null ? [] : [inTurns.low, inTurns.high]);
        expect(ends('minutes')).toEqual(minutes === null ? [] : [minutes.low, minutes.high]);
        if (inTurns !== null) forecasts += 1;
      }),
      { numRuns: 200 },
    );
    expect(forecasts).toBeGreaterThan(20);
  });

  it('shows the counts, the turn and the time of a reading', () => {
    const { formula, sources, certainty } = explain('used', steady(9));
    expect(
      formula === null ? [] : valuesOf(formula.expression).map(({ name, value }) => [name, value]),
    ).toEqual([
      ['input', 10],
      ['cache writes', 1_500],
      ['cache reads', 74_000],
      ['output', 490],
    ]);
    expect(text(sources.used ?? [])).toBe('reading with the output, turn 9, 2026-01-05T12:09:00.000Z');
    expect(certainty).toBe('exact');
  });

  it('names the model table, its source and its date if the limit is from the table', () => {
    const { meaning, certainty } = explain('limit', steady(3));
    expect(text(meaning)).toMatch(
      /the table of models \(.*claude-opus.*\), from .+, read 20\d\d-\d\d-\d\d; in use since 20.+\./,
    );
    expect(certainty).toBe('estimate');
  });

  it('names an assumed limit with its tokens, and a learned limit with the reading that proved it', () => {
    const start = { ...START, model: 'made-up' } as Draft;
    const time = (minutes: number) => new Date(AT + minutes * MINUTE).toISOString();
    const said = (sizes: number[]) =>
      text(explain('limit', [start, ...readings(sizes, { model: 'made-up' })]).meaning);
    expect(said([150_000])).toContain(
      `assumed 200000, because none was stated and the table of models lacks the model; in use since ${time(0)}`,
    );
    expect(said([150_000, 260_000])).toContain(
      `learned from a reading above the former limit: 260000 at ${time(2)}; in use since ${time(2)}`,
    );
  });

  it.each([
    ['status_line', 'stated by the client’s status line for m'],
    ['api_error', 'stated by an error of the API for m'],
    ['client', 'stated by the client for m'],
  ])('names %s as the source of a stated limit, and its time', (limitSource, words) => {
    const stated = { model: 'm', limit: 150_000, limitSource };
    const { meaning, certainty } = explain('limit', readings([10, 20], stated as Partial<Draft>));
    expect(text(meaning)).toContain(`${words}; in use since ${new Date(AT + MINUTE).toISOString()}`);
    expect(certainty).toBe('exact');
  });

  it('explains that a restart line was passed without a restart', () => {
    const said = (drafts: Draft[]) => explain('turns', drafts).caveats.map(text).join(' ');
    const past = readings([170_000, 181_000, 183_000, 185_000], { limit: 200_000 });
    expect(said([START, ...past])).toContain(
      `The session passed the restart line 2 turns ago, at ${new Date(AT + 2 * MINUTE).toISOString()}, with no restart since.`,
    );
    expect(said(steady(5)), 'a client that compacts before it').not.toContain('restart line');
  });

  it('reports a lower bound if turns were lost', () => {
    const lost: Draft = { type: 'gap', at: AT + 60 * MINUTE, count: 4 };
    const { certainty, caveats } = explain('pressure', steady(5, lost));
    expect(certainty).toBe('at least');
    expect(caveats.map(text).join(' ')).toContain('a lower bound');
  });

  it('reports an unknown value after a compaction, and names the last known value', () => {
    const at = AT + 60 * MINUTE;
    const { meaning, result } = explain(
      'pressure',
      steady(5, { type: 'compaction', at, trigger: 'auto', state: 'confirmed' }),
    );
    expect(result).toBeNull();
    expect(text(meaning)).toContain('The compaction at 2026-01-05T13:00:00.000Z started a new context');
    expect(text(meaning)).toContain('68000');
  });

  it('never reports 0 % for a context without usage', () => {
    const { result, meaning } = explain('pressure', [{ type: 'turn', at: AT, usage: null }]);
    expect(result).toBeNull();
    expect(text(meaning)).toContain('had no usage');
  });

  it('derives both 719 % and 3.2 % from the turn of the original bug', () => {
    const usage = { input: 487, output: 5_880, cacheRead: 1_432_262 };
    const turn: Draft = { type: 'turn', at: AT, usage, limit: 200_000 };
    const inflated = explain('cache-inflated', [turn]);
    expect(inflated.result).toBe(1_438_629 / 200_000);
    expect(text(inflated.meaning)).toContain('1432262 of its 1438629 tokens came from the cache');
    expect(explain('pressure', [turn]).result).toBe(0.031835);
    expect(explain('last-turn', [turn]).result).toBe(0.031835);
    expect(explain('snapshot', [turn]).result).toBeNull();
  });

  it('names the boundary of its countdown', () => {
    const { meaning, certainty } = explain('turns', steady(20));
    expect(text(meaning)).toContain('the client compacts at 167000, by a rule for this client and version');
    expect(certainty).toBe('forecast');
  });

  it('names the turn that reached the peak', () => {
    const dropped: Draft = { type: 'turn', at: AT + 60 * MINUTE, usage: { input: 1 }, contextTokens: 30_000 };
    const { meaning, result } = explain('peak', steady(6, dropped));
    expect(text(meaning)).toContain('turn 6, 2026-01-05T12:06:00.000Z');
    expect(result).toBe(70_000 / 200_000);
  });
});
