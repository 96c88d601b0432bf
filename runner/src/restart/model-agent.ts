/**
 * An agent that keeps its conversation itself: it calls a model, runs the tools of the answer, and calls the model
 * again. Adapters for providers implement `ModelAdapter`; all else is the same for each provider.
 */
import { randomUUID } from 'node:crypto';
import { estimateTokens } from '../../../core/tokens/estimate-tokens';
import { messageOf } from '../guard';
import { countContent, readContent } from '../tracker/message-content';
import { isPromptTooLong } from './prompt-too-long';
import type { Agent, AgentCall, MessageFacts, QueryContext } from './restart-types';
import { retryTransient } from './retry-transient';

/** A tool that an answer of the model asks for. */
export interface ToolCall {
  /** The provider's id of the tool call. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** The parsed input; the text itself if it is not JSON. */
  input: unknown;
}

/** What a tool may use. */
export interface ToolContext {
  /** Aborts when the context ends. */
  signal: AbortSignal;
  /**
   * Runs a sub-agent with a conversation and a chain of its own, and returns its last text. Sub-agents may run in
   * parallel. Their calls are reported at once.
   */
  runAgent(name: string, prompt: string): Promise<string>;
}

/** Options of each agent that keeps its conversation itself. */
export interface ModelAgentOptions {
  /**
   * Runs one tool, and returns its result. An error becomes the result. The tools of one answer run in parallel. Default:
   * each call of a tool gets an error.
   */
  runTool?: ((call: ToolCall, context: ToolContext) => Promise<string>) | undefined;
  /** Wait before the first of four retries of a call, milliseconds; it doubles. Default 1 000. */
  retryMs?: number | undefined;
}

/** Message of an agent that keeps its conversation itself. */
export interface ModelMessage {
  /** `call`: an answer of the model. `tool_result`: a result that the next call contains. */
  type: 'call' | 'tool_result';
  /** Id of the conversation. */
  sessionId: string;
  /** The text of the answer or of the result. */
  text: string;
  /** Tools that the answer asks for; for a result, the tool that it belongs to. */
  toolCalls: readonly ToolCall[];
  /** The provider's reason why the call stopped. Null for a result. */
  stopReason: string | null;
  /** Usage of the call, as the provider states it. Absent for a result. */
  usage?: unknown;
  /** What the loop reads. */
  facts: MessageFacts;
}

/** One answer of a model. */
interface ModelAnswer<Item> extends Pick<AgentCall, 'usage' | 'call' | 'model'> {
  /** What the answer adds to the conversation. */
  items: readonly Item[];
  /** Results of tools that the SDK ran itself. */
  results?: readonly Item[] | undefined;
  text: string;
  toolCalls: readonly ToolCall[];
  stopReason: string | null;
  /** Calls that the SDK made before the one that `usage` belongs to. */
  calls?: readonly AgentCall[] | undefined;
  /** True: a further call follows, even without tools of this agent. */
  goesOn?: boolean | undefined;
}

/** What differs between providers. */
export interface ModelAdapter<Item> {
  user(text: string): Item;
  results(results: readonly { call: ToolCall; text: string }[]): readonly Item[];
  call(items: readonly Item[], signal: AbortSignal): PromiseLike<ModelAnswer<Item>>;
}

interface Conversation<Item> {
  /** All items up to the last answer. */
  items: Item[];
  /** Index of the last answer's first item. */
  lastAt: number;
  /** Tool calls of the last answer that have no result yet. */
  open: readonly ToolCall[];
  /** Results for the next call. */
  results: readonly Item[];
  /** Messages of operators for the next call, after the results. */
  said: readonly Item[];
}

/** Stop reasons of an incomplete answer. Its tools do not run, because their inputs may be incomplete. */
const CUT: readonly (string | null)[] = ['max_tokens', 'length', 'refusal', 'content_filter'];
const NOT_RUN = 'Not run, because this session ends.';

