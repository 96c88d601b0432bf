/**
 * Runs an agent through as many contexts as its work needs. At the restart line the loop ends the stream, asks the full
 * session for a checkpoint in a separate query, and continues in a fresh session from that checkpoint. Errors of the
 * agent pass through, except those about a full context. Trade-off: facts missing from the checkpoint must be found
 * again.
 */
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { createReport, guardLogger } from '../guard';
import { readByOldNames, takeOldNames } from '../old-names';
import { formatPercent } from '../usage/context-usage';
import { statedOf } from '../usage/read-field';
import { UsageProcessor } from '../usage/usage-processor';
import { openCommandInbox } from './command-inbox';
import { countCalls } from './count-calls';
import { EndlessRestartError, MAX_FULL_STARTS, MAX_WITHOUT_CHECKPOINT } from './endless-restart-error';
import { type OpenCall, trackOpenCalls } from './open-calls';
import { buildContinuationPrompt, buildMinimalPrompt, loadPrompts, type RestartPrompts } from './prompts';
import type { AgentCall, ContextRecord, RestartNotice, RestartOptions, RestartResult } from './restart-types';
import type { Run } from './run';
import { AgentContext, type ContextEnd } from './run-context';
import { openRunFile } from './run-state';
import { takeCheckpoint } from './take-checkpoint';

/** The largest restart line that the protocol accepts, as a share. */
const MAX_LINE = 1000;
/** What the session's page shows as the reason of a restart. */
const REASONS = {
  pressure: 'restart line',
  forecast: 'forecast',
  prompt_too_long: 'prompt too long',
  command: 'command of an operator',
} as const;
/** What the session's page shows as the reason of its end. */
const ENDS = {
  finished: 'finished',
  max_continuations: 'maximum number of continuations',
  stopped: 'command of an operator',
} as const;
const OPTION_NAMES = (
  'agent prompt name usage limit restartLine lens vendor model runningTotals maxContinuations promptsFolder ' +
  'resume resumeFolder checkpointTimeoutMs retryMs stopTimeoutMs signal session endsSession logger onMessage onRestart'
).split(' ');

/**
 * Yields the messages of all contexts in order, and returns how the run went. Ending the iteration early also ends the
 * agent's stream.
 * @throws the agent's own errors, the signal's reason if the owner cancels, and EndlessRestartError if the contexts make
 * no progress. Before the agent starts: Error for an invalid prompt, RangeError for an invalid option, and UnknownSettingError for an unknown option.
 */
export async function* streamWithRestarts<Message>(
  given: RestartOptions<Message>,
): AsyncGenerator<Message, RestartResult<Message>, undefined> {
  const options = takeOldNames('runWithRestarts', given, { threshold: 'restartLine' });
  const { maxContinuations = Number.POSITIVE_INFINITY } = options;
  refuseUnknownSettings(options, OPTION_NAMES);
  if (!(maxContinuations >= 0)) throw new RangeError('"maxContinuations" must be a number from 0');
  const prompts = loadPrompts(options.promptsFolder);
  const run = startRun(options, prompts);
  let result: RestartResult<Message>;
  try {
    result = yield* streamContexts(run, prompts, maxContinuations);
  } finally {
    run.commands.close();
    run.reportLost();
  }
  const reason = ENDS[result.outcome];
  if (options.endsSession !== false) run.send((session) => session.end?.({ reason }));
  return result;
}

async function* streamContexts<Message>(
  run: Run<Message>,
  prompts: RestartPrompts,
  maxContinuations: number,
): AsyncGenerator<Message, RestartResult<Message>, undefined> {
  const { options, processor, result, signal, logger, name, file } = run;
  const promptOf = (checkpoint: string | null) =>
    checkpoint === null
      ? buildMinimalPrompt(options.prompt, prompts['minimal-continuation'])
      : buildContinuationPrompt(checkpoint, prompts.continuation);
  const resumed = file.read();
  const first = resumed === null ? 0 : resumed.continuation + 1;
  let prompt = resumed === null ? options.prompt : promptOf(resumed.checkpoint);
  if (resumed !== null) reportLost(run, resumed.openCalls);
  if (resumed !== null) reportResume(run, { continuation: first, prompt, checkpoint: resumed.checkpoint });
  let fullStarts = 0;
  let withoutCheckpoint = 0;
  let lastCheckpoint = resumed?.checkpoint ?? null;
  for (let continuation = first; ; continuation += 1) {
    file.save({ continuation, checkpoint: result.checkpoint });
    signal.throwIfAborted();
    const context = new AgentContext(run, continuation);
    const end = yield* context.stream(prompt);
    result.contexts.push(recordOf(run, context, { prompt, end }));
    result.continuations = continuation;
    if (end === null) {
      file.remove();
      return result;
    }

    const sessionId = context.sessionId ?? end.sessionId;
    const checkpoint = await takeCheckpoint(run, sessionId, prompts['checkpoint-request']);
    run.reportLost();
    const isNew = checkpoint !== null && checkpoint !== lastCheckpoint;
    lastCheckpoint = checkpoint ?? lastCheckpoint;
    result.checkpoint = checkpoint;
    if (end.stops) {
      file.save({ continuation, checkpoint });
      return { ...result, outcome: 'stopped' };
    }
    if (continuation >= maxContinuations) return { ...result, outcome: 'max_continuations' };
    const hadNoRoom = end.by !== 'command' && (context.turns < 2 || context.beganFull);
    fullStarts = continuation > 0 && hadNoRoom ? fullStarts + 1 : 0;
    withoutCheckpoint = isNew || end.by === 'command' ? 0 : withoutCheckpoint + 1;
    const { pressure } = end;
    if (fullStarts === MAX_FULL_STARTS || withoutCheckpoint === MAX_WITHOUT_CHECKPOINT) {
      const facts = {
        checkpoint,
        pressure,
        limit: processor.limit,
        hadNoRoom: fullStarts === MAX_FULL_STARTS,
      };
      throw new EndlessRestartError(name, { continuations: continuation, ...facts });
    }

    const next = continuation + 1;
    file.save({ continuation, checkpoint });
    prompt = promptOf(checkpoint);
    logger.info(`${name}: context restart #${next} at ${formatPercent(pressure)}`, { sessionId });
    const reason = REASONS[end.by];
    const restart = { continuation: next, reason, pressure, prompt };
    run.send((session) => session.restart({ ...restart, ...statedOf({ checkpoint }) }));
    const notice: RestartNotice = { continuation: next, pressure, checkpoint, prompt };
    await options.onRestart?.(readByOldNames('RestartNotice', notice, { pressureRatio: 'pressure' }));
    processor.reset({ continuation: next });
    processor.sessionId = '';
  }
}

