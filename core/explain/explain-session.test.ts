import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryDrafts, type Draft } from '../accounting/arbitrary-items.fixture';
import { tokensUntilEnd } from '../accounting/next-boundary';
import { evidence as evidenceShape } from '../api/evidence';
import { explainSession, SESSION_FIGURES, type SessionFigure } from './explain-session';
import type { Explanation } from './explanation';
import { evaluate, valuesOf } from './formula';
import { foldEvidence } from './testing-evidence';

const figures = Object.keys(SESSION_FIGURES) as SessionFigure[];
const AT = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;

/** A snapshot session of even turns, a minute apart. */
function steady(turns: number, extra: Draft[] = []): Draft[] {
  const start: Draft = {
    type: 'session_start',
    at: AT,
    lens: 'snapshot',
    client: 'claude-code',
    clientVersion: '2.1.90',
  };
  const calls = Array.from({ length: turns }, (_, index): Draft => {
    const contextTokens = 60_000 + index * 2_000;
    return {
      type: 'turn',
      at: AT + (index + 1) * MINUTE,
      usage: { input: 10, output: 490, cacheCreation: 1_500, cacheRead: contextTokens - 2_000 },
      contextTokens,
      model: 'claude-opus-4-5',
    };
  });
  return [start, ...calls, ...extra];
}

/** What a reader sees, numbers written plainly. */
function text(parts: Explanation['meaning']): string {
  return parts
    .map((part) =>
      typeof part === 'string'
        ? part
        : 'atMs' in part
          ? new Date(part.atMs).toISOString()
          : String(part.value),
    )
    .join('');
}

const spoken = ({ meaning, sources, caveats, steps }: Explanation) =>
  [
    meaning,
    ...sources.map(({ from }) => from),
    ...caveats,
    ...steps.flatMap((step) => ('says' in step ? [step.says] : [])),
  ].map(text);

