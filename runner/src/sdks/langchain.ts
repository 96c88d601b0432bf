import { asFields, asList, asNonEmptyText } from '../../../core/agents/fields';
import { CallReporter } from '../openai/call-reporter';
import type { ContextSnapshot } from '../openai/context-snapshot';
import { type CallReading, readCallUsage } from '../openai/read-usage';
import { readPath } from '../usage/read-field';
import type { SdkOptions } from './sdk-options';

/** A callback handler of LangChain. */
export interface LangChainHandler {
  /** Name of the handler in LangChain: `barograph`. */
  readonly name: string;
  /** LangChain waits for this handler, which does not wait for anything. */
  readonly awaitHandlers: boolean;
  /** How full the context is after the last main call. */
  readonly snapshot: ContextSnapshot;
  /** Notes the model of a call. */
  handleChatModelStart(...args: unknown[]): void;
  /** Notes that an answer has begun. */
  handleLLMNewToken(...args: unknown[]): void;
  /** Reports a finished call. */
  handleLLMEnd(output: unknown, runId: string, ...rest: unknown[]): void;
  /** Reports a call that failed after its answer had begun, with the usage in the chunks before the failure. */
  handleLLMError(error: unknown, runId: string): void;
}

/** An unfinished call. */
interface Run {
  model: string | null;
  hasBegun: boolean;
  reading: CallReading | null;
}

const MAX_RUNS = 1_000;

/**
 * Creates a callback handler that captures the usage of each chat model call of LangChain.js (`@langchain/core`,
 * versions 0.3 and 1), also of calls in chains and LangGraph agents. Answers from LangChain's cache do not count, and
 * neither do streams that the program leaves before their end. Reporting never throws.
 * @throws RangeError for an invalid window or thresholds.
 */
export function createLangChainHandler(options: SdkOptions = {}): LangChainHandler {
  const reporter = new CallReporter({ ...options, scope: undefined });
  const runs = new Map<string, Run>();
  const end = (runId: string) => {
    const run = runs.get(runId);
    runs.delete(runId);
    return run;
  };
  return {
    name: 'barograph',
    awaitHandlers: true,
    snapshot: reporter.snapshot,
    handleChatModelStart(...[, , runId, , extra, , metadata]) {
      const model =
        asNonEmptyText(readPath(metadata, 'ls_model_name')) ??
        asNonEmptyText(readPath(extra, 'invocation_params.model'));
      runs.set(String(runId), { model, hasBegun: false, reading: null });
      // LangChain does not report the end of a stream that the program left, so the oldest run is removed.
      const [oldest] = runs.keys();
      if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
    },
    handleLLMNewToken(...[, , runId, , , fields]) {
      const run = runs.get(String(runId));
      if (run === undefined) return;
      run.hasBegun = true;
      const usage = readPath(fields, 'chunk.message.usage_metadata');
      run.reading =
        reporter.attempt('a chunk could not be read', () => readUsageMetadata(usage)) ?? run.reading;
    },
    handleLLMEnd(output, runId, ...[, , extra]) {
      const model = end(runId)?.model ?? null;
      if (readPath(extra, 'cached') === true) return;
      for (const list of asList(readPath(output, 'generations'))) {
        const message = readPath(asList(list)[0], 'message');
        reporter.finish(readMessage(message, model), options.scope);
      }
    },
    handleLLMError(_, runId) {
      const run = end(runId);
      if (run?.hasBegun === true)
        reporter.finish({ id: null, model: run.model, read: () => run.reading }, options.scope);
    },
  };
}

function readMessage(message: unknown, requested: string | null) {
  const metadata = readPath(message, 'response_metadata');
  const named =
    asNonEmptyText(readPath(metadata, 'model_name')) ?? asNonEmptyText(readPath(metadata, 'model'));
  const id = asNonEmptyText(readPath(message, 'id'));
  return {
    id,
    model: named ?? requested,
    read: () => readUsageMetadata(readPath(message, 'usage_metadata')),
  };
}

function readUsageMetadata(value: unknown): CallReading | null {
  const usage = asFields(value);
  return usage && readCallUsage(usage, 'langchain');
}
