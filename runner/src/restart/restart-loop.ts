/**
 * Runs an agent through as many contexts as its work takes. At the threshold the stream is ended, the full
 * session is asked for a checkpoint in a query of its own, and a fresh session goes on from it. A full context
 * is the end of a session, not of the run: the pressure error never leaves this loop. Errors of the agent itself
 * pass through untouched. Trade-off: facts missing from the checkpoint must be found again in the next context.
 */
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { guard, guardLogger } from '../guard';
import { type Logger, silentLogger } from '../logger';
import { formatPercent } from '../usage/context-usage';
import { statedOf } from '../usage/read-field';
import { UsageProcessor } from '../usage/usage-processor';
import { buildContinuationPrompt, buildMinimalPrompt, loadPrompts } from './prompts';
import type { ContextRecord, RestartOptions, RestartResult, RestartSession } from './restart-types';
import { AgentContext } from './run-context';
import { type CheckpointOutcome, takeCheckpoint } from './take-checkpoint';

const DEFAULT_CHECKPOINT_TIMEOUT_MS = 300_000;
const DEFAULT_STOP_TIMEOUT_MS = 5_000;

/** The largest restart line that the protocol takes, as a share. */
const MAX_LINE = 1000;
const OPTION_NAMES = (
  'agent prompt name usage limit threshold lens vendor model runningTotals maxContinuations promptsFolder ' +
  'checkpointTimeoutMs stopTimeoutMs signal session logger onMessage onRestart'
).split(' ');

/**
 * Yields the messages of all contexts in order, and returns how the run went. Ending the iteration early ends
 * the agent's stream too.
 * @throws the agent's own errors; the signal's reason where the owner cancels; Error for prompts that cannot be
 * used and UnknownSettingError for an option that does not exist, before the agent starts.
 */
export async function* streamWithRestarts<Message>(
  options: RestartOptions<Message>,
): AsyncGenerator<Message, RestartResult<Message>, undefined> {
  const { agent, session, signal, maxContinuations = Number.POSITIVE_INFINITY } = options;
  refuseUnknownSettings(options, OPTION_NAMES);
  const logger = guardLogger(options.logger ?? silentLogger);
  const name = options.name ?? session?.key ?? 'agent';
  const prompts = loadPrompts(options.promptsFolder);
  const { usage, limit, threshold, lens = agent.lens, vendor, model, runningTotals } = options;
  const counted = { usage, limit, threshold, lens, vendor, model, runningTotals };
  const processor = new UsageProcessor({ ...counted, session, logger });
  const report = createReport(session, logger);
  const { onMessage, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = options;
  const parts = { agent, processor, report, logger, name, stopTimeoutMs, signal, onMessage };
  if (!(maxContinuations >= 0)) throw new RangeError('"maxContinuations" must be a number from 0');
  const contexts: ContextRecord[] = [];
  let last: Pick<RestartResult<Message>, 'lastMessage' | 'lastResult'> = {
    lastMessage: undefined,
    lastResult: undefined,
  };
  let checkpoint: CheckpointOutcome | null = null;
  let prompt = options.prompt;
  const finish = (outcome: RestartResult<Message>['outcome']): RestartResult<Message> => ({
    outcome,
    continuations: contexts.length - 1,
    contexts,
    ...last,
    checkpoint: checkpoint?.text ?? null,
    missingCheckpoint: checkpoint?.text === null ? checkpoint.missing : null,
  });

  report((to) =>
    to.start?.({
      lens: processor.lens,
      ...statedOf({
        restartLine: processor.threshold <= MAX_LINE ? processor.threshold : null,
        limit: limit !== undefined && limit > 0 ? limit : null,
        client: agent.client,
      }),
    }),
  );
  for (let continuation = 0; ; continuation += 1) {
    signal?.throwIfAborted();
    const context = new AgentContext(continuation, contexts.at(-1)?.sessionId ?? null, parts);
    const pressure = yield* context.run(prompt);
    last = {
      lastMessage: context.lastMessage ?? last.lastMessage,
      lastResult: context.lastResult ?? last.lastResult,
    };
    contexts.push(recordOf(context, processor, prompt, pressure !== null));
    if (pressure === null) return finish('finished');

    const sessionId = context.sessionId ?? pressure.sessionId;
    checkpoint = await takeCheckpoint(agent, {
      sessionId,
      prompt: prompts['checkpoint-request'],
      signal,
      timeoutMs: options.checkpointTimeoutMs ?? DEFAULT_CHECKPOINT_TIMEOUT_MS,
      logger,
      name,
    });
    if (continuation >= maxContinuations) return finish('max_continuations');

    const next = continuation + 1;
    const { pressureRatio } = pressure;
    prompt =
      checkpoint.text === null
        ? buildMinimalPrompt(options.prompt, prompts['minimal-continuation'])
        : buildContinuationPrompt(checkpoint.text, prompts.continuation);
    logger.info(`${name}: context restart #${next} at ${formatPercent(pressureRatio)}`, { sessionId });
    const written = checkpoint.text === null ? {} : { checkpoint: checkpoint.text };
    const notice = {
      continuation: next,
      reason: 'restart line',
      pressure: pressureRatio,
      ...written,
      prompt,
    };
    report((to) => to.restart(notice));
    options.onRestart?.({ continuation: next, pressureRatio, checkpoint: checkpoint.text, prompt });
    processor.reset({ continuation: next });
    processor.sessionId = '';
  }
}

/** As `streamWithRestarts`, for callers that take messages by `onMessage` or not at all. */
export async function runWithRestarts<Message>(
  options: RestartOptions<Message>,
): Promise<RestartResult<Message>> {
  const stream = streamWithRestarts(options);
  let step = await stream.next();
  while (step.done !== true) step = await stream.next();
  return step.value;
}

function createReport(session: RestartSession | undefined, logger: Logger) {
  return (send: (to: RestartSession) => unknown): void => {
    if (session === undefined) return;
    guard(
      () => send(session),
      (error) => logger.warn('The restart loop could not report to the server', { error }),
    );
  };
}

function recordOf<Message>(
  { continuation, sessionId }: AgentContext<Message>,
  { usage, pressureRatio, state }: UsageProcessor,
  prompt: string,
  isFull: boolean,
): ContextRecord {
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  const sums = { inputTokens, outputTokens, cacheReadTokens, pressureRatio, state };
  return { continuation, sessionId, prompt, ...sums, endedBy: isFull ? 'pressure' : 'agent' };
}
