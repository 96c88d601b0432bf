/**
 * Runs an agent through as many contexts as its work takes. At the threshold the stream is ended, the full
 * session is asked for a checkpoint in a query of its own, and a fresh session goes on from it. A full context
 * is the end of a session, not of the run: the pressure error never leaves this loop. Errors of the agent itself
 * pass through untouched. Trade-off: facts missing from the checkpoint must be found again in the next context.
 */
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { guardLogger } from '../guard';
import { silentLogger } from '../logger';
import { formatPercent } from '../usage/context-usage';
import { UsageProcessor } from '../usage/usage-processor';
import { buildContinuationPrompt, buildMinimalPrompt, loadPrompts } from './prompts';
import { createRestartReporter } from './restart-session';
import type { ContextRecord, RestartOptions, RestartResult } from './restart-types';
import { AgentContext } from './run-context';
import { type CheckpointOutcome, takeCheckpoint } from './take-checkpoint';

const DEFAULT_CHECKPOINT_TIMEOUT_MS = 300_000;
const DEFAULT_STOP_TIMEOUT_MS = 5_000;

const OPTION_NAMES = Object.keys({
  agent: true,
  prompt: true,
  name: true,
  usage: true,
  limit: true,
  threshold: true,
  lens: true,
  vendor: true,
  model: true,
  runningTotals: true,
  maxContinuations: true,
  promptsFolder: true,
  checkpointTimeoutMs: true,
  stopTimeoutMs: true,
  signal: true,
  session: true,
  logger: true,
  onMessage: true,
  onRestart: true,
} satisfies Record<keyof RestartOptions<unknown>, true>);

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
  const processor = createProcessor(options);
  const reporter = createRestartReporter(session, agent.client, logger);
  const parts = {
    agent,
    processor,
    reporter,
    logger,
    name,
    stopTimeoutMs: options.stopTimeoutMs ?? DEFAULT_STOP_TIMEOUT_MS,
    signal,
    onMessage: options.onMessage,
  };
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

  reporter.begin({ lens: processor.lens, threshold: processor.threshold, limit: options.limit });
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
    reporter.restart({
      continuation: next,
      reason: 'restart line',
      pressure: pressureRatio,
      ...(checkpoint.text === null ? {} : { checkpoint: checkpoint.text }),
      prompt,
    });
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

function createProcessor<Message>(options: RestartOptions<Message>): UsageProcessor {
  const { usage, limit, threshold, vendor, model, runningTotals, session, logger, agent } = options;
  const lens = options.lens ?? agent.lens;
  return new UsageProcessor({
    usage,
    limit,
    threshold,
    lens,
    vendor,
    model,
    runningTotals,
    session,
    logger,
  });
}

function recordOf<Message>(
  { continuation, sessionId }: AgentContext<Message>,
  { usage, pressureRatio, state }: UsageProcessor,
  prompt: string,
  isFull: boolean,
): ContextRecord {
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  return {
    continuation,
    sessionId,
    prompt,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    pressureRatio,
    state,
    endedBy: isFull ? 'pressure' : 'agent',
  };
}
