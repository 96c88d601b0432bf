import { runInNewContext } from 'node:vm';
import { fromJsonString, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ExportLogsServiceRequestSchema } from './proto/opentelemetry/proto/collector/logs/v1/logs_service_pb';
import { SIGNALS } from './signals';

type Values = Record<string, string | number>;

const NOW = 1_795_293_300_000;

const attributes = (values: Values) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: value },
  }));

function read(path: string, service: string, records: object) {
  const resource = { attributes: attributes({ 'service.name': service }) };
  const name = path === '/v1/logs' ? 'Logs' : 'Spans';
  const body = { [`resource${name}`]: [{ resource, [`scope${name}`]: [records] }] };
  const signal = SIGNALS[path];
  if (!signal) throw new Error(`no signal ${path}`);
  return signal.read(Buffer.from(JSON.stringify(body)), { encoding: 'application/json', now: NOW });
}

const readEvent = (service: string, values: Values, at = 1_795_293_211_529) => {
  const record = { observedTimeUnixNano: `${at}000000`, attributes: attributes(values) };
  return read('/v1/logs', service, { logRecords: [record] });
};
const readSpan = (values: Values, service = 'crew') => {
  const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const span = { ...ids, endTimeUnixNano: '1795293211529999999', attributes: attributes(values) };
  return read('/v1/traces', service, { spans: [span] });
};
const chat = (values: Values) =>
  readSpan({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': 10, ...values }).found[0]?.report;

test('finds no call in an event of Claude Code with only zeros', () => {
  const event = { 'event.name': 'claude_code.api_request', 'session.id': 's', input_tokens: 0 };
  expect(readEvent('claude-code', { ...event, output_tokens: 0 }).found).toEqual([]);
  expect(readEvent('claude-code', { ...event, output_tokens: 1 }).found).toHaveLength(1);
});

test('reads the name of a model without invisible characters', () => {
  expect(chat({ 'gen_ai.conversation.id': 'c', 'gen_ai.request.model': 'gpt\u202e-5' })?.facts).toMatchObject(
    {
      model: 'gpt-5',
    },
  );
});

test('subtracts the cached tokens from Codex’s input', () => {
  const [found] = readEvent('codex_cli_rs', {
    'event.name': 'codex.sse_event',
    'event.kind': 'response.completed',
    'conversation.id': 'thread-1',
    model: 'gpt-5-codex',
    input_token_count: '12000',
    cached_token_count: '9000',
    output_token_count: 500,
    reasoning_token_count: 300,
  }).found;
  expect(found?.report).toMatchObject({
    client: 'codex',
    session: 'thread-1',
    at: 1795293211529,
    facts: {
      usage: { input: 3000, output: 500, cacheRead: 9000 },
      contextTokens: 12_500,
      model: 'gpt-5-codex',
    },
  });
});

test('limits the cached tokens to the input if a client counts them in it', () => {
  const [found] = readEvent('codex_cli_rs', {
    'event.name': 'codex.sse_event',
    'event.kind': 'response.completed',
    'conversation.id': 'thread-1',
    input_token_count: 1000,
    cached_token_count: 1800,
    output_token_count: 50,
  }).found;
  expect(found?.report.facts).toMatchObject({ usage: { input: 0, cacheRead: 1000 }, contextTokens: 1050 });
});

test('adds the thoughts of Gemini CLI to the output and its tools to the input, and reports its compressions', () => {
  const [call] = readEvent('gemini-cli', {
    'event.name': 'gemini_cli.api_response',
    'session.id': 's-1',
    input_token_count: 8000,
    cached_content_token_count: 6000,
    output_token_count: 100,
    thoughts_token_count: 400,
    tool_token_count: 70,
    total_token_count: 8570,
    role: 'main',
  }).found;
  expect(call?.report.facts).toMatchObject({
    usage: { input: 2070, output: 500, cacheRead: 6000 },
    contextTokens: 8570,
  });
  const [compression] = readEvent('gemini-cli', {
    'event.name': 'gemini_cli.chat_compression',
    'session.id': 's-1',
    tokens_before: 90_000,
    tokens_after: 9000,
  }).found;
  expect(compression?.report.facts).toMatchObject({
    type: 'compaction',
    state: 'confirmed',
    preTokens: 90_000,
    postTokens: 9000,
  });
  expect(compression?.report.facts).not.toHaveProperty('trigger');
});

test.each([
  ['subagent', '0ef7f75f-d2a4-4504-b12a-6792cb9cdb35#3', { chain: '0ef7f75f-d2a4-4504-b12a-6792cb9cdb35' }],
  ['subagent', 's-1########3', { chain: 'subagent' }],
  ['utility_next_speaker', 's-1########3', { scope: 'side' }],
])('keeps a call of Gemini CLI with the role %s out of the main context', (role, prompt_id, facts) => {
  const [found] = readEvent('gemini-cli', {
    'event.name': 'gemini_cli.api_response',
    'session.id': 's-1',
    input_token_count: 8000,
    prompt_id,
    role,
  }).found;
  expect(found?.report.facts).toMatchObject(facts);
});

test('reads a failed compaction of Claude Code as failed, with its reason', () => {
  const [found] = readEvent('claude-code', {
    'event.name': 'claude_code.compaction',
    'session.id': 's-1',
    success: 'false',
    trigger: 'manual',
    pre_tokens: '5000',
    error: 'aborted',
  }).found;
  expect(found?.report.facts).toMatchObject({
    state: 'failed',
    trigger: 'manual',
    reason: 'aborted',
    preTokens: 5000,
  });
});

test.each([
  ['takes cached tokens out of the input, which includes them', 1000, 600, 200, 200],
  ['leaves an input unchanged that is smaller than its cached part', 50, 600, 200, 50],
])('%s', (_, given, cacheRead, cacheCreation, input) => {
  const report = chat({
    'gen_ai.usage.input_tokens': given,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheCreation,
  });
  expect(report?.facts).toMatchObject({
    usage: { input, cacheRead, cacheCreation },
    contextTokens: input + cacheRead + cacheCreation + 10,
  });
});

test('identifies a call by response and span, and a session by conversation or trace', () => {
  const span = 'span:0af7651916cd43dd8448eb211c80319c/b7ad6b7169203331';
  expect(chat({ 'gen_ai.response.id': 'resp_1', 'gen_ai.conversation.id': 'c-1' })).toMatchObject({
    session: 'c-1',
    facts: { call: ['resp_1', span] },
  });
  expect(chat({})).toMatchObject({ session: '0af7651916cd43dd8448eb211c80319c', facts: { call: [span] } });
});

const counts = { input: 300, output: 50, cacheRead: 9000, cacheCreation: 700 };

/** Attributes that real instrumentations send, without the content. */
test.each([
  [
    'Pydantic AI',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.system': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.model': 'claude-sonnet-4-5-20250929',
      'gen_ai.conversation.id': 'c-1',
      'gen_ai.agent.name': 'support_agent',
      'gen_ai.agent.call.id': '0199f7f4',
      'gen_ai.usage.input_tokens': 10_000,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.details.cache_creation_input_tokens': 700,
      'gen_ai.usage.details.cache_read_input_tokens': 9000,
      'gen_ai.usage.details.input_tokens': 300,
    },
    { session: 'c-1', agent: 'support_agent', model: 'claude-sonnet-4-5-20250929' },
  ],
  [
    'Strands on Bedrock, which leaves the cached tokens out of the input',
    {
      'gen_ai.event.start_time': '2026-11-21T20:33:31.256Z',
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'strands-agents',
      'session.id': 's-1',
      'gen_ai.request.model': 'us.anthropic.claude-sonnet-4-20250514-v1:0',
      'gen_ai.usage.prompt_tokens': 300,
      'gen_ai.usage.input_tokens': 300,
      'gen_ai.usage.completion_tokens': 50,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.total_tokens': 10_050,
      'gen_ai.usage.cache_read_input_tokens': 9000,
      'gen_ai.usage.cache_write_input_tokens': 700,
      'gen_ai.server.time_to_first_token': 700,
    },
    { session: 's-1', agent: undefined, model: 'us.anthropic.claude-sonnet-4-20250514-v1:0' },
  ],
  [
    'LangGraph by OpenLLMetry',
    {
      'traceloop.workflow.name': 'LangGraph',
      'traceloop.association.properties.thread_id': 't-1',
      'traceloop.association.properties.langgraph_node': 'agent',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.usage.input_tokens': 10_000,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.total_tokens': 10_050,
      'gen_ai.usage.cache_read.input_tokens': 9000,
      'gen_ai.usage.cache_creation.input_tokens': 700,
    },
    { session: 't-1', agent: undefined, model: 'claude-sonnet-4-5' },
  ],
  [
    'CrewAI by an older OpenLLMetry, with a property that the program sets',
    {
      'gen_ai.system': 'Anthropic',
      'llm.request.type': 'completion',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.model': 'claude-sonnet-4-5-20250929',
      'gen_ai.response.id': 'msg_1',
      'traceloop.association.properties.session_id': 'crew-1',
      'gen_ai.usage.prompt_tokens': 10_000,
      'gen_ai.usage.completion_tokens': 50,
      'llm.usage.total_tokens': 10_050,
      'gen_ai.usage.cache_read_input_tokens': 9000,
      'gen_ai.usage.cache_creation_input_tokens': 700,
    },
    { session: 'crew-1', agent: undefined, model: 'claude-sonnet-4-5-20250929' },
  ],
  [
    'Spring AI, which sends counts as texts and no conversation',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.model': 'claude-sonnet-4-5-20250929',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.response.finish_reasons': '["end_turn"]',
      'gen_ai.usage.input_tokens': '10000',
      'gen_ai.usage.output_tokens': '50',
      'gen_ai.usage.total_tokens': '10050',
      'gen_ai.usage.cache_read.input_tokens': '9000',
      'gen_ai.usage.cache_creation.input_tokens': '700',
    },
    { session: '0af7651916cd43dd8448eb211c80319c', agent: undefined, model: 'claude-sonnet-4-5-20250929' },
  ],
  [
    'LangGraph by OpenInference',
    {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'claude-sonnet-4-5-20250929',
      'llm.provider': 'anthropic',
      'session.id': 't-1',
      metadata: '{"thread_id": "t-1", "langgraph_node": "agent"}',
      'input.value': '{"messages": [["Look at the harbour."]]}',
      'llm.input_messages.0.message.role': 'user',
      'llm.token_count.prompt': 10_000,
      'llm.token_count.completion': 50,
      'llm.token_count.total': 10_050,
      'llm.token_count.prompt_details.cache_read': 9000,
      'llm.token_count.prompt_details.cache_write': 700,
    },
    { session: 't-1', agent: undefined, model: 'claude-sonnet-4-5-20250929' },
  ],
  [
    'CrewAI by OpenInference for LiteLLM, with a prompt without the cached tokens and an agent set by the program',
    {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'anthropic/claude-sonnet-4-5',
      'session.id': 'crew-1',
      'agent.name': 'Researcher',
      'llm.token_count.prompt': 300,
      'llm.token_count.completion': 50,
      'llm.token_count.prompt_details.cache_read': 9000,
      'llm.token_count.prompt_details.cache_write': 700,
    },
    { session: 'crew-1', agent: 'Researcher', model: 'anthropic/claude-sonnet-4-5' },
  ],
])('reads a call of %s', (_, values, { session, agent, model }) => {
  const [call] = readSpan(values as Values).found;
  expect(call?.report).toMatchObject({ client: null, session, facts: { usage: counts, model } });
  expect([call?.report.agent, call?.report.facts]).toMatchObject([agent, { contextTokens: 10_050 }]);
});

