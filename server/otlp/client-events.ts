/** Log events of agent programs, by full name. Other events of these programs report nothing about a context. */
import { NAME as CLAUDE_CODE } from '../../core/agents/claude-code/about';
import { NAME as CODEX } from '../../core/agents/codex/about';
import { type Attributes, countOf, textOf, UnusableField } from './attributes';
import { type Report, turnFrom } from './report';

type Read = (attributes: Attributes) => Report['facts'] | null;

interface ClientEvent {
  client: string;
  /** Attribute with the client's id of the session. */
  session: string;
  read: Read;
}

const CLAUDE_COUNTS = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  cacheRead: ['cache_read_tokens'],
  cacheCreation: ['cache_creation_tokens'],
  isInclusive: false,
};
const CLAUDE_FIELDS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'];
/** The input includes the cached tokens. `tool_token_count` is the total. */
const CODEX_COUNTS = {
  input: ['input_token_count'],
  output: ['output_token_count'],
  cacheRead: ['cached_token_count'],
  cacheCreation: ['cache_write_token_count'],
  isInclusive: true,
};
/** The input includes the cached tokens, but not the tokens of tools. */
const GEMINI_COUNTS = {
  input: ['input_token_count'],
  tools: ['tool_token_count'],
  output: ['output_token_count'],
  reasoning: ['thoughts_token_count'],
  cacheRead: ['cached_content_token_count'],
  cacheCreation: [],
  isInclusive: true,
};

const readClaudeCall: Read = (attributes) => {
  // A command without a call, such as /compact, may be reported with zeros.
  const stated = CLAUDE_FIELDS.flatMap((name) => countOf(attributes, name) ?? []);
  if (stated.length > 0 && stated.every((count) => count === 0)) return null;
  const source = textOf(attributes, 'query_source') ?? 'main';
  const agent = textOf(attributes, 'agent_id', 'agent.name');
  const isMain = /^(main|sdk|repl_main_thread)/.test(source);
  const isAgent = agent !== undefined || /^(agent:|subagent)/.test(source);
  const id = textOf(attributes, 'request_id');
  return turnFrom(attributes, CLAUDE_COUNTS, {
    // The transcript has the compaction's call under another id, so only its counts can match.
    call: id === undefined || source === 'compact' ? undefined : [id],
    model: textOf(attributes, 'model'),
    chain: isAgent ? (agent ?? source) : undefined,
    isSide: !isMain && !isAgent,
  });
};

const readClaudeCompaction: Read = (attributes) => {
  const isDone = textOf(attributes, 'success') !== 'false';
  return {
    type: 'compaction',
    trigger: textOf(attributes, 'trigger') === 'manual' ? 'manual' : 'auto',
    state: isDone ? 'confirmed' : 'failed',
    reason: isDone ? undefined : textOf(attributes, 'error')?.slice(0, 400),
    preTokens: countOf(attributes, 'pre_tokens'),
    postTokens: isDone ? countOf(attributes, 'post_tokens') : undefined,
    durationMs: countOf(attributes, 'duration_ms'),
  };
};

const readCodexCall: Read = (attributes) =>
  textOf(attributes, 'event.kind') === 'response.completed'
    ? turnFrom(attributes, CODEX_COUNTS, { model: textOf(attributes, 'model') })
    : null;

/** The client names a sub-agent's file of calls with the id before the number of the prompt. */
const geminiAgent = (attributes: Attributes) =>
  /^([^#]+)#\d+$/.exec(textOf(attributes, 'prompt_id') ?? '')?.[1] ?? 'subagent';

const readGeminiCall: Read = (attributes) =>
  turnFrom(attributes, GEMINI_COUNTS, {
    model: textOf(attributes, 'model'),
    chain: textOf(attributes, 'role') === 'subagent' ? geminiAgent(attributes) : undefined,
    isSide: textOf(attributes, 'role')?.startsWith('utility'),
  });

/** The event does not state its trigger, which the hook states. */
const readGeminiCompression: Read = (attributes) => ({
  type: 'compaction',
  state: 'confirmed',
  preTokens: countOf(attributes, 'tokens_before'),
  postTokens: countOf(attributes, 'tokens_after'),
});

const GEMINI = { client: 'gemini-cli', session: 'session.id' };
const CLAUDE = { client: CLAUDE_CODE, session: 'session.id' };

const CLIENT_EVENTS: Readonly<Record<string, ClientEvent>> = {
  'claude_code.api_request': { ...CLAUDE, read: readClaudeCall },
  'claude_code.compaction': { ...CLAUDE, read: readClaudeCompaction },
  'codex.sse_event': { client: CODEX, session: 'conversation.id', read: readCodexCall },
  'gemini_cli.api_response': { ...GEMINI, read: readGeminiCall },
  'gemini_cli.chat_compression': { ...GEMINI, read: readGeminiCompression },
};
/** Names of services that report their calls by these events. Their GenAI records repeat the calls. */
export const OWN_SERVICES = /^(claude-code|gemini-cli|codex)([-_](desktop|cli|exec|tui|app|mcp)[-\w]*)?$/;

/**
 * @param names the texts of a record that may name its event
 * @throws UnusableField
 */
export function readClientEvent(names: readonly string[], attributes: Attributes): Omit<Report, 'at'> | null {
  const known = names.find((name) => Object.hasOwn(CLIENT_EVENTS, name));
  const event = known === undefined ? undefined : CLIENT_EVENTS[known];
  const facts = event?.read(attributes);
  if (!event || !facts) return null;
  const session = textOf(attributes, event.session);
  if (session === undefined) throw new UnusableField(`attributes.${event.session}`, 'is missing');
  return { client: event.client, session, facts };
}
