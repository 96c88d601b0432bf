import { asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import { countCharacters } from '../tracker/read-message';
import { statedOf } from '../usage/read-field';
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
  /** Null: the library reported no usage. */
  reading: CallReading | null;
}

/** One call, with the facts from the answer received so far. */
export class TrackedCall {
  id: string | null = null;
  /** The id under which the call was reported; null before, and for ids that are not unique. */
  key: string | null = null;
  model: string | null;
  reading: CallReading | null = null;
  answerCharacters = 0;
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
  /** Characters sent; null if the context's size cannot be estimated from them. */
  readonly #promptCharacters: number | null;

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
    this.#promptCharacters = countPrompt(api, body);
    this.isStored = api === 'responses' && body.store !== false;
    this.isBackground = body.background === true;
    this.model = asNonEmptyText(body.model);
  }

  get isInProgress(): boolean {
    return this.#status === 'queued' || this.#status === 'in_progress';
  }

  /** A response that failed without content is an error, like a response with an error status. */
  get isError(): boolean {
    return this.#status === 'failed' && this.answerCharacters === 0;
  }

  /** ceil(characters / 4) of prompt and answer, tokens; null if the characters are unknown. */
  get estimate(): number | null {
    if (this.#promptCharacters === null) return null;
    return Math.ceil((this.#promptCharacters + this.answerCharacters) / CHARACTERS_PER_TOKEN);
  }

  /** Reads a response, a chunk or an event. Returns whether this was the call's last event. */
  read(value: unknown): boolean {
    const fields = asFields(value);
    if (fields === null) return false;
    this.hasStarted = true;
    if (this.api === 'chat') this.#readChat(fields);
    else if (this.api === 'responses') this.#readResponses(fields);
    else this.#readMessage(fields);
    return this.api === 'responses' ? isLastEvent(fields) : fields.type === 'message_stop';
  }

  finish(facts: FinishedCall): void {
    this.hasStarted = true;
    this.id = facts.id;
    this.model = facts.model ?? this.model;
    this.reading = facts.reading;
  }

  #readChat(fields: Fields): void {
    this.#identify(fields);
    const choice = asFields(asList(fields.choices)[0]);
    // Of several choices, one becomes part of the history.
    if (choice !== null && (choice.index ?? 0) === 0) {
      this.answerCharacters += countText(choice.delta ?? choice.message);
    }
    // Some servers send a running usage with every chunk; the last one counts.
    this.reading = readChatUsage(fields) ?? this.reading;
  }

  #readResponses(fields: Fields): void {
    const response = responseOf(fields);
    if (response === null) {
      const isDelta = typeof fields.type === 'string' && fields.type.endsWith('.delta');
      if (isDelta) this.answerCharacters += countText(fields.delta);
      return;
    }
    this.#identify(response);
    this.#status = asNonEmptyText(response.status) ?? this.#status;
    this.answerCharacters = countText(response.output) || this.answerCharacters;
    this.reading = readResponsesUsage(response) ?? this.reading;
  }

  /** The output count of the first event is a placeholder. Later events repeat or correct its counts. */
  #readMessage(fields: Fields): void {
    const isStart = fields.type === 'message_start';
    const message = isStart ? asFields(fields.message) : fields.content === undefined ? null : fields;
    if (message !== null) this.#identify(message);
    const delta = asFields(fields.delta);
    this.answerCharacters += countText(
      message?.content ?? delta?.text ?? delta?.thinking ?? delta?.partial_json,
    );
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

const CHARACTERS_PER_TOKEN = 4;

/** ceil(characters / 4), tokens. Characters are Unicode code points. */
export function estimateTokens(text: string): number {
  return Math.ceil(countText(text) / CHARACTERS_PER_TOKEN);
}

/** Characters of a request's messages; null if the provider keeps the history, so the context's size is unknown. */
function countPrompt(api: Api | null, body: Fields): number | null {
  if (api === null) return null;
  if (api === 'messages') return countText(body.system) + countText(body.messages);
  if (api === 'chat') return countText(body.messages);
  const elsewhere = [body.previous_response_id, body.conversation, body.prompt];
  return elsewhere.every((place) => (place ?? null) === null)
    ? countText(body.instructions) + countText(body.input)
    : null;
}

/** Characters of a text, a message, a delta, or a list of them. */
function countText(value: unknown): number {
  if (typeof value === 'string') return countCharacters({ content: value });
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + countText(part), 0);
  return typeof value === 'object' && value !== null ? countCharacters(value) : 0;
}