test('reads a call of AutoGen by the instrumentation of OpenAI, which reports no cached tokens', () => {
  const [call] = readSpan({
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.response.model': 'gpt-5-2025-08-07',
    'gen_ai.response.id': 'chatcmpl-1',
    'server.address': 'api.openai.com',
    'gen_ai.usage.input_tokens': 9000,
    'gen_ai.usage.output_tokens': 50,
  }).found;
  expect(call?.report.facts).toMatchObject({
    usage: { input: 9000, output: 50, cacheRead: undefined },
    contextTokens: 9050,
    model: 'gpt-5-2025-08-07',
  });
});

test('reads a call of AutoGen by OpenInference, which states neither a session nor a response id', () => {
  const [call] = readSpan({
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'gpt-4o-2024-08-06',
    'llm.input_messages.0.message.content': 'What is the capital of France?',
    'llm.token_count.prompt': 15,
    'llm.token_count.completion': 7,
    'llm.token_count.total': 22,
  }).found;
  expect(call?.report).toMatchObject({
    session: '0af7651916cd43dd8448eb211c80319c',
    facts: {
      call: ['span:0af7651916cd43dd8448eb211c80319c/b7ad6b7169203331'],
      usage: { input: 15, output: 7, cacheRead: undefined },
      contextTokens: 22,
    },
  });
});

