import { readField, readText } from '../usage/read-field';

/** Thrown by an agent's adapter if its client has no error of its own for a full session. */
export class PromptTooLongError extends Error {
  /** Name of the class. */
  override readonly name = 'PromptTooLongError';
  /** Identifies the error. */
  readonly code = 'prompt_too_long';

  constructor(message = 'Prompt is too long', options?: ErrorOptions) {
    super(message, options);
  }
}

/** Vendors' codes, types and names of this error; compared without case and punctuation. */
const CODES: ReadonlySet<string> = new Set(
  [
    'prompt_too_long', // Claude Agent SDK: terminal_reason
    'PromptTooLongError',
    'model_context_window_exceeded', // Anthropic: stop_reason
    'request_too_large', // Anthropic: HTTP 413
    'context_length_exceeded', // OpenAI, Azure and compatible servers
    'context_window_exceeded', // Codex: codexErrorInfo contextWindowExceeded
    'ContextOverflowError', // opencode
    'ContextWindowExceededError', // LiteLLM
    'exceed_context_size_error', // llama.cpp
  ].map(bare),
);

/** Messages of this error: Anthropic, Bedrock, OpenAI-like servers, Gemini, Codex, xAI, vLLM, llama.cpp, MiniMax. */
const MESSAGES: readonly RegExp[] = [
  /\b(prompt|input|request) (\([^()]*\) )?(is |was )?too (long|large)\b/i,
  /\bmaximum (context|prompt) length\b/i,
  /\blonger than the maximum model length\b/i,
  /\bexceeds? (the |your |this |its )?(model'?s? |available )?(maximum )?context (window|length|limit|size)\b/i,
  /\bcontext (window|length|limit|size) (was |is |has been )?exceed(ed|s limit)\b/i,
  /\binput token count\b.*\bexceeds the maximum\b/i,
  /\bran out of room in the model's context window\b/i,
];

/** Excludes token rate limits, which a restart does not solve: OpenAI reports them as "Request too large" too. */
const RATE_LIMIT = /\brate.?limit|\b(tokens|requests) per (second|min(ute)?|hour|day)\b|\b[TR]P[MDS]\b/i;

const CODE_FIELDS = ['code', 'type', 'name', 'terminal_reason', 'stop_reason', 'codexErrorInfo'] as const;
const STATUS_FIELDS = ['status', 'statusCode', 'code'] as const;
/** Where clients keep the API's error. */
const INNER_FIELDS = ['cause', 'error', 'data'] as const;
/** Types of messages about a failure: Codex, and streams of Anthropic and OpenAI. */
const FAILURES: readonly string[] = ['turn.failed', 'response.failed', 'error'];
const MAX_DEPTH = 6;

/**
 * Whether an error means that a session has no room for another prompt. The code, type or name of the error or of a
 * cause decides, otherwise the messages, otherwise the HTTP status 413.
 */
export function isPromptTooLong(error: unknown): boolean {
  const chain = [error];
  let next = chain;
  for (let depth = 1; depth < MAX_DEPTH; depth += 1) {
    next = next.flatMap((link) => INNER_FIELDS.map((field) => readField(link, field)));
    chain.push(...next);
  }
  if (chain.some(hasCode)) return true;
  if (chain.some(isRateLimit)) return false;
  return chain.some((link) => isTooLarge(link) || saysTooLong(messageOf(link)));
}

/** Whether an error has the HTTP status 413, which some gateways send without a code or type. */
function isTooLarge(error: unknown): boolean {
  return STATUS_FIELDS.some((field) => readField(error, field) === 413);
}

function isRateLimit(error: unknown): boolean {
  const texts = [messageOf(error), ...CODE_FIELDS.map((field) => readField(error, field))];
  return texts.some((text) => typeof text === 'string' && RATE_LIMIT.test(text));
}

const MAX_ERROR_LENGTH = 400;
/** The start of an answer with only this error: JSON, a status, a word for an error, or the subject that is too long. */
const ERROR_OPENING =
  /^([{[]|\d{3}\b|api error\b|\w*(error|exception)\b|((the|this|your|an?) )?(prompt|input|request|model|context|decoder|codex)\b)/i;

/** Whether an answer is only this error: some clients print it, in one line, instead of throwing it. */
export function isPromptTooLongAnswer(answer: string): boolean {
  const text = answer.trim();
  return (
    text.length <= MAX_ERROR_LENGTH && !text.includes('\n') && ERROR_OPENING.test(text) && saysTooLong(text)
  );
}

/** Whether a message states this error: by its code or reason, or as a failed turn with the error's text. */
export function isPromptTooLongMessage(message: unknown): boolean {
  if (hasCode(message)) return true;
  const hasFailed =
    readField(message, 'is_error') === true || FAILURES.includes(readText(message, 'type') ?? '');
  return hasFailed && (isPromptTooLong(message) || isPromptTooLongAnswer(readText(message, 'result') ?? ''));
}

function hasCode(error: unknown): boolean {
  return CODE_FIELDS.some((field) => {
    const value = readField(error, field);
    return typeof value === 'string' && CODES.has(bare(value));
  });
}

function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : readField(error, 'message');
  return typeof message === 'string' ? message : '';
}

function saysTooLong(message: string): boolean {
  return !RATE_LIMIT.test(message) && MESSAGES.some((pattern) => pattern.test(message));
}

function bare(code: string): string {
  return code.toLowerCase().replace(/[^a-z]/g, '');
}
