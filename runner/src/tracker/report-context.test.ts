import { describe, expect, test } from 'vitest';
import { itemSchema } from '../../../core/protocol/items';
import type { RunnerSession } from '../client/client-types';
import { wireTurn } from '../client/wire-turn';
import { ContextTracker } from './context-tracker';
import { recordEvents, recordingLogger, recordingSession, trackerOf, weighed } from './testing/tracker';
import type { TrackerSession } from './tracker-options';

const item = { seq: 1, session: 's', at: 0 };

describe('composition', () => {
  const filled = () =>
    trackerOf({
      limit: 200,
      messages: [
        weighed('system', 20),
        weighed('user', 30),
        weighed('assistant', 70),
        weighed('tool', 25),
        weighed('user', 5),
      ],
    });

  test('has roles with messages and tokens, suggestions, and what compressing to half would remove', () => {
    expect(filled().composition()).toEqual({
      roles: [
        { role: 'system', messages: 1, tokens: 20 },
        { role: 'user', messages: 2, tokens: 35 },
        { role: 'assistant', messages: 1, tokens: 70 },
        { role: 'tool', messages: 1, tokens: 25 },
      ],
      suggestions: [{ kind: 'summarize_assistant_messages', messages: 1, tokensSaved: 35, impact: 'medium' }],
      compression: { target: 0.5, messagesRemoved: 2, tokensRemoved: 100, tokensLeft: 50 },
    });
  });

  test('predicts the compression exactly, and changes nothing', () => {
    for (const target of [0, 0.1, 0.33, 0.5, 0.6, 0.75, 1]) {
      const tracker = filled();
      const { compression } = tracker.composition({ target });
      expect(tracker.messageCount()).toBe(5);
      const { removed, tokensAfter, tokensBefore } = tracker.compressTo(target);
      expect(compression).toEqual({
        target,
        messagesRemoved: removed,
        tokensRemoved: tokensBefore - tokensAfter,
        tokensLeft: tokensAfter,
      });
    }
  });

  test('refuses a target outside the protocol’s range', () => {
    for (const target of [-1, 1.01, Number.NaN])
      expect(() => filled().composition({ target })).toThrow(RangeError);
  });

  test('fits the protocol for any roles, by merging the roles beyond the fifteenth', () => {
    const messages = Array.from({ length: 40 }, (_, index) =>
      weighed(`role ${index}\0\ud800${'x'.repeat(2_000)}`, 1),
    );
    const composition = trackerOf({ limit: 200, messages }).composition();
    const turn = itemSchema.safeParse({ type: 'turn', ...item, ...wireTurn({ composition }) });
    expect(turn.error).toBeUndefined();
    expect(composition.roles).toHaveLength(16);
    expect(composition.roles[0]?.role).toMatch(/^role 0\ufffd\ufffdx+$/);
    expect(composition.roles.at(-1)).toEqual({ role: 'other', messages: 25, tokens: 25 });
  });
});

