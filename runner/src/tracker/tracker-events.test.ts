import { describe, expect, test } from 'vitest';
import type { SubscriberEvent, TrackerEvent } from './event-emitter';
import { recordEvents, trackerOf, weighed } from './testing/tracker';

async function readAll(events: AsyncIterable<SubscriberEvent>): Promise<SubscriberEvent[]> {
  const read: SubscriberEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

describe('state events', () => {
  test('emits redlined once while the limit is exceeded, and again after a fall below it', () => {
    const tracker = trackerOf({ limit: 100 });
    const events = recordEvents(tracker);
    for (const tokens of [100, 5, 5]) tracker.addMessage(weighed('user', tokens));
    tracker.clear();
    tracker.addMessage(weighed('user', 100));
    expect(events.filter(({ type }) => type === 'redlined')).toEqual([
      { type: 'redlined', contextTokens: 100, limit: 100 },
      { type: 'redlined', contextTokens: 100, limit: 100 },
    ]);
  });
});

describe('listeners', () => {
  test('all get every event', () => {
    const tracker = trackerOf({ limit: 100 });
    const heard = Array.from({ length: 50 }, () => recordEvents(tracker));
    tracker.addMessage(weighed('user', 50));
    for (const events of heard) expect(events).toHaveLength(1);
  });

  test('get no events after unsubscribing, while others do', () => {
    const tracker = trackerOf({ limit: 100 });
    const gone: TrackerEvent[] = [];
    const unsubscribe = tracker.subscribe((event) => gone.push(event));
    const stays = recordEvents(tracker);
    tracker.addMessage(weighed('user', 50));
    unsubscribe();
    unsubscribe();
    tracker.clear();
    expect([gone.length, stays.length]).toEqual([1, 2]);
  });

  test('are logged when they reject, without an unhandled rejection', async () => {
    let logged: (error: unknown) => void = () => undefined;
    const failure = new Promise<unknown>((resolve) => {
      logged = resolve;
    });
    const quiet = () => undefined;
    const logger = {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (_message: string, fields: Record<string, unknown> = {}) => logged(fields.error),
    };
    const tracker = trackerOf({ limit: 100, logger });
    tracker.subscribe(() => Promise.reject(new Error('later')));
    tracker.clear();
    expect(await failure).toEqual(new Error('later'));
  });

  test('all get the events in one order, even if one changes the tracker', () => {
    const tracker = trackerOf({ limit: 100 });
    tracker.subscribe((event) => {
      if (event.type === 'approaching_redline') tracker.clear();
    });
    const events = recordEvents(tracker);
    tracker.addMessage(weighed('user', 120));
    expect(events.map(({ type }) => type)).toEqual([
      'state_changed',
      'approaching_redline',
      'redlined',
      'cleared',
    ]);
    expect(tracker.messageCount()).toBe(0);
  });
});

describe('buffered subscribers', () => {
  test('read the events from their subscription on, in order', async () => {
    const tracker = trackerOf({ limit: 100 });
    tracker.addMessage(weighed('user', 50));
    const events = tracker.events();
    tracker.addMessage(weighed('user', 70));
    tracker.clear();
    tracker.close();
    expect((await readAll(events)).map(({ type }) => type)).toEqual([
      'state_changed',
      'approaching_redline',
      'redlined',
      'cleared',
    ]);
  });

  test('lose the oldest events beyond a hundred, and get the number lost', async () => {
    const tracker = trackerOf({ limit: 1_000 });
    const events = tracker.events();
    for (let tokens = 1; tokens <= 103; tokens += 1) {
      tracker.addMessage(weighed('user', tokens));
      tracker.clear();
    }
    tracker.close();
    const read = await readAll(events);
    expect(read[0]).toEqual({ type: 'lagged', lost: 3 });
    expect(read.slice(1)).toEqual(
      Array.from({ length: 100 }, (_, index) => ({ type: 'cleared', tokensCleared: index + 4 })),
    );
  });

  test('have separate buffers: a slow one does not delay another', async () => {
    const tracker = trackerOf({ limit: 1_000 });
    const slow = tracker.events({ bufferSize: 2 });
    const fast = tracker.events();
    for (let count = 0; count < 5; count += 1) tracker.clear();
    tracker.close();
    expect(await readAll(fast)).toHaveLength(5);
    expect((await readAll(slow)).map(({ type }) => type)).toEqual(['lagged', 'cleared', 'cleared']);
  });

  test('refuse a buffer of less than one event', () => {
    for (const bufferSize of [0, -1, 1.5, Number.NaN]) {
      expect(() => trackerOf({ limit: 1 }).events({ bufferSize })).toThrow(/"bufferSize"/);
    }
  });

  test('unsubscribe at the end of a loop', async () => {
    const tracker = trackerOf({ limit: 100 });
    const events = tracker.events();
    tracker.clear();
    tracker.clear();
    for await (const event of events) {
      expect(event.type).toBe('cleared');
      break;
    }
    tracker.clear();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('end when the tracker is closed; the tracker still works', async () => {
    const tracker = trackerOf({ limit: 100 });
    const heard = recordEvents(tracker);
    const waiting = tracker.events().next();
    tracker.close();
    expect((await waiting).done).toBe(true);
    expect(tracker.addMessage(weighed('user', 120)).state).toBe('redlined');
    expect(await readAll(tracker.events())).toEqual([]);
    tracker.subscribe((event) => heard.push(event));
    tracker.clear();
    expect(heard).toEqual([]);
  });
});
