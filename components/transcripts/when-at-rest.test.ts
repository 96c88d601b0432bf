import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenAtRest } from './when-at-rest';

const NEVER = Promise.race<void>([]);
let page: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal('window', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What has come of the wait after so long. */
function follow(hurry: Promise<void> = NEVER) {
  const abort = new AbortController();
  const told = { over: false };
  const wait = whenAtRest(hurry, abort.signal).finally(() => {
    told.over = true;
  });
  wait.catch(() => undefined);
  return { abort, told, wait };
}

it('waits half a second, and begins anew with everything that somebody does', async () => {
  const { told } = follow();
  await vi.advanceTimersByTimeAsync(499);
  expect(told.over).toBe(false);
  for (const act of ['wheel', 'scroll', 'pointerdown', 'touchstart', 'keydown']) {
    page.dispatchEvent(new Event(act));
    await vi.advanceTimersByTimeAsync(499);
    expect(told.over, act).toBe(false);
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(told.over).toBe(true);
});

it('does not wait for ever for somebody who scrolls on and on', async () => {
  const { told } = follow();
  for (let ms = 0; ms < 3_900; ms += 100) {
    page.dispatchEvent(new Event('scroll'));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(told.over).toBe(false);
  page.dispatchEvent(new Event('scroll'));
  await vi.advanceTimersByTimeAsync(100);
  expect(told.over).toBe(true);
});

it('ends at once when somebody waits for what comes after it', async () => {
  const hurry = new AbortController();
  const { told } = follow(new Promise((resolve) => hurry.signal.addEventListener('abort', () => resolve())));
  await vi.advanceTimersByTimeAsync(100);
  expect(told.over).toBe(false);
  hurry.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(told.over).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('ends with its reason, and listens no more, when the page is left', async () => {
  const { abort, wait } = follow();
  abort.abort(new Error('the page was left'));
  await expect(wait).rejects.toThrow('the page was left');
  expect(vi.getTimerCount()).toBe(0);
  await expect(whenAtRest(NEVER, abort.signal)).rejects.toThrow('the page was left');
});
