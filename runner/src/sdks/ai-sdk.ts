import { asFields, asNonEmptyText } from '../../../core/agents/fields';
import { CallReporter } from '../openai/call-reporter';
import type { ContextSnapshot } from '../openai/context-snapshot';
import { readMessageUsage } from '../openai/read-message-usage';
import { type CallReading, readCallUsage } from '../openai/read-usage';
import { readPath } from '../usage/read-field';
import { flattenAiSdk } from '../usage/read-usage';
import type { SdkOptions } from './sdk-options';

/** A middleware for `wrapLanguageModel`, of the model specifications 2, 3 and 4. */
export interface AiSdkMiddleware {
  /** The type `never` fits the types of all versions. No version reads the value. */
  readonly specificationVersion: never;
  /** How full the context is after the last main call. */
  readonly snapshot: ContextSnapshot;
  /** Reports a call that is not streamed. */
  wrapGenerate<Result>(options: { doGenerate(): PromiseLike<Result> }): Promise<Result>;
  /** Reports a streamed call when its stream ends, fails or is cancelled. */
  wrapStream<Result extends { stream: ReadableStream }>(options: {
    doStream(): PromiseLike<Result>;
  }): Promise<Result>;
}

/**
 * Creates a middleware that captures the usage of each call of the AI SDK (`ai`, versions 5 to 7). Attempts that failed
 * do not count. Requests, answers and errors pass unchanged, and reporting never throws.
 * @throws RangeError for an invalid window or thresholds.
 */
export function createAiSdkMiddleware(options: SdkOptions = {}): AiSdkMiddleware {
  const reporter = new CallReporter({ ...options, scope: undefined });
  const count = (metadata: unknown, answer: unknown, requested: unknown) => {
    const id = asNonEmptyText(readPath(metadata, 'id'));
    const model = asNonEmptyText(readPath(metadata, 'modelId')) ?? asNonEmptyText(requested);
    reporter.finish({ id, model, read: () => readAnswer(answer) }, options.scope);
  };
  return {
    specificationVersion: 'v4' as never,
    snapshot: reporter.snapshot,
    async wrapGenerate(call) {
      const result = await call.doGenerate();
      count(readPath(result, 'response'), result, readPath(call, 'model.modelId'));
      return result;
    },
    async wrapStream(call) {
      const result = await call.doStream();
      const watch = watchParts((metadata, finish) =>
        count(metadata, finish, readPath(call, 'model.modelId')),
      );
      return { ...result, stream: watchStream(result.stream, watch) };
    },
  };
}

/** Anthropic's raw usage is exact. In version 5, the input of Anthropic's provider excludes the cached tokens. */
function readAnswer(answer: unknown): CallReading | null {
  const raw = asFields(readPath(answer, 'providerMetadata.anthropic.usage'));
  if (raw !== null) return readMessageUsage(raw);
  const usage = asFields(readPath(answer, 'usage'));
  if (usage === null) return null;
  return readCallUsage(asFields(flattenAiSdk(usage)) ?? {}, 'ai-sdk');
}

interface PartsWatch {
  see(part: unknown): void;
  end(): void;
}

/** Types of parts that a stream may contain before the provider answers. */
const EMPTY_PARTS: ReadonlySet<unknown> = new Set(['stream-start', 'error', 'raw', 'ping']);

function watchParts(count: (metadata: unknown, finish: unknown) => void): PartsWatch {
  let metadata: unknown = null;
  let finish: unknown = null;
  let isDue = false;
  const end = () => {
    if (isDue) count(metadata, finish);
    isDue = false;
  };
  const see = (part: unknown) => {
    const type = readPath(part, 'type');
    if (type === 'response-metadata') metadata = part;
    if (type === 'finish') finish = part;
    isDue ||= !EMPTY_PARTS.has(type);
  };
  return { see, end };
}

/** A stream of the same parts, which reads nothing ahead. */
function watchStream(stream: ReadableStream, watch: PartsWatch): ReadableStream {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            watch.see(value);
            controller.enqueue(value);
            return;
          }
          watch.end();
          controller.close();
        } catch (error) {
          watch.end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        watch.end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
