import { expect, test } from 'vitest';
import { ContextTracker } from './context-tracker';
import { SharedContextTracker } from './shared-context-tracker';
import { recordEvents, trackerOf, weighed } from './testing-tracker';
import { resolveTrackerConfig } from './tracker-config';

test('the defaults are 50, 75, 85 and 90 per cent, and 80 for automatic compression', () => {
  expect(resolveTrackerConfig()).toEqual({
    elevatedPercent: 50,
    warningPercent: 75,
    criticalPercent: 85,
    redlinePercent: 90,
    autoCompressPercent: 80,
  });
});

test('a warning line that is set decides the state and what is left until it', () => {
  const tracker = trackerOf({ maxTokens: 1_000, config: { warningPercent: 60 } });
  expect(tracker.addMessage(weighed('user', 599))).toMatchObject({
    state: 'elevated',
    tokensUntilWarning: 1,
  });
  expect(tracker.addMessage(weighed('user', 1))).toMatchObject({ state: 'warning', tokensUntilWarning: 0 });
});

test('a critical line that is set decides the state', () => {
  const tracker = trackerOf({ maxTokens: 1_000, config: { criticalPercent: 95.5 } });
  expect(tracker.addMessage(weighed('user', 954)).state).toBe('warning');
  expect(tracker.addMessage(weighed('user', 1)).state).toBe('critical');
});

test('a line for elevated that is set decides the state', () => {
  const tracker = trackerOf({ maxTokens: 1_000, config: { elevatedPercent: 10, warningPercent: 20 } });
  expect(tracker.addMessage(weighed('user', 99)).state).toBe('nominal');
  expect(tracker.addMessage(weighed('user', 1)).state).toBe('elevated');
  expect(tracker.addMessage(weighed('user', 100)).state).toBe('warning');
});

test('a redline that is set moves the warning of it, and not the state redlined', () => {
  const tracker = trackerOf({ maxTokens: 1_000, config: { redlinePercent: 40 } });
  const events = recordEvents(tracker);
  expect(tracker.addMessage(weighed('user', 399)).tokensUntilRedline).toBe(1);
  expect(events).toEqual([]);
  expect(tracker.addMessage(weighed('user', 1))).toMatchObject({ state: 'nominal', tokensUntilRedline: 0 });
  expect(events).toEqual([{ type: 'approaching_redline', usagePercent: 40 }]);
  expect(tracker.isRedlined()).toBe(false);
});

test('a redline above 100 is never approached', () => {
  const tracker = trackerOf({ maxTokens: 100, config: { redlinePercent: 110 } });
  const events = recordEvents(tracker);
  tracker.addMessage(weighed('user', 150));
  expect(events.map(({ type }) => type)).toEqual(['state_changed', 'redlined']);
});

test('a redline at exactly 100 is approached when the window is full', () => {
  const tracker = trackerOf({ maxTokens: 100, config: { redlinePercent: 100 } });
  const events = recordEvents(tracker);
  tracker.addMessage(weighed('user', 100));
  expect(events.map(({ type }) => type)).toEqual(['state_changed', 'approaching_redline', 'redlined']);
});

test('bounds that do not ascend to 100 are refused', () => {
  for (const config of [
    { warningPercent: 50 },
    { warningPercent: 85 },
    { criticalPercent: 75 },
    { criticalPercent: 100 },
    { elevatedPercent: 75 },
  ]) {
    expect(() => trackerOf({ maxTokens: 100, config })).toThrow(/must ascend/);
  }
});

test('a percentage that is not above 0 or no number is refused by its name', () => {
  for (const percent of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => trackerOf({ maxTokens: 100, config: { autoCompressPercent: percent } })).toThrow(
      /"autoCompressPercent" must be a percentage above 0/,
    );
  }
});

test('an unknown line is refused by name, with the nearest one', () => {
  const config = { warning_percent: 70 } as object;
  expect(() => new ContextTracker({ maxTokens: 100, config })).toThrow(
    'Unknown setting "warning_percent". Did you mean "warningPercent"?',
  );
});

test('an unknown option is refused by name, with the nearest one', () => {
  const options = { maxTokens: 100, autoCompres: true } as { maxTokens: number };
  expect(() => new ContextTracker(options)).toThrow(
    'Unknown setting "autoCompres". Did you mean "autoCompress"?',
  );
  expect(() => new SharedContextTracker(options)).toThrow('Unknown setting "autoCompres"');
});

test('a shared tracker does not take messages, which it could not wait for', () => {
  const options = { maxTokens: 100, messages: [] } as { maxTokens: number };
  expect(() => new SharedContextTracker(options)).toThrow('Unknown setting "messages"');
});

test('an option that is undefined counts as left out', () => {
  const tracker = new ContextTracker({
    maxTokens: 100,
    counter: undefined,
    config: { warningPercent: undefined } as object,
  });
  expect(tracker.config.warningPercent).toBe(75);
});

test('a window, a history limit or a rule for tool pairs that makes no sense is refused', () => {
  for (const maxTokens of [Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53]) {
    expect(() => new ContextTracker({ maxTokens })).toThrow(/"maxTokens" must be a whole number/);
  }
  for (const historyLimit of [-1, 1.5, Number.NaN]) {
    expect(() => new ContextTracker({ maxTokens: 1, historyLimit })).toThrow(/"historyLimit"/);
  }
  const toolPairs = 'both' as 'apart';
  expect(() => new ContextTracker({ maxTokens: 1, toolPairs })).toThrow(
    /"toolPairs" must be together or apart/,
  );
});