/** Makes a model an agent of the restart loop. */
export function createModelAgent<Item>(
  adapter: ModelAdapter<Item>,
  { runTool, retryMs }: ModelAgentOptions,
): Agent<ModelMessage> {
  const sessions = new Map<string, Conversation<Item>>();
  const play = async function* (
    prompt: string,
    sessionId: string,
    { signal, report, openCall }: QueryContext,
    chain?: string,
  ) {
    const conversation = begin(adapter.user(prompt));
    sessions.set(sessionId, conversation);
    const context: ToolContext = { signal, runAgent };
    for (;;) {
      const step = () => callModel(adapter, conversation, signal, (estimate) => openCall(estimate, chain));
      const answer = await retryTransient(step, { retryMs, signal });
      const { toolCalls, text, stopReason, usage, call, calls, model } = answer;
      const goesOn = answer.goesOn ?? toolCalls.length > 0;
      const isTooLong = isPromptTooLong({ stop_reason: stopReason });
      // The results of tools that the SDK ran itself. The next call contains them.
      const addedTokens = countContent(readContent(answer.results ?? []));
      const said = { type: 'call', sessionId, text, toolCalls, stopReason, usage } as const;
      yield { ...said, facts: { sessionId, usage, call, calls, model, goesOn, isTooLong, addedTokens } };
      if (!goesOn) break;
      const results = await Promise.all(toolCalls.map((tool) => runOne(tool, context)));
      signal.throwIfAborted();
      conversation.open = [];
      const added = results.length > 0 ? adapter.results(results) : [];
      conversation.results = [...conversation.results, ...added];
      for (const { call: tool, text: result } of results) {
        const facts = { sessionId, addedTokens: estimateTokens(result) };
        const read = { type: 'tool_result', sessionId, text: result, stopReason: null } as const;
        yield { ...read, toolCalls: [tool], facts };
      }
    }
    sessions.delete(sessionId);

    async function runAgent(name: string, task: string): Promise<string> {
      const own = `${name}-${randomUUID().slice(0, 8)}`;
      let last = '';
      for await (const { type, text, facts } of play(task, own, { signal, report, openCall }, own)) {
        if (type !== 'call') continue;
        const { usage, call, calls = [], model } = facts;
        for (const each of [...calls, { usage, call, model }]) report({ ...each, chain: own });
        last = text;
      }
      return last;
    }
  };
  const runOne = async (call: ToolCall, context: ToolContext) => {
    try {
      if (runTool === undefined) throw new Error(`There is no tool "${call.name}"`);
      return { call, text: await runTool(call, context) };
    } catch (error) {
      return { call, text: `Error: ${messageOf(error)}` };
    }
  };
  return {
    lens: 'snapshot',
    createReader: () => (message) => message.facts,
    start: (prompt, context) => play(prompt, randomUUID(), context),
    answersWhileRunning: true,
    say(sessionId, text) {
      const conversation = sessions.get(sessionId);
      if (conversation === undefined) throw new Error('the conversation has ended');
      conversation.said = [...conversation.said, adapter.user(text)];
    },
    async query(sessionId, prompt, { signal, goesOn, openCall }) {
      const conversation = sessions.get(sessionId);
      if (conversation === undefined) throw new Error(`No conversation ${sessionId} in this process`);
      const { items, lastAt, open, results } = conversation;
      const notRun = open.length > 0 ? adapter.results(open.map((call) => ({ call, text: NOT_RUN }))) : [];
      const ask = (history: readonly Item[]) =>
        makeCall(adapter, [...history, adapter.user(prompt)], signal, openCall);
      const {
        text,
        usage,
        call,
        calls = [],
        model,
      } = await ask([...items, ...results, ...notRun]).then(undefined, (error: unknown) => {
        if (!isPromptTooLong(error)) throw error;
        // The tool results may be too long. An answer with tool calls needs its results, so leave out both.
        return ask(items.slice(0, lastAt));
      });
      if (goesOn !== true) sessions.delete(sessionId);
      return { text, calls: [...calls, { usage, call, model }] };
    },
  };
}

function begin<Item>(first: Item): Conversation<Item> {
  return { items: [first], lastAt: 1, open: [], results: [], said: [] };
}

async function callModel<Item>(
  adapter: ModelAdapter<Item>,
  conversation: Conversation<Item>,
  signal: AbortSignal,
  openCall: QueryContext['openCall'],
): Promise<ModelAnswer<Item>> {
  const { said } = conversation;
  const items = [...conversation.items, ...conversation.results, ...said];
  // A signal for each call, because `fetch` leaves listeners at the signal.
  const answer = await makeCall(adapter, items, AbortSignal.any([signal]), openCall);
  const toolCalls = CUT.includes(answer.stopReason) ? [] : answer.toolCalls;
  conversation.lastAt = items.length;
  conversation.items = [...items, ...answer.items];
  conversation.open = answer.toolCalls;
  conversation.results = answer.results ?? [];
  // A retry repeats the messages, and later messages wait for the next call.
  conversation.said = conversation.said.slice(said.length);
  return { ...answer, toolCalls };
}

/** The call stays open if it is cancelled, because the provider may bill it. */
async function makeCall<Item>(
  adapter: ModelAdapter<Item>,
  items: readonly Item[],
  signal: AbortSignal,
  openCall: QueryContext['openCall'],
): Promise<ModelAnswer<Item>> {
  const close = openCall(() => countContent(readContent(items)));
  try {
    const answer = await adapter.call(items, signal);
    close();
    return answer;
  } catch (error) {
    if (!signal.aborted) close();
    throw error;
  }
}
