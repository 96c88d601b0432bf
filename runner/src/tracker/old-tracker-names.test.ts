import { expect, it, vi } from 'vitest';
import { ContextTracker } from './context-tracker';
import { DEFAULT_TRACKER_CONFIG, stateOfPercent } from './old-tracker-names';
import { SharedContextTracker } from './shared-context-tracker';
import { recordEvents, recordingSession, type Weighed, weighed } from './testing/tracker';

const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
const counter = { countMessage: ({ tokens }: Weighed) => tokens, isExact: true };

it('takes options, targets and counts by their old names', () => {
  const session = recordingSession();
  const tracker = new ContextTracker<Weighed>({
    ...{ maxTokens: 1_000, counter, session },
    config: { warningPercent: 57.5, redlinePercent: 70, autoCompressPercent: 80 },
    autoCompress: { targetPercent: 33.3 },
  });
  expect([tracker.limit, tracker.maxTokens]).toEqual([1_000, 1_000]);
  expect(tracker.thresholds).toMatchObject({ warning: 0.575, restartLine: 0.7, compressLine: 0.8 });
  for (const tokens of [100, 400, 100]) tracker.addMessage(weighed('user', tokens));
  tracker.reportTurn({ usage: { input: 500, output: 100 }, targetPercent: 10 });
  expect(session.reports[0]).toMatchObject({
    usage: { inputTokens: 500, outputTokens: 100 },
    composition: { compression: { target: 0.1 } },
  });
  expect(tracker.composition(57.5).compression?.target).toBe(0.575);
  expect(tracker.addMessage(weighed('user', 200)).contextTokens).toBe(300);
  expect(tracker.compressToThreshold(20).tokensAfter).toBe(200);
});

it('reads snapshots and events by their old names, which are not part of their JSON', async () => {
  const tracker = new SharedContextTracker<Weighed>({ maxTokens: 1_000, counter });
  const events = recordEvents(tracker);
  const usage = await tracker.addMessage(weighed('user', 1_150));
  const { tokensUsed, maxTokens, usagePercent, tokensUntilRedline } = usage;
  expect([tokensUsed, maxTokens, usagePercent, tokensUntilRedline]).toEqual([1_150, 1_000, 115, 0]);
  expect(JSON.stringify(usage)).not.toContain('Percent');
  expect(events.map((event) => ('pressure' in event ? Reflect.get(event, 'usagePercent') : null))).toEqual([
    115,
    115,
    null,
  ]);
  expect(Reflect.get(events.at(-1) ?? {}, 'maxTokens')).toBe(1_000);
  expect((await tracker.compressToThreshold(50)).tokensAfter).toBe(1_150);
});

it('has the old constants, and hints at the new names', () => {
  expect(Object.values(DEFAULT_TRACKER_CONFIG)).toEqual([50, 75, 85, 90, 80]);
  expect([49, 50, 85, 100].map((percent) => stateOfPercent(percent))).toEqual([
    'nominal',
    'elevated',
    'critical',
    'redlined',
  ]);
  const hints = warnings.mock.calls.map(([text]) => String(text).split('. ')[0]);
  expect(hints).toEqual(
    expect.arrayContaining([
      'ContextTracker: "maxTokens" is now "limit"',
      'ContextTracker: "redlinePercent" is now "restartLine"',
      'UsageSnapshot: "usagePercent" is now "pressure"',
      'barograph/tracker: "stateOfPercent" is now "stateOf"',
    ]),
  );
  expect(new Set(hints).size).toBe(hints.length);
});
