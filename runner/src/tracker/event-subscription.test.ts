import { expect, test } from 'vitest';
import { EventEmitter, EventSubscription, type TrackerEvent } from './event-emitter';
import { recordingLogger } from './testing/tracker';

const event: TrackerEvent = { type: 'approaching_redline', usagePercent: 90 };
const over = { done: true, value: undefined };

test('passes the next event to a waiting reader', async () => {
  const subscription = new EventSubscription(2, () => undefined);
  const next = subscription.next();
  subscription.push(event);
  expect(await next).toStrictEqual({ done: false, value: event });
});

test('takes no further event after its end, and reports that it is done', async () => {
  const subscription = new EventSubscription(2, () => undefined);
  subscription.push(event);
  subscription.end();
  subscription.push(event);
  expect(await subscription.next()).toStrictEqual({ done: false, value: event });
  expect(await subscription.next()).toStrictEqual(over);
  expect(await subscription.next()).toStrictEqual(over);
});

test('drops unread events when abandoned, and ends waiting readers', async () => {
  const left: EventSubscription[] = [];
  const subscription = new EventSubscription(1, (one) => left.push(one));
  subscription.push(event);
  subscription.push(event);
  expect(await subscription.return()).toStrictEqual(over);
  expect(await subscription.next()).toStrictEqual(over);
  expect(left).toEqual([subscription]);
  const waiting = new EventSubscription(1, () => undefined);
  const next = waiting.next();
  await waiting.return();
  expect(await next).toStrictEqual(over);
});

test('an emitter hands nothing more to a subscription that was left', async () => {
  const emitter = new EventEmitter(recordingLogger());
  const subscription = emitter.events(1);
  await subscription.return();
  let pushed = 0;
  subscription.push = () => {
    pushed += 1;
  };
  emitter.emit([event]);
  expect(pushed).toBe(0);
});

test('a listener that throws is logged with the event, and the next one hears it', () => {
  const logger = recordingLogger();
  const emitter = new EventEmitter(logger);
  const error = new Error('no');
  emitter.subscribe(() => {
    throw error;
  });
  const heard: TrackerEvent[] = [];
  emitter.subscribe((one) => heard.push(one));
  emitter.emit([event]);
  expect(heard).toEqual([event]);
  expect(logger.lines).toEqual([
    {
      level: 'error',
      message: 'A subscriber of the context tracker failed',
      fields: { event: 'approaching_redline', error },
    },
  ]);
});
