import { asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import { type Content, countContent, readContent } from '../tracker/message-content';
import { statedOf } from '../usage/read-field';
import { unknownFields } from '../usage/read-usage';
import type { Api, CallScope } from './openai-types';
import { readMessageUsage } from './read-message-usage';
import { type CallReading, isLastEvent, readChatUsage, readResponsesUsage, responseOf } from './read-usage';

/** Observes the data of one call on the way from the provider to the caller. */
export interface CallWatch {
  /** Handles a response, chunk or event. Returns whether to pass it to the caller. */
  see(value: unknown): boolean;
  /** Handles the end of the data. */
  end(): void;
}

/** The facts of a call that another library, such as LangChain, made. */
export interface FinishedCall {
  id: string | null;
  model: string | null;
  /** Null: the library reported no usage. If `read` throws, the error is logged, and the usage is missing. */
  read(): CallReading | null;
}

/** One call, with the facts from the answer received so far. */
export class TrackedCall {
  id: string | null = null;
  /** The id under which the call was reported; null before, and for ids that are not unique. */
  key: string | null = null;
  model: string | null;
  reading: CallReading | null = null;
  /** The fields of a usage that has no known field. */
  unknownFields: string | null = null;
  answer = '';
  hasStarted = false;
  /** Whether the provider compacted the context before it answered. */
  hasCompacted = false;
  /** Version of the snapshot after the call was reported; null: not reported. */
  reportedAt: number | null = null;
  isSettled = false;
  /** Whether the provider keeps the response, so that it can be retrieved. */
  readonly isStored: boolean;
  readonly isBackground: boolean;
  /** Counts that the events of a streamed message have reported so far. */
  #messageUsage: Fields = {};
  /** Status of a response of the Responses API. */
  #status: string | null = null;
  /** What was sent; null if the context's size cannot be estimated from it. */
  readonly #prompt: Content | null;

  /**
   * @param api null for a call that another library made.
   * @param hidesUsageChunk whether to withhold the usage chunk, because the caller did not ask for it.
   */
  constructor(
    readonly api: Api | null,
    body: Fields,
    readonly scope: CallScope,
    readonly hidesUsageChunk: boolean,
  ) {
    this.#prompt = readPrompt(api, body);
    this.isStored = api === 'responses' && body.store !== false;
    this.isBackground = body.background === true;
    this.model = asNonEmptyText(body.model);
  }

  get isInProgress(): boolean {
    return this.#status === 'queued' || this.#status === 'in_progress';
  }

  /** A response that failed without content is an error, like a response with an error status. */
  get isError(): boolean {
    return this.#status === 'failed' && this.answer === '';
  }

  /** Tokens of prompt and answer; null if the prompt is unknown. @param countTokens counts a text. */
  estimate(countTokens?: (text: string) => number): number | null {
    if (this.#prompt === null) return null;
    return countContent({ ...this.#prompt, texts: [...this.#prompt.texts, this.answer] }, countTokens);
  }

  /** Reads a response, a chunk or an event. Returns whether this was the call's last event. */
  read(value: unknown): boolean {
    const fields = asFields(value);
    if (fields === null) return false;
    this.hasStarted = true;
    this.unknownFields ??= unknownFields(fields.usage ?? asFields(fields.response)?.usage);
    if (this.api === 'chat') this.#readChat(fields);
    else if (this.api === 'responses') this.#readResponses(fields);
    else this.#readMessage(fields);
    return this.api === 'responses' ? isLastEvent(fields) : fields.type === 'message_stop';
  }

  finish(facts: Omit<FinishedCall, 'read'>, reading: CallReading | null): void {
    this.hasStarted = true;
    this.id = facts.id;
    this.model = facts.model ?? this.model;
    this.reading = reading;
  }

  #readChat(fields: Fields): void {
    this.#identify(fields);
    const choice = asFields(asList(fields.choices)[0]);
    // Of several choices, one becomes part of the history.
    if (choice !== null && (choice.index ?? 0) === 0) {
      this.answer += textOf(choice.delta ?? choice.message);
    }
    // Some servers send a running usage with every chunk; the last one counts.
    this.reading = readChatUsage(fields) ?? this.reading;
  }

  #readResponses(fields: Fields): void {
    const response = responseOf(fields);
    if (response === null) {
      const isDelta = typeof fields.type === 'string' && fields.type.endsWith('.delta');
      if (isDelta) this.answer += textOf(fields.delta);
      return;
    }
    this.#identify(response);
    this.#status = asNonEmptyText(response.status) ?? this.#status;
    this.answer = textOf(response.output) || this.answer;
    this.reading = readResponsesUsage(response) ?? this.reading;
  }

  /** The output count of the first event is a placeholder. Later events repeat or correct its counts. */
  #readMessage(fields: Fields): void {
    const isStart = fields.type === 'message_start';
    const message = isStart ? asFields(fields.message) : fields.content === undefined ? null : fields;
    if (message !== null) this.#identify(message);
    const delta = asFields(fields.delta);
    this.answer += textOf(message?.content ?? delta?.text ?? delta?.thinking ?? delta?.partial_json);
    const usage = asFields((message ?? fields).usage);
    if (usage === null) return;
    this.#messageUsage = { ...this.#messageUsage, ...statedOf(usage) };
    this.hasCompacted ||= asList(usage.iterations).some((step) => asFields(step)?.type === 'compaction');
    this.reading = readMessageUsage(this.#messageUsage, isStart) ?? this.reading;
  }

  #identify(fields: Fields): void {
    this.id = asNonEmptyText(fields.id) ?? this.id;
    this.model = asNonEmptyText(fields.model) ?? this.model;
  }
}

export function isUsageChunk(value: unknown): boolean {
  const fields = asFields(value);
  return Array.isArray(fields?.choices) && fields.choices.length === 0 && asFields(fields.usage) !== null;
}

/** A request's messages; null if the provider keeps the history, so the context's size is unknown. */
function readPrompt(api: Api | null, body: Fields): Content | null {
  if (api === null) return null;
  if (api === 'messages') return readContent([body.system ?? [], body.messages ?? []]);
  if (api === 'chat') return readContent(body.messages);
  const elsewhere = [body.previous_response_id, body.conversation, body.prompt];
  const isKnown = elsewhere.every((place) => (place ?? null) === null);
  return isKnown ? readContent([body.instructions ?? [], body.input ?? []]) : null;
}

/** Texts of a message, a delta, or a list of them. */
function textOf(value: unknown): string {
  return readContent(value).texts.join('\n');
}
