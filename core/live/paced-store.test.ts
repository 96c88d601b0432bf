import { describe, expect, it } from 'vitest';
import { createPacedStore } from './paced-store';

function stage({ drawsAtOnce = true } = {}) {
  let value = 0;
  let time = 0;
  let changed: (() => void) | null = null;
  let task: { run: () => void; at: number } | null = null;
  const shown: number[] = [];
  const store = createPacedStore<number>(
    {
      read: () => value,
      watch(listener) {
        changed = listener;
        return () => {
          changed = null;
        };
      },
      now: () => time,
      schedule(run, delayMs) {
        task = { run, at: time + delayMs };
        return () => {
          task = null;
        };
      },
    },
    200,
    50,
  );
  const leave = store.watch(() => {
    shown.push(store.read());
    if (drawsAtOnce) store.drawn();
  });
  return {
    store,
    shown,
    leave,
    put(next: number) {
      value = next;
      changed?.();
    },
    pass(ms: number) {
      time += ms;
      if (task === null || task.at > time) return;
      const { run } = task;
      task = null;
      run();
    },
    waits: () => task !== null,
  };
}

describe('paced store', () => {
  it('shows a change after a pause immediately', () => {
    const { put, pass, shown } = stage();
    put(1);
    pass(200);
    put(2);
    expect(shown).toEqual([1, 2]);
  });

  it('shows a burst of twenty changes as two: its first and its last', () => {
    const { put, pass, shown, store } = stage();
    for (let value = 1; value <= 20; value += 1) {
      put(value);
      pass(5);
    }
    expect(store.read()).toBe(1);
    pass(200);
    expect(shown).toEqual([1, 20]);
  });

  it('shows at most five values a second', () => {
    const { put, pass, shown } = stage();
    for (let value = 1; value <= 500; value += 1) {
      put(value);
      pass(2);
    }
    expect(shown.length).toBeLessThanOrEqual(6);
  });

  it('waits until a value is drawn, and shows the newest value after a pause', () => {
    const { put, pass, shown, store } = stage({ drawsAtOnce: false });
    for (let value = 1; value <= 3; value += 1) {
      put(value);
      pass(1_000);
    }
    expect(shown).toEqual([1]);
    store.drawn();
    expect(shown).toEqual([1]);
    pass(49);
    expect(shown).toEqual([1]);
    pass(1);
    expect(shown).toEqual([1, 3]);
  });

  it('keeps the interval when drawing is fast', () => {
    const { put, pass, shown, store } = stage({ drawsAtOnce: false });
    put(1);
    pass(10);
    store.drawn();
    put(2);
    pass(189);
    expect(shown).toEqual([1]);
    pass(1);
    expect(shown).toEqual([1, 2]);
  });

  it('pauses once although the drawing of a value is reported twice', () => {
    const { put, pass, shown, store } = stage({ drawsAtOnce: false });
    put(1);
    pass(300);
    store.drawn();
    pass(40);
    store.drawn();
    put(2);
    pass(10);
    expect(shown).toEqual([1, 2]);
  });

  it('calls the new listener if the old listener left while a value was being drawn', () => {
    const { put, pass, shown, store, leave } = stage({ drawsAtOnce: false });
    put(1);
    leave();
    put(2);
    store.watch(() => shown.push(store.read()));
    pass(200);
    expect(shown).toEqual([1, 2]);
  });

  it('keeps no timer after the listener left', () => {
    const { put, leave, waits, pass, shown } = stage();
    put(1);
    put(2);
    expect(waits()).toBe(true);
    leave();
    expect(waits()).toBe(false);
    pass(500);
    expect(shown).toEqual([1]);
  });
});