test.each(['AGENT', 'CHAIN', 'TOOL', 'EMBEDDING', 'GUARDRAIL'])(
  'ignores the span of OpenInference with the kind %s, also with the sum of its calls',
  (kind) => {
    const values = { 'openinference.span.kind': kind, 'llm.token_count.prompt': 5 };
    expect(readSpan(values)).toMatchObject({ found: [], leftOut: [], rejected: [] });
  },
);

test('subtracts the cached tokens from a larger input, unless the total shows that the input excludes them', () => {
  const inputOf = (total: number) =>
    chat({
      'gen_ai.usage.input_tokens': 2000,
      'gen_ai.usage.cache_read.input_tokens': 600,
      'gen_ai.usage.total_tokens': total,
    })?.facts;
  expect(inputOf(2010)).toMatchObject({ usage: { input: 1400 } });
  expect(inputOf(2610)).toMatchObject({ usage: { input: 2000 } });
});

test('reads the real attributes of a call of Codex', () => {
  const [found] = readEvent('codex_exec', {
    'event.name': 'codex.sse_event',
    'event.kind': 'response.completed',
    input_token_count: '130002',
    output_token_count: '20',
    cached_token_count: '90000',
    cache_write_token_count: '40000',
    reasoning_token_count: '5',
    tool_token_count: '130022',
    'conversation.id': 'thread-1',
    'app.version': '0.169.0',
    originator: 'codex_exec',
    model: 'gpt-5.2-codex',
  }).found;
  expect(found?.report.facts).toMatchObject({
    usage: { input: 2, output: 20, cacheRead: 90_000, cacheCreation: 40_000 },
    contextTokens: 130_022,
  });
});