describe('a session', () => {
  test('can be the client’s session', () => {
    const fits = (session: RunnerSession): TrackerSession => session;
    expect(fits).toBeTypeOf('function');
  });

  test('gets a turn with the vendor’s usage and the context’s size, window and composition', () => {
    const session = recordingSession();
    const tracker = trackerOf({ limit: 200, session, messages: [weighed('user', 30)] });
    tracker.reportTurn({
      usage: { inputTokens: 25, outputTokens: 5 },
      call: 'msg_1',
      model: 'a-model',
      target: 0.1,
    });
    expect(session.reports).toEqual([
      {
        type: 'turn',
        usage: { inputTokens: 25, outputTokens: 5 },
        call: 'msg_1',
        model: 'a-model',
        limit: 200,
        contextTokens: 30,
        basis: 'total',
        composition: tracker.composition({ target: 0.1 }),
      },
    ]);
    const [turn = {}] = session.reports;
    expect(itemSchema.safeParse({ ...item, ...turn, ...wireTurn({ ...turn }) }).error).toBeUndefined();
  });

  test('gets the snapshot lens once, before the first report of the main chain', () => {
    for (const [chain, lenses] of [
      [undefined, ['snapshot']],
      ['agent-1', []],
    ] as const) {
      const session = recordingSession();
      const declared: unknown[] = [];
      const start = ({ lens }: { lens?: string | undefined }) => declared.push(lens, session.reports.length);
      const tracker = trackerOf({ limit: 200, chain, session: { ...session, start } });
      tracker.reportReading();
      tracker.reportTurn();
      expect(declared).toEqual(lenses.flatMap((lens) => [lens, 0]));
    }
  });

  test('gets the size as an estimate if one message is estimated', () => {
    const session = recordingSession();
    const tracker = new ContextTracker({ limit: 200, session });
    tracker.reportReading();
    tracker.addMessage({ role: 'user' }, { tokens: 90 });
    tracker.reportReading();
    tracker.addMessage({ role: 'user', content: 'hello' });
    tracker.reportReading({ call: 'msg_1' });
    tracker.addMessage({ role: 'user' }, { tokens: 4, isExact: false });
    tracker.clear();
    tracker.addMessage({ role: 'user' }, { tokens: 5 });
    tracker.reportReading();
    const readings = session.reports.filter(({ type }) => type === 'reading');
    expect(readings).toEqual([
      { type: 'reading', limit: 200, contextTokens: 0, basis: 'estimate' },
      { type: 'reading', limit: 200, contextTokens: 90, basis: 'total' },
      { type: 'reading', call: 'msg_1', limit: 200, contextTokens: 91, basis: 'estimate' },
      { type: 'reading', limit: 200, contextTokens: 5, basis: 'total' },
    ]);
  });

  test('a size from the provider corrects the tracker, and later messages add to it', () => {
    const tracker = new ContextTracker({ limit: 1000 });
    const events = recordEvents(tracker);
    tracker.addMessage({ role: 'system' }, { tokens: 100 });
    tracker.addMessage({ role: 'user' }, { tokens: 200, isExact: false });
    tracker.reportTurn({ contextTokens: 910 });
    expect(events.map(({ type }) => type)).toEqual(['state_changed', 'approaching_redline']);
    expect(tracker.addMessage({ role: 'user' }, { tokens: 50, isExact: false }).contextTokens).toBe(960);
    expect(tracker.compressTo(0.8)).toEqual({ tokensBefore: 960, tokensAfter: 760, removed: 1 });
    tracker.reportTurn({ contextTokens: 120 });
    expect(tracker.currentUsage().contextTokens).toBe(120);
    expect(tracker.composition(0).compression).toMatchObject({ messagesRemoved: 1, tokensLeft: 113 });
    tracker.reportTurn({ contextTokens: 5, basis: 'estimate' });
    tracker.reportTurn({ contextTokens: Number.NaN });
    expect(tracker.currentUsage().contextTokens).toBe(120);
  });

  test('a corrected size is exact until an estimate changes it', () => {
    const session = recordingSession();
    const tracker = new ContextTracker({ limit: 1000, session });
    const add = () => tracker.addMessage({ role: 'user' }, { tokens: 100, isExact: false });
    for (const act of [
      add,
      () => tracker.reportTurn({ contextTokens: 400 }),
      add,
      () => tracker.reportTurn({ contextTokens: 500 }),
      () => tracker.compressTo(0.45),
      () => tracker.clear(),
    ]) {
      act();
      tracker.reportReading();
    }
    const readings = session.reports.filter(({ type }) => type === 'reading');
    expect(readings).toMatchObject([
      { contextTokens: 100, basis: 'estimate' },
      { contextTokens: 400, basis: 'total' },
      { contextTokens: 500, basis: 'estimate' },
      { contextTokens: 500, basis: 'total' },
      { contextTokens: 400, basis: 'estimate' },
      { contextTokens: 0, basis: 'estimate' },
    ]);
  });

  test('gets a clear with its tokens and a compression with tokens and messages, on the tracker’s chain', () => {
    const session = recordingSession();
    const tracker = trackerOf({ limit: 100, session, chain: 'agent-7' });
    for (const tokens of [30, 30, 30]) tracker.addMessage(weighed('user', tokens));
    tracker.compressTo(0.5);
    tracker.compressTo(0.5);
    tracker.clear();
    expect(session.reports).toEqual([
      { type: 'compress', chain: 'agent-7', before: 90, after: 30, removed: 2 },
      { type: 'clear', chain: 'agent-7', tokensCleared: 30 },
    ]);
    const [compress, clear] = session.reports;
    expect(itemSchema.safeParse({ ...item, ...compress }).error).toBeUndefined();
    expect(itemSchema.safeParse({ ...item, ...clear }).error).toBeUndefined();
  });

  test('that throws or rejects is only logged', async () => {
    const logger = recordingLogger();
    const fail = () => {
      throw new Error('closed');
    };
    const session: TrackerSession = {
      turn: fail,
      reading: () => Promise.reject(new Error('later')),
      clear: fail,
      compress: fail,
    };
    const tracker = trackerOf({ limit: 100, session, logger });
    for (const tokens of [40, 40]) tracker.addMessage(weighed('user', tokens));
    tracker.reportTurn();
    tracker.compressTo(0.5);
    expect(tracker.clear()).toBe(40);
    tracker.reportReading();
    const warnings = () => logger.lines.flatMap(({ level, message }) => (level === 'warn' ? [message] : []));
    await expect
      .poll(() => warnings().filter((message) => message === 'The context could not be reported'))
      .toHaveLength(4);
  });
});
