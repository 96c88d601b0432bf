import { expect, test } from 'vitest';
import { CallRecord, readInto } from './call-record';
import { CallReporter } from './call-reporter';
import { ContextSnapshot } from './context-snapshot';
import {
  chatUsage,
  completion,
  RecordingLogger,
  RecordingSession,
  response,
  responsesUsage,
} from './testing/calls';

function createReporter() {
  const session = new RecordingSession();
  const logger = new RecordingLogger();
  const snapshot = new ContextSnapshot();
  const reporter = new CallReporter({ session, snapshot, chain: null, estimates: true, logger });
  return { session, logger, snapshot, reporter };
}

function backgroundCall(id: string): CallRecord {
  const record = new CallRecord('responses', { background: true, input: 'How full?' }, 'main', false);
  readInto(record, response(null, { id, status: 'queued', output: [] }));
  return record;
}

test('forgets the oldest of a thousand background responses when another starts', () => {
  const { reporter, logger } = createReporter();
  for (let call = 0; call < 1_000; call += 1) reporter.finish(backgroundCall(`resp_background_${call}x`));
  expect(reporter.followUp('resp_background_0x')).not.toBeNull();
  reporter.finish(backgroundCall('resp_background_1000x'));
  expect(reporter.followUp('resp_background_0x')).toBeNull();
  expect(reporter.followUp('resp_background_1x')).not.toBeNull();
  expect(logger.lines).toEqual(['warn: a response was never asked for again and is forgotten']);
});

test('a response that was settled is not ready to be read again', () => {
  const { reporter, session } = createReporter();
  reporter.finish(backgroundCall('resp_done_once_x'));
  const record = reporter.followUp('resp_done_once_x');
  if (record === null) throw new Error('it should wait');
  readInto(record, response(responsesUsage(90, 10), { id: 'resp_done_once_x' }));
  reporter.finish(record);
  reporter.finish(record);
  expect(session.turns).toHaveLength(1);
  expect(reporter.followUp('resp_done_once_x')).toBeNull();
});

test('a response that the provider does not keep cannot be asked for again', () => {
  const { reporter } = createReporter();
  const record = new CallRecord('responses', { store: false, input: 'How full?' }, 'main', false);
  readInto(record, response(null, { id: 'resp_not_kept_x', status: 'in_progress', output: [] }));
  reporter.finish(record);
  expect(reporter.followUp('resp_not_kept_x')).toBeNull();
});

test('a chat call that the provider keeps and that broke off gets its usage when it is retrieved', () => {
  const { reporter, session, snapshot } = createReporter();
  const messages = [{ role: 'user', content: 'How full is it?' }];
  const record = new CallRecord('chat', { store: true, messages }, 'main', false);
  const whole = completion(chatUsage(90, 10));
  readInto(record, { ...whole, choices: [{ index: 0, delta: { content: 'Half ' } }], usage: null });
  reporter.finish(record);
  expect(snapshot).toMatchObject({ contextTokens: 5, basis: 'estimate' });
  const again = reporter.followUp(whole.id);
  expect(again).toBe(record);
  readInto(record, whole);
  reporter.finish(record);
  expect(snapshot).toMatchObject({ contextTokens: 100, basis: 'total' });
  expect(session.turns.map(({ call }) => call)).toEqual([whole.id, whole.id]);
});