describe('an explanation', () => {
  it('comes to what the API says, for every number of any session', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        const e = foldEvidence(drafts);
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
          spent: session.totals.all.input,
          [session.lens]:
            session.state === 'untracked' ? null : (session.limit ?? 0) > 0 ? session.pressure : null,
        };
        for (const figure of figures) {
          const { result, formula, certainty } = explainSession(figure, e);
          if (figure in shown) expect({ figure, result }).toEqual({ figure, result: shown[figure] });
          if (formula !== null)
            expect({ figure, result: evaluate(formula.expression) }).toEqual({ figure, result });
          expect({ figure, isKnown: result !== null }).toEqual({
            figure,
            isKnown: certainty !== 'not known',
          });
        }
      }),
      { numRuns: 400 },
    );
  });

  it('gives the ends of a forecast as the API does', () => {
    const long = fc
      .array(fc.tuple(fc.integer({ min: -2_000, max: 9_000 }), fc.integer({ min: 0, max: 20 })), {
        minLength: 3,
        maxLength: 40,
      })
      .map((turns) => {
        let contextTokens = 20_000;
        let at = AT;
        return steady(0).concat(
          turns.map(([grown, minutes]): Draft => {
            contextTokens = Math.max(0, contextTokens + grown);
            at += minutes * MINUTE;
            return {
              type: 'turn',
              at,
              usage: { input: 1, output: 1 },
              contextTokens,
              model: 'claude-opus-4-5',
            };
          }),
        );
      });
    let forecasts = 0;
    fc.assert(
      fc.property(long, (drafts) => {
        const e = foldEvidence(drafts);
        const ends = (figure: 'turns' | 'minutes') =>
          explainSession(figure, e).steps.map((step) =>
            'formula' in step ? evaluate(step.formula.expression) : null,
          );
        const { turns = null, minutes = null } = e.session.forecast ?? {};
        expect(ends('turns')).toEqual(turns === null ? [] : [turns.low, turns.high]);
        expect(ends('minutes')).toEqual(minutes === null ? [] : [minutes.low, minutes.high]);
        if (turns !== null) forecasts += 1;
      }),
      { numRuns: 200 },
    );
    expect(forecasts).toBeGreaterThan(20);
  });

  it('never says undefined, null or NaN, and every number in it is one', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        const e = foldEvidence(drafts);
        for (const figure of figures) {
          const explanation = explainSession(figure, e);
          for (const sentence of spoken(explanation))
            expect(sentence).not.toMatch(/undefined|null|NaN|Infinity/);
          const { formula } = explanation;
          for (const { value } of formula === null ? [] : valuesOf(formula.expression)) {
            expect(Number.isFinite(value)).toBe(true);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is made of evidence that the API may send', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        expect(() => evidenceShape.parse(JSON.parse(JSON.stringify(foldEvidence(drafts))))).not.toThrow();
      }),
      { numRuns: 60 },
    );
  });

  it('leads from a reading to the counts of its call, its turn and its time', () => {
    const e = foldEvidence(steady(9));
    const { formula, sources, certainty } = explainSession('used', e);
    expect(
      formula === null ? [] : valuesOf(formula.expression).map(({ name, value }) => [name, value]),
    ).toEqual([
      ['input', 10],
      ['cache writes', 1_500],
      ['cache reads', 74_000],
      ['output', 490],
    ]);
    expect(sources.map(({ from }) => text(from))).toContain(
      'reading with the output, turn 9, 2026-01-05T12:09:00.000Z',
    );
    expect(certainty).toBe('exact');
  });

  it('names the table of models, its source and its date where the limit comes from there', () => {
    const { meaning, certainty } = explainSession('limit', foldEvidence(steady(3)));
    expect(text(meaning)).toMatch(
      /the table of models \(.*claude-opus.*\), from .+, read 20\d\d-\d\d-\d\d\./,
    );
    expect(certainty).toBe('estimate');
  });

  it('says that a restart line was passed without a restart, or that it is only a setting', () => {
    const past = steady(0).concat(
      [170_000, 181_000, 183_000, 185_000].map(
        (contextTokens, index): Draft => ({
          type: 'turn',
          at: AT + (index + 1) * MINUTE,
          usage: { input: 10, output: 10 },
          contextTokens,
          limit: 200_000,
        }),
      ),
    );
    const said = (drafts: Draft[]) =>
      explainSession('turns', foldEvidence(drafts)).caveats.map(text).join(' ');
    expect(said(past)).toContain(
      `The restart line was passed 2 turns ago, at ${new Date(AT + 2 * MINUTE).toISOString()}, and no restart was seen since.`,
    );
    const unknownClient = past
      .slice(0, 2)
      .map((draft) => ({ ...draft, client: undefined, clientVersion: undefined }));
    expect(said(unknownClient as Draft[])).toContain('The restart line is a project setting');
    expect(said(steady(5)), 'a client that compacts before it').not.toContain('restart line');
  });

  it('says a lower bound where turns were lost', () => {
    const lost: Draft = { type: 'gap', at: AT + 60 * MINUTE, count: 4 };
    const { certainty, caveats } = explainSession('pressure', foldEvidence(steady(5, [lost])));
    expect(certainty).toBe('at least');
    expect(caveats.map(text).join(' ')).toContain('a lower bound');
  });

  it('says what is unknown since a compaction, and names the last value without using it', () => {
    const boundary: Draft = { type: 'compaction', at: AT + 60 * MINUTE, trigger: 'auto', state: 'confirmed' };
    const e = foldEvidence(steady(5, [boundary]));
    const { meaning, result } = explainSession('pressure', e);
    expect(result).toBeNull();
    expect(text(meaning)).toContain('The compaction at 2026-01-05T13:00:00.000Z started a new context');
    expect(text(meaning)).toContain('68000');
  });

  it('never takes a context without usage for one at 0 %', () => {
    const blind: Draft[] = [{ type: 'turn', at: AT, usage: null }];
    const { result, meaning } = explainSession('pressure', foldEvidence(blind));
    expect(result).toBeNull();
    expect(text(meaning)).toContain('had no usage');
  });

  it('works out 719 % and 3.2 % side by side from the one turn of the old bug', () => {
    const turn: Draft = {
      type: 'turn',
      at: AT,
      usage: { input: 487, output: 5_880, cacheRead: 1_432_262 },
      limit: 200_000,
    };
    const e = foldEvidence([turn]);
    const inflated = explainSession('cache-inflated', e);
    expect(inflated.result).toBe(1_438_629 / 200_000);
    expect(text(inflated.meaning)).toContain('1432262 of its 1438629 tokens came from the cache');
    expect(explainSession('pressure', e).result).toBe(0.031835);
    expect(explainSession('last-turn', e).result).toBe(0.031835);
    expect(explainSession('snapshot', e).result).toBeNull();
  });

  it('counts down to the boundary it names', () => {
    const e = foldEvidence(steady(20));
    const { meaning, certainty } = explainSession('turns', e);
    expect(text(meaning)).toContain('the client compacts at 167000, a rule known of this client and version');
    expect(certainty).toBe('forecast');
  });

  it('names the turn that reached the peak', () => {
    const dropped: Draft = { type: 'turn', at: AT + 60 * MINUTE, usage: { input: 1 }, contextTokens: 30_000 };
    const { meaning, result } = explainSession('peak', foldEvidence(steady(6, [dropped])));
    expect(text(meaning)).toContain('turn 6, 2026-01-05T12:06:00.000Z');
    expect(result).toBe(70_000 / 200_000);
  });
});
