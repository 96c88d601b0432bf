import { describe, expect, it } from 'vitest';
import { createPacedStore } from './paced-store';

function stage() {
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
  );
  const leave = store.watch(() => shown.push(store.read()));
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

describe('a paced store', () => {
  it('shows a change after a rest at once', () => {
    const { put, pass, shown } = stage();
    put(1);
    pass(200);
    put(2);
    expect(shown).toEqual([1, 2]);
  });

  it('shows a burst of twenty changes twice: its first and its last', () => {
    const { put, pass, shown, store } = stage();
    for (let value = 1; value <= 20; value += 1) {
      put(value);
      pass(5);
    }
    expect(store.read()).toBe(1);
    pass(200);
    expect(shown).toEqual([1, 20]);
  });

  it('shows at most five values a second, however many come', () => {
    const { put, pass, shown } = stage();
    for (let value = 1; value <= 500; value += 1) {
      put(value);
      pass(2);
    }
    expect(shown.length).toBeLessThanOrEqual(6);
  });

  it('waits for nothing once it is left', () => {
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
