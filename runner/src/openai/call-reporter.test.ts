import { expect, test } from 'vitest';
import { CallReporter } from './call-reporter';
import { RecordingLogger, RecordingSession, response, responsesUsage } from './testing/calls';
import { TrackedCall } from './tracked-call';

function createReporter() {
  const session = new RecordingSession();
  const logger = new RecordingLogger();
  const reporter = new CallReporter({ session, logger });
  /** A call. Its first answer has this id and status, and no usage. */
  const start = (id: string, status: string, body: object = { background: true }) => {
    const call = new TrackedCall('responses', { input: 'How full?', ...body }, 'main', false);
    const watch = reporter.watch(call);
    watch.see(response(null, { id, status, output: [] }));
    watch.end();
  };
  return { session, logger, reporter, start };
}

test('forgets the oldest of a thousand background responses when another starts', () => {
  const { reporter, logger, start } = createReporter();
  for (let call = 0; call < 1_000; call += 1) start(`resp_background_${call}x`, 'queued');
  expect(reporter.followUp('resp_background_0x')).not.toBeNull();
  start('resp_background_1000x', 'queued');
  expect(reporter.followUp('resp_background_0x')).toBeNull();
  expect(reporter.followUp('resp_background_1x')).not.toBeNull();
  expect(logger.lines).toEqual(['warn: a response was never retrieved and is forgotten']);
});

test('a settled response cannot be completed again', () => {
  const { reporter, session, start } = createReporter();
  start('resp_done_once_x', 'queued');
  const call = reporter.followUp('resp_done_once_x');
  if (call === null) throw new Error('it should wait');
  const watch = reporter.watch(call);
  watch.see(response(responsesUsage(90, 10), { id: 'resp_done_once_x' }));
  watch.end();
  watch.end();
  expect(session.turns).toHaveLength(1);
  expect(reporter.followUp('resp_done_once_x')).toBeNull();
});

test('a response that the provider does not keep cannot be completed', () => {
  const { reporter, start } = createReporter();
  start('resp_not_kept_x', 'in_progress', { store: false });
  expect(reporter.followUp('resp_not_kept_x')).toBeNull();
});

test('warns once that a size is estimated, and names unknown fields of a usage', () => {
  const { reporter, logger } = createReporter();
  const answer = (usage: unknown) => {
    const call = new TrackedCall('messages', { messages: [{ role: 'user', content: 'Hi' }] }, 'main', false);
    const watch = reporter.watch(call);
    watch.see({ type: 'message', id: 'msg_1', content: [], usage });
    watch.end();
  };
  answer({ tokens_in: 5, tokens_out: 7 });
  answer(null);
  expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
    'warn: a usage has only unknown fields (tokens_in, tokens_out), so the size of the context is estimated',
  ]);
});

test('warns once that a size is estimated if the provider reports no usage', () => {
  const { logger, start } = createReporter();
  start('resp_no_usage_x', 'completed', {});
  start('resp_no_usage_y', 'completed', {});
  expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
    'warn: the provider reported no usage, so the size of the context is estimated',
  ]);
});