test('reads the calls of an agent with a name that begins like a client’s', () => {
  const values = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 5 };
  expect(readSpan(values, 'codex-helper').found).toHaveLength(1);
});

test.each([
  ['an agent with the sum of its calls', 'invoke_agent', 'crew'],
  ['an agent that AutoGen creates', 'create_agent', 'crew'],
  ['a ChatClient of Spring AI, around the calls of its model', 'framework', 'crew'],
  ['a tool', 'execute_tool', 'crew'],
  ['an embedding', 'embeddings', 'crew'],
  ['a client that reports its calls by events', 'chat', 'gemini-cli'],
  ['another program of such a client', 'chat', 'codex_cli_rs'],
])('ignores the span of %s', (_, operation, service) => {
  const values = { 'gen_ai.operation.name': operation, 'gen_ai.usage.input_tokens': 5 };
  expect(readSpan(values, service)).toMatchObject({ found: [], leftOut: [] });
});

const AI_SDK_CALL = {
  'operation.name': 'ai.streamText.doStream',
  'ai.operationId': 'ai.streamText.doStream',
  'gen_ai.system': 'openai.responses',
  'gen_ai.request.model': 'gpt-5',
  'gen_ai.response.model': 'gpt-5-2025-08-07',
  'gen_ai.response.id': 'resp_1',
  'gen_ai.usage.input_tokens': 8400,
  'gen_ai.usage.output_tokens': 310,
  'ai.usage.cachedInputTokens': 7100,
  'session.id': 'berth',
};

