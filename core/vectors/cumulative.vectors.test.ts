import { describe, expect, it } from 'vitest';
import { FoldRun } from '../accounting/fold-testing';
import { pressureOf } from '../accounting/state';
import { parseItem } from '../protocol/parse-item';
import contextUsageVectors from './context-usage.json';
import pressureThresholdVectors from './pressure-threshold.json';
import { casesOf, type ThresholdStep, type UsageStep, type VectorCase } from './vector-testing';

type UsageCase = VectorCase<{ limits: number[] }, UsageStep>;
type ThresholdCase = VectorCase<{ limit: number; threshold: number }, ThresholdStep>;

/** Decodes numbers that JSON cannot express. */
function fromJson(value: unknown): unknown {
  const special = (value as { $number?: string } | null)?.$number;
  return special === undefined ? value : Number(special);
}

/** Cases in which the fold differs: after a reset, the fold enables tracking again, but a ContextUsage does not. */
function staysOff({ steps }: UsageCase): boolean {
  const off = steps.findIndex(({ op }) => op === 'disableTracking');
  return off !== -1 && steps.slice(off).some(({ op }) => op === 'reset');
}

function contextOf(run: FoldRun) {
  const context = run.state.chains.main?.context;
  return {
    totals: context?.cumulative ?? { input: 0, output: 0, cacheRead: 0 },
    tracking: context?.tracked ?? true,
  };
}

function pressureIn(run: FoldRun, limit: number): number | null {
  const { totals, tracking } = contextOf(run);
  return tracking ? pressureOf(totals.input + totals.output, limit) : 0;
}

describe('the fold agrees with the vectors of a cumulative context', () => {
  const cases = casesOf<UsageCase>(contextUsageVectors).filter((one) => !staysOff(one));

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, { given, steps }) => {
    const run = new FoldRun();
    for (const step of steps) {
      const refused = applyUsageStep(run, step);
      expect(refused).toEqual(step.expect.refused ?? null);
      expect(contextOf(run)).toEqual({ totals: step.expect.totals, tracking: step.expect.tracking });
      expect(given.limits.map((limit) => pressureIn(run, limit))).toEqual(step.expect.pressure);
    }
  });
});

/** Applies a step like a runner's turn, with the protocol's check. */
function applyUsageStep(run: FoldRun, step: UsageStep): { code: string; field: string } | null {
  if (step.op === 'reset') {
    run.add('restart', {});
    return null;
  }
  const usage = Object.fromEntries(
    (['input', 'output', 'cacheRead'] as const)
      .filter((field) => step[field] !== undefined)
      .map((field) => [field, fromJson(step[field])]),
  );
  const reported = { usage: step.op === 'disableTracking' ? null : usage };
  const parsed = parseItem({ type: 'turn', seq: 1, session: 's', at: 1, ...reported });
  if (!parsed.ok) return refusal(parsed.fault);
  if (parsed.item.type !== 'turn') throw new Error('a turn was parsed as something else');
  const result = run.try('turn', { usage: parsed.item.usage });
  return result.ok ? null : refusal(result);
}

function refusal({ code, field }: { code: string; field: string }) {
  return { code, field: field.replace(/^usage\./, '') };
}

describe('the fold agrees with the vectors of a pressure threshold', () => {
  const cases = casesOf<ThresholdCase>(pressureThresholdVectors);

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, { given, steps }) => {
    const run = new FoldRun();
    for (const step of steps) {
      if (step.op === 'restart') run.add('restart', {});
      else run.add('turn', { usage: step.usage ? deltasOf(step.usage) : null });
      const pressure = pressureIn(run, given.limit);
      expect(contextOf(run).totals).toEqual(step.expect.totals);
      expect(pressure).toBe(step.expect.pressure);
      if (step.op === 'restart') continue;
      expect(contextOf(run).tracking).toBe(step.expect.tracking);
      expect((pressure ?? 0) >= given.threshold).toBe(step.expect.error !== null);
    }
  });
});

function deltasOf(usage: Readonly<Record<string, number>>) {
  const {
    input_tokens: input = 0,
    output_tokens: output = 0,
    cache_read_input_tokens: cacheRead = 0,
  } = usage;
  return { input, output, cacheRead };
}
