/** Model calls in the semantic conventions for generative AI, or in those of OpenInference, on spans and on events. */
import { cutText } from '../../core/agents/fields';
import type { SpanPlace, TracedSpan } from './agent-spans';
import { type Attributes, textOf, UnusableField } from './attributes';
import { type Report, turnFrom } from './report';

export const GENAI_EVENT = 'gen_ai.client.inference.operation.details';
/** Operations that are one model call. The span of an agent or a workflow repeats the sums of its calls. */
const CALLS = new Set(['chat', 'text_completion', 'generate_content', 'completion', 'LLM']);
/** The AI SDK states its own operation. Its outer spans repeat the sums of these calls. */
const AI_SDK_OPERATION = 'ai.operationId';
const AI_SDK_CALLS = new Set([
  'ai.generateText.doGenerate',
  'ai.streamText.doStream',
  'ai.generateObject.doGenerate',
  'ai.streamObject.doStream',
]);
/** LiveKit Agents states no operation. */
const LIVEKIT_CALL = 'llm_request';
/** Operations that are no model call, or the sum of several. */
const OTHERS = new Set([
  ...['invoke_agent', 'create_agent', 'invoke_workflow', 'execute_tool', 'embeddings', 'retrieval', 'rerank'],
  // Spring AI, then OpenLLMetry, then OpenInference
  ...['framework', 'embedding', 'workflow', 'task', 'agent', 'tool'],
  ...['AGENT', 'CHAIN', 'TOOL', 'EMBEDDING', 'RETRIEVER', 'RERANKER', 'GUARDRAIL', 'EVALUATOR', 'PROMPT'],
]);
const MAX_NAME = 60;
const AGENT_SPAN = 'invoke_agent';
/** The names of the conventions, of older versions of OpenLLMetry, and of OpenInference. */
const OPERATION = ['gen_ai.operation.name', 'llm.request.type', 'openinference.span.kind'];
/** OpenLLMetry reports the properties that the program sets, and LangGraph's id of a conversation, with each call. */
const SESSION = [
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.thread_id',
];
const AGENT = ['gen_ai.agent.name', 'gen_ai.agent.id', 'agent.name'];
const MODEL = ['gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name'];
/** Attribute names of the conventions, then those of OpenLLMetry, Strands, Pydantic AI, OpenInference and the AI SDK. */
const COUNTS = {
  input: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
  ],
  output: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  cacheRead: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.details.cache_read_tokens',
    'gen_ai.usage.details.cache_read_input_tokens',
    'gen_ai.usage.details.cached_tokens',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.cachedInputTokens',
  ],
  cacheCreation: [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.cache_write_input_tokens',
    'gen_ai.usage.details.cache_write_tokens',
    'gen_ai.usage.details.cache_creation_input_tokens',
    'llm.token_count.prompt_details.cache_write',
    'ai.usage.inputTokenDetails.cacheWriteTokens',
  ],
  total: [
    'gen_ai.usage.total_tokens',
    'llm.usage.total_tokens',
    'llm.token_count.total',
    'ai.usage.totalTokens',
  ],
  isInclusive: 'mostly' as const,
};

/** What the span of an agent names for the calls below it; null for another span. */
export function readAgentSpan(attributes: Attributes): TracedSpan['agent'] {
  if (textOf(attributes, ...OPERATION) !== AGENT_SPAN) return null;
  return { name: textOf(attributes, ...AGENT), conversation: textOf(attributes, ...SESSION) };
}

/**
 * Whether a record is a call, by its operation or, without an operation, by what its library writes.
 * @param name of the span; empty for an event
 */
export function readCallKind(attributes: Attributes, name: string): 'stated' | 'implied' | null {
  const operation = textOf(attributes, ...OPERATION);
  if (operation !== undefined) return CALLS.has(operation) ? 'stated' : null;
  const own = textOf(attributes, AI_SDK_OPERATION);
  return (own === undefined ? name === LIVEKIT_CALL : AI_SDK_CALLS.has(own)) ? 'implied' : null;
}

/** Why a record that is no call is left out although it has token counts; null if it has none or repeats other records. */
export function findLeftOut(attributes: Attributes): string | null {
  const operation = textOf(attributes, ...OPERATION);
  const isKnown = operation === undefined ? attributes.has(AI_SDK_OPERATION) : OTHERS.has(operation);
  const hasCounts = textOf(attributes, ...COUNTS.input, ...COUNTS.output, ...COUNTS.total) !== undefined;
  if (isKnown || !hasCounts) return null;
  if (operation === undefined) return 'no gen_ai.operation.name';
  return `unknown operation ${JSON.stringify(cutText(operation, MAX_NAME))}`;
}

/**
 * Read a record that is a call; null if it has no counts.
 * @param place the ids may be empty. Span and event of one call have the same span id
 * @throws UnusableField
 */
export function readGenAiCall(attributes: Attributes, place: SpanPlace): Omit<Report, 'at'> | null {
  const response = textOf(attributes, 'gen_ai.response.id');
  const span = place.span === '' ? undefined : `span:${place.trace}/${place.span}`;
  const call = [response, span].filter((id) => id !== undefined);
  const facts = turnFrom(attributes, COUNTS, {
    call: call.length > 0 ? call : undefined,
    model: textOf(attributes, ...MODEL),
  });
  if (facts === null) return null;
  const session = textOf(attributes, ...SESSION) ?? place.trace;
  if (session === '')
    throw new UnusableField('attributes.gen_ai.conversation.id', 'is missing, and so is the trace id');
  return { client: null, session, agent: textOf(attributes, ...AGENT), facts };
}