test('reads a call of the AI SDK by its own operation, and ignores the outer span with the sum', () => {
  const [call] = readSpan(AI_SDK_CALL).found;
  expect(call?.report).toMatchObject({
    session: 'berth',
    facts: { usage: { input: 1300, output: 310, cacheRead: 7100 }, contextTokens: 8710 },
  });
  const outer = { 'ai.operationId': 'ai.streamText', 'ai.usage.promptTokens': 8400, 'session.id': 'berth' };
  expect(readSpan(outer)).toMatchObject({ found: [], leftOut: [] });
});

test.each([
  ['no gen_ai.operation.name', { 'gen_ai.usage.input_tokens': 5 }],
  [
    'unknown operation "responses"',
    { 'gen_ai.operation.name': 'responses', 'gen_ai.usage.output_tokens': 5 },
  ],
])('leaves out a span with token counts and names the reason: %s', (reason, values) => {
  expect(readSpan(values)).toMatchObject({ found: [], rejected: [], leftOut: [{ reason }] });
});

test('the name of a service is not checked in exponential time', () => {
  const name = `codex${'_cli'.repeat(60)}!`;
  const work = () => readSpan({ 'gen_ai.operation.name': 'chat' }, name).rejected.length;
  // A test's own time limit cannot end work that never pauses.
  expect(runInNewContext('work()', { work }, { timeout: 60_000 })).toBe(0);
});

test.each(['constructor', '__proto__', 'toString'])(
  'an event named %s is not an event of a client',
  (name) => {
    expect(readEvent('any', { 'event.name': name })).toMatchObject({ found: [], rejected: [] });
  },
);

test('a call without its input does not state the size of the context', () => {
  const report = chat({ 'gen_ai.usage.output_tokens': 120 });
  expect(report?.facts).toMatchObject({ type: 'turn', usage: { output: 120 } });
  expect(report?.facts).not.toHaveProperty('contextTokens');
});

const emptyRecords = (count: number) => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: count }, () => ({})) }] }],
});
const oneRecord = (count: number) => ({
  resourceLogs: [
    { scopeLogs: [{ logRecords: [{ attributes: Array.from({ length: count }, () => ({ key: '{{"' })) }] }] },
  ],
});

test.each([
  ['more than 10000 records', emptyRecords(10_001)],
  ['more than 200000 attributes', oneRecord(200_001)],
])('refuses a body with %s, and names the limit', (limit, body) => {
  const json = JSON.stringify(body);
  const binary = toBinary(
    ExportLogsServiceRequestSchema,
    fromJsonString(ExportLogsServiceRequestSchema, json),
  );
  for (const [bytes, encoding] of [
    [Buffer.from(json), 'application/json'],
    [Buffer.from(binary), 'application/x-protobuf'],
  ] as const) {
    const [, count = ''] = /(\d+)/.exec(limit) ?? [];
    expect(() => SIGNALS['/v1/logs']?.read(bytes, { encoding, now: NOW })).toThrow(`at most ${count} `);
  }
});

test('reads a body with as many records as a collector sends', () => {
  const records = Array.from({ length: 9_000 }, () => ({ attributes: attributes({ a: 1, b: '{"', c: 3 }) }));
  expect(read('/v1/logs', 'any', { logRecords: records })).toMatchObject({ found: [], rejected: [] });
});

test('rejects a record that is dated more than a day after the time of the server', () => {
  const values = { 'event.name': 'gemini_cli.api_response', 'session.id': 's-1', input_token_count: 1 };
  const day = 24 * 3_600_000;
  expect(readEvent('gemini-cli', values, NOW + day).found).toHaveLength(1);
  expect(readEvent('gemini-cli', values, NOW + day + 1)).toMatchObject({
    found: [],
    rejected: [
      'resourceLogs[0].scopeLogs[0].logRecords[0]: timeUnixNano is more than a day after the time of the server',
    ],
  });
});