function recordOf<Message>(
  { processor }: Run<Message>,
  { continuation, sessionId }: AgentContext<Message>,
  { prompt, end }: { prompt: string; end: ContextEnd | null },
): ContextRecord {
  const { inputTokens, outputTokens, cacheReadTokens } = processor.usage;
  const record: ContextRecord = {
    continuation,
    sessionId,
    prompt,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    pressure: processor.pressure,
    state: processor.state,
    endedBy: end?.by ?? 'agent',
  };
  return readByOldNames('ContextRecord', record, { pressureRatio: 'pressure' });
}

/** Reports calls that never got an answer. The provider may have billed them, so the sums are a lower bound. */
function reportLost<Message>({ send, logger, name }: Run<Message>, calls: readonly OpenCall[]): void {
  for (const { tokens, chain } of calls) {
    const reason = `a call with a request of about ${tokens} tokens ended without an answer`;
    logger.warn(`${name}: ${reason}, so its usage is unknown`);
    send((session) => session.gap?.({ count: 1, bound: 'atMost', reason, ...statedOf({ chain }) }));
  }
}

/** The context of the killed run has ended, so the fresh context starts with a restart. */
function reportResume<Message>(
  { result, logger, name, send }: Run<Message>,
  { checkpoint, ...restart }: Omit<RestartNotice, 'pressure'>,
): void {
  result.checkpoint = checkpoint;
  logger.info(`${name}: resuming with continuation #${restart.continuation}`);
  send((session) => session.restart({ ...restart, reason: 'resumed', ...statedOf({ checkpoint }) }));
}

/** Runs `streamWithRestarts` to its end, for callers that need messages only in `onMessage` or not at all. */
export async function runWithRestarts<Message>(
  options: RestartOptions<Message>,
): Promise<RestartResult<Message>> {
  const stream = streamWithRestarts(options);
  let step = await stream.next();
  while (step.done !== true) step = await stream.next();
  return step.value;
}

function startRun<Message>(options: RestartOptions<Message>, prompts: RestartPrompts): Run<Message> {
  const file = openRunFile(options);
  const { agent, session, limit, signal = new AbortController().signal } = options;
  const logger = guardLogger(options.logger);
  const { usage, restartLine, lens = agent.lens, vendor, model, runningTotals } = options;
  const settings = { usage, limit, restartLine, lens, vendor, model, runningTotals };
  const processor = new UsageProcessor({ ...settings, session, logger });
  const send = createReport(session, logger, 'The restart loop could not report to the server');
  const stated = statedOf({
    restartLine: processor.restartLine <= MAX_LINE ? processor.restartLine : null,
    limit: limit !== undefined && limit > 0 ? limit : null,
    client: agent.client,
  });
  send((to) => to.start?.(stated));
  const result: RestartResult<Message> = {
    outcome: 'finished',
    continuations: 0,
    contexts: [],
    lastResult: undefined,
    lastMessage: undefined,
    checkpoint: null,
    missingCheckpoint: null,
  };
  const name = options.name ?? session?.key ?? 'agent';
  const counted = { options, processor, chains: new Map(), logger, name };
  const report = (call: AgentCall) => void countCalls(counted, [call]);
  const commands = openCommandInbox(session, logger);
  const calls = trackOpenCalls(file.saveCalls);
  const run: Run<Message> = {
    ...{ ...counted, result, send, report, signal, commands, file, warned: new Set() },
    openCall: calls.open,
    reportLost: () => reportLost(run, calls.take()),
    async checkpoint(sessionId, continuation) {
      const checkpoint = await takeCheckpoint(run, sessionId, prompts['checkpoint-request'], true);
      if (checkpoint === null) return false;
      result.checkpoint = checkpoint;
      file.save({ continuation, checkpoint });
      return true;
    },
  };
  return run;
}
