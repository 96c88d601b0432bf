import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLOSE } from '../../../core/protocol/close-codes';
import {
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  DEFAULT_TIMING,
  transition,
} from './connection-state';

type StateName = ConnectionState['name'];
type EventName = ConnectionEvent['type'];
/** What to expect: the next state and the effects, in order. `same`: nothing happens at all. */
type Expected = 'same' | [StateName, ...ConnectionEffect['type'][]];

const states: { [S in StateName]: Extract<ConnectionState, { name: S }> } = {
  idle: { name: 'idle' },
  connecting: { name: 'connecting', attempt: 2 },
  greeting: { name: 'greeting', attempt: 2 },
  ready: { name: 'ready', attempt: 2 },
  waiting: { name: 'waiting', attempt: 2, reason: 'unreachable', detail: '', retryAt: 0 },
  stopped: { name: 'stopped' },
};
const events: { [E in EventName]: Extract<ConnectionEvent, { type: E }> } = {
  start: { type: 'start' },
  opened: { type: 'opened' },
  welcomed: { type: 'welcomed' },
  acknowledged: { type: 'acknowledged' },
  closed: { type: 'closed', code: 1006, detail: 'gone' },
  timeout: { type: 'timeout' },
  hurry: { type: 'hurry' },
  stop: { type: 'stop' },
};

const down: Expected = ['waiting', 'drop_socket', 'set_timer'];
const stopped: Expected = ['stopped', 'clear_timer', 'drop_socket'];

/** Every state against every event: a missing pair does not compile. */
const table: { [S in StateName]: { [E in EventName]: Expected } } = {
  idle: {
    start: ['connecting', 'open', 'set_timer'],
    opened: 'same',
    welcomed: 'same',
    acknowledged: 'same',
    closed: 'same',
    timeout: 'same',
    hurry: 'same',
    stop: stopped,
  },
  connecting: {
    start: 'same',
    opened: ['greeting', 'say_hello', 'set_timer'],
    welcomed: 'same',
    acknowledged: 'same',
    closed: down,
    timeout: down,
    hurry: 'same',
    stop: stopped,
  },
  greeting: {
    start: 'same',
    opened: 'same',
    welcomed: ['ready', 'clear_timer', 'send_items'],
    acknowledged: 'same',
    closed: down,
    timeout: down,
    hurry: 'same',
    stop: stopped,
  },
  ready: {
    start: 'same',
    opened: 'same',
    welcomed: 'same',
    acknowledged: ['ready'],
    closed: down,
    timeout: down,
    hurry: 'same',
    stop: stopped,
  },
  waiting: {
    start: 'same',
    opened: 'same',
    welcomed: 'same',
    acknowledged: 'same',
    closed: 'same',
    timeout: ['connecting', 'open', 'set_timer'],
    hurry: ['connecting', 'open', 'set_timer'],
    stop: stopped,
  },
  stopped: {
    start: 'same',
    opened: 'same',
    welcomed: 'same',
    acknowledged: 'same',
    closed: 'same',
    timeout: 'same',
    hurry: 'same',
    stop: 'same',
  },
};

const env = { now: 1_000_000, random: 0.5, timing: DEFAULT_TIMING };

describe.each(Object.keys(table) as StateName[])('in %s', (name) => {
  test.each(Object.keys(events) as EventName[])('handles %s as in the table', (event) => {
    const expected = table[name][event];
    const before = states[name];
    const { state, effects } = transition(before, events[event], env);
    if (expected === 'same') {
      expect(state).toBe(before);
      expect(effects).toEqual([]);
    } else {
      expect([state.name, ...effects.map((effect) => effect.type)]).toEqual(expected);
    }
  });
});

test.each(['unauthorized', 'unsupported_version', 'bad_message'] as const)(
  'haste does not help where the reason is %s',
  (reason) => {
    const before: ConnectionState = { ...states.waiting, reason };
    expect(transition(before, { type: 'hurry' }, env)).toEqual({ state: before, effects: [] });
  },
);

test.each([
  [CLOSE.unauthorized, 'unauthorized'],
  [CLOSE.forbidden, 'unauthorized'],
  [CLOSE.unsupportedVersion, 'unsupported_version'],
  [CLOSE.badMessage, 'bad_message'],
  [CLOSE.frameTooLarge, 'bad_message'],
  [CLOSE.unavailable, 'unavailable'],
  [CLOSE.goingAway, 'unavailable'],
  [CLOSE.helloTimeout, 'unreachable'],
  [1006, 'unreachable'],
])('maps close code %i to %s', (code, reason) => {
  const { state } = transition(states.ready, { type: 'closed', code, detail: 'd' }, env);
  expect(state).toMatchObject({ name: 'waiting', reason, detail: 'd', attempt: 3 });
});

test('sends items one by one after a frame the server cannot read', () => {
  const { effects } = transition(states.ready, { type: 'closed', code: CLOSE.badMessage, detail: '' }, env);
  expect(effects[0]).toEqual({ type: 'isolate' });
});

test('backs off at random up to a doubled bound and the cap', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 2000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const { state, effects } = transition(
          { name: 'connecting', attempt },
          { type: 'closed', code: 1006, detail: '' },
          { ...env, random },
        );
        const bound = Math.min(DEFAULT_TIMING.capMs, DEFAULT_TIMING.baseMs * 2 ** Math.min(attempt, 30));
        const timer = effects.find((effect) => effect.type === 'set_timer');
        expect(timer?.ms).toBe(Math.round(random * bound));
        expect(state).toMatchObject({ retryAt: env.now + Math.round(random * bound) });
      },
    ),
  );
});

test('retries slowly after a wrong token or version', () => {
  for (const code of [CLOSE.unauthorized, CLOSE.unsupportedVersion]) {
    const { effects } = transition(states.greeting, { type: 'closed', code, detail: '' }, env);
    expect(effects.at(-1)).toEqual({ type: 'set_timer', ms: DEFAULT_TIMING.slowMs * 1.5 });
  }
});

test('resets the backoff only after an acknowledgement', () => {
  const welcomed = transition(states.greeting, { type: 'welcomed' }, env).state;
  expect(welcomed).toEqual({ name: 'ready', attempt: 2 });
  expect(transition(welcomed, { type: 'acknowledged' }, env).state).toEqual({ name: 'ready', attempt: 0 });
});
