import { asFields, asList, asNonEmptyText } from '../../../core/agents/fields';
import { guard, guardLogger } from '../guard';
import { CallReporter } from '../openai/call-reporter';
import { ContextSnapshot } from '../openai/context-snapshot';
import type { SnapshotSession } from '../openai/openai-types';
import { readChatUsage, readResponsesUsage, type UsageReading } from '../openai/read-usage';
import { readPath } from '../usage/read-field';
import type { SdkOptions } from './sdk-options';

/** Options of `createAgentsProcessor`; each has a default. */
export interface AgentsOptions extends Omit<SdkOptions, 'session' | 'chain' | 'scope'> {
  /**
   * Receives the turns: one session for all runs, or a function that returns a session for each conversation. Its argument
   * is the `groupId` of the run, else the id of its trace. Default: only the snapshot is kept.
   */
  session?: SnapshotSession | ((conversation: string) => SnapshotSession) | undefined;
}

/** A tracing processor of the OpenAI Agents SDK. */
export interface AgentsProcessor {
  /** How full the context is after the last call of a main agent. */
  readonly snapshot: ContextSnapshot;
  /** Stores the conversation of a run. */
  onTraceStart(trace: unknown): Promise<void>;
  /** Removes the conversation of a finished run. */
  onTraceEnd(trace: unknown): Promise<void>;
  /** Stores a span, so that its calls find their agent. */
  onSpanStart(span: unknown): Promise<void>;
  /** Reports the call of a span, if the span has one. */
  onSpanEnd(span: unknown): Promise<void>;
  /** Does nothing, because the session delivers its turns itself. */
  shutdown(timeout?: number): Promise<void>;
  /** Does nothing, because the session delivers its turns itself. */
  forceFlush(): Promise<void>;
}

const MAX_CONVERSATIONS = 1_000;

/**
 * Creates a tracing processor that captures the usage of each call of the OpenAI Agents SDK (`@openai/agents`, versions
 * 0.1 to 0.20). An agent that another agent uses as a tool has its own chain; a handoff stays in the chain. If tracing is
 * disabled (`tracingDisabled`, or `NODE_ENV` is `test`), nothing is reported. Calls in traces without sensitive data, and
 * streamed Chat Completions of old versions, have no usage. Reporting never throws.
 * @throws RangeError for an invalid window or thresholds.
 */
export function createAgentsProcessor(options: AgentsOptions = {}): AgentsProcessor {
  const snapshot = options.snapshot ?? new ContextSnapshot(options);
  const conversations = new Map<string, Map<string, CallReporter>>();
  const groups = new Map<string, string>();
  const spans = new Map<string, unknown>();
  const reporterOf = (conversation: string, chain: string): CallReporter => {
    const chains = conversations.get(conversation) ?? new Map<string, CallReporter>();
    conversations.set(conversation, chains);
    const [oldest] = conversations.keys();
    if (conversations.size > MAX_CONVERSATIONS && oldest !== undefined) conversations.delete(oldest);
    const known = chains.get(chain);
    if (known !== undefined) return known;
    const { session: given } = options;
    const session = typeof given === 'function' ? given(conversation) : given;
    const own = chain === 'main' ? { snapshot } : { chain, snapshot: new ContextSnapshot(options) };
    const reporter = new CallReporter({ ...options, session, ...own });
    chains.set(chain, reporter);
    return reporter;
  };
  const logger = guardLogger(options.logger);
  const guarded = async (action: () => unknown) =>
    guard(action, (error) => logger.warn('a call could not be reported', { error: String(error) }));
  const traceIdOf = (value: unknown) => String(readPath(value, 'traceId'));
  return {
    snapshot,
    onTraceStart: (trace) =>
      guarded(() => {
        groups.set(traceIdOf(trace), asNonEmptyText(readPath(trace, 'groupId')) ?? traceIdOf(trace));
      }),
    onTraceEnd: (trace) => guarded(() => groups.delete(traceIdOf(trace))),
    onSpanStart: (span) => guarded(() => spans.set(String(readPath(span, 'spanId')), span)),
    onSpanEnd: (span) =>
      guarded(() => {
        const call = readCall(span);
        const chain = chainOf(span, spans);
        spans.delete(String(readPath(span, 'spanId')));
        const trace = traceIdOf(span);
        if (call !== null) reporterOf(groups.get(trace) ?? trace, chain).finish(call);
      }),
    shutdown: async () => undefined,
    forceFlush: async () => undefined,
  };
}

/** The chain of a call: `main`, or the name of an agent that another agent called as a tool. */
function chainOf(span: unknown, spans: ReadonlyMap<string, unknown>): string {
  let agent: string | null = null;
  let at = span;
  while (at !== undefined) {
    const type = readPath(at, 'spanData.type');
    if (type === 'agent') agent ??= asNonEmptyText(readPath(at, 'spanData.name'));
    if (type === 'function' && agent !== null) return agent;
    at = spans.get(String(readPath(at, 'parentId')));
  }
  return 'main';
}

/** Read the call of a span; null for other kinds of spans and for a failed call. */
function readCall(span: unknown) {
  const data = asFields(readPath(span, 'spanData'));
  if (data?.type !== 'response' && data?.type !== 'generation') return null;
  const answer = data.type === 'response' ? data._response : asList(data.output)[0];
  const read = () => {
    const own = data.type === 'response' ? readResponsesUsage(answer) : readChatUsage(answer);
    const reading = own ?? readResponsesUsage({ usage: data.usage });
    return isPlaceholder(reading) ? null : reading;
  };
  const hasUsage = (readPath(answer, 'usage') ?? data.usage ?? null) !== null;
  if (!hasUsage && (readPath(span, 'error') ?? null) !== null) return null;
  const id = asNonEmptyText(readPath(answer, 'id')) ?? asNonEmptyText(data.response_id);
  const model = asNonEmptyText(readPath(answer, 'model')) ?? asNonEmptyText(data.model);
  return { id: id === PLACEHOLDER_ID ? null : id, model, read };
}

/** The id that the SDK gives all streamed chat completions. */
const PLACEHOLDER_ID = 'FAKE_ID';

/** The SDK reports counts of 0 for a stream without usage. */
function isPlaceholder(reading: UsageReading | null): boolean {
  return reading !== null && reading.contextTokens === null;
}
