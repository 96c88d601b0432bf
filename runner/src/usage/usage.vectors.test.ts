import { expect, test } from 'vitest';
import contextUsage from '../../../core/vectors/context-usage.json';
import pressureThreshold from '../../../core/vectors/pressure-threshold.json';
import {
  casesOf,
  type ThresholdStep,
  type UsageStep,
  type VectorCase,
} from '../../../core/vectors/vector-testing';
import vendorUsage from '../../../core/vectors/vendor-usage.json';
import {
  ContextPressureError,
  ContextUsage,
  readUsage,
  UsageCountError,
  UsageProcessor,
  type UsageVendor,
} from './index';

/** The vectors' short names of this library's counts. */
const NAMES = { inputTokens: 'input', outputTokens: 'output', cacheReadTokens: 'cacheRead' } as const;

function reviveNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$number' in value) return Number(value.$number);
  const entries = Object.entries(value).map(([name, entry]) => [name, reviveNumbers(entry)]);
  return Array.isArray(value) ? value.map(reviveNumbers) : Object.fromEntries(entries);
}

function totalsOf({ inputTokens, outputTokens, cacheReadTokens }: ContextUsage) {
  return { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens };
}

function refusalOf(act: () => void) {
  try {
    act();
  } catch (error) {
    if (!(error instanceof UsageCountError)) throw error;
    return { code: error.code, field: Object.entries(NAMES).find(([name]) => name === error.field)?.[1] };
  }
  return undefined;
}

test.each(casesOf<VectorCase<{ limits: number[] }, UsageStep>>(contextUsage))(
  'vector of context usage: $name',
  ({ given, steps }) => {
    const usage = new ContextUsage();
    for (const step of steps) {
      const turn = reviveNumbers({
        inputTokens: step.input,
        outputTokens: step.output,
        cacheReadTokens: step.cacheRead,
      }) as Parameters<ContextUsage['addTurn']>[0];
      const refused = refusalOf(() => {
        if (step.op === 'addTurn') usage.addTurn(turn);
        else if (step.op === 'reset') usage.reset();
        else usage.disableTracking();
      });
      expect(refused).toEqual(step.expect.refused);
      expect(totalsOf(usage)).toEqual(step.expect.totals);
      expect(usage.isTrackingEnabled()).toBe(step.expect.tracking);
      expect(given.limits.map((limit) => usage.pressure(limit))).toEqual(step.expect.pressure);
    }
  },
);

interface ThresholdGiven {
  sessionId: string | null;
  limit?: number | null;
  threshold?: number | null;
}

test.each(casesOf<VectorCase<ThresholdGiven, ThresholdStep>>(pressureThreshold))(
  'vector of the threshold: $name',
  ({ given, steps }) => {
    const processor = new UsageProcessor({
      sessionId: given.sessionId ?? undefined,
      limit: given.limit ?? undefined,
      restartLine: given.threshold ?? undefined,
    });
    for (const step of steps) {
      let raised: ContextPressureError | null = null;
      try {
        if (step.op === 'restart') processor.reset({ continuation: 1 });
        else processor.process({ type: 'result', usage: step.usage });
      } catch (error) {
        if (!(error instanceof ContextPressureError)) throw error;
        raised = error;
      }
      const { error } = step.expect;
      if (error === null) expect(raised).toBeNull();
      else expect(raised).toMatchObject(error);
      expect(totalsOf(processor.usage)).toEqual(step.expect.totals);
      expect(processor.usage.isTrackingEnabled()).toBe(step.expect.tracking);
      expect(processor.pressure).toBe(step.expect.pressure);
    }
  },
);

interface VendorExpectation {
  usage?: { input: number; output: number; cacheRead: number; cacheCreation: number } | null;
  contextTokens?: number | null;
  refused?: { code: string; field: string };
}
type VendorCase = VectorCase<{ vendor: UsageVendor; usage: unknown }, never, VendorExpectation>;

test.each(casesOf<VendorCase>(vendorUsage))('vector of a vendor: $name', ({ given, expect: expected }) => {
  const message = { usage: reviveNumbers(given.usage) };
  const { vendor } = given;
  const refused = refusalOf(() => readUsage(message, { vendor }));
  expect(refused).toEqual(expected.refused);
  if (refused !== undefined) return;
  const usage = readUsage(message, { vendor });
  expect(usage?.contextTokens ?? null).toBe(expected.contextTokens);
  const counts = usage && {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheCreation: usage.cacheCreationTokens,
  };
  expect(counts).toEqual(expected.usage);
  // The fields identify the vendor, unless several vendors share them.
  if (usage !== null && Object.keys(given.usage as object).length > 2) {
    for (const value of [message, message.usage]) {
      expect(readUsage(value)).toMatchObject({ inputTokens: usage.inputTokens, vendor });
    }
  }
});
