import { asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import { countPrompt, countText, tokensOf } from './estimate-tokens';
import type { Api, CallScope } from './openai-types';
import { isLastEvent, readChatUsage, readResponsesUsage, responseOf, type UsageReading } from './read-usage';

/** What one call has shown so far. It is filled while its answer passes by, and read when the answer ends. */
export class CallRecord {
  /** Characters sent; null where they do not give the context's size. Counted on first use. */
  readonly promptCharacters: () => number | null;
  /** Whether the provider keeps the response, so that it can be asked for again. */
  readonly isStored: boolean;
  readonly isBackground: boolean;
  /** Id of the response. */
  call: string | null = null;
  /** The id under which the call was reported; null where ids are not unique, and before. */
  key: string | null = null;
  model: string | null;
  /** Status of a response of the Responses API. */
  status: string | null = null;
  /** The last usage that was stated. */
  reading: UsageReading | null = null;
  answerCharacters = 0;
  hasBegun = false;
  /** Version of the snapshot after the call was reported; null: it was not. */
  reportedAt: number | null = null;
  isSettled = false;

  /** @param hidesUsageChunk whether the owner's loop, which did not ask for usage, does not get its chunk. */
  constructor(
    readonly api: Api,
    body: Fields,
    readonly scope: CallScope,
    readonly hidesUsageChunk: boolean,
  ) {
    this.promptCharacters = countOnce(api, body);
    this.isStored = api === 'chat' ? body.store === true : body.store !== false;
    this.isBackground = body.background === true;
    this.model = asNonEmptyText(body.model);
  }
}

/** Takes in a response, a chunk or an event. Returns whether nothing of the call can follow it. */
export function readInto(record: CallRecord, value: unknown): boolean {
  const fields = asFields(value);
  if (fields === null) return false;
  record.hasBegun = true;
  return record.api === 'chat' ? readChat(record, fields) : readResponses(record, fields);
}

/** Whether this is the chunk that states usage and nothing else. */
export function isUsageChunk(value: unknown): boolean {
  const fields = asFields(value);
  return Array.isArray(fields?.choices) && fields.choices.length === 0 && asFields(fields.usage) !== null;
}

/** Whether the provider is still at work on the response. */
export function isInProgress(record: Readonly<CallRecord>): boolean {
  return record.status === 'queued' || record.status === 'in_progress';
}

/** ceil(characters / 4) of what was sent and answered, tokens; null where the characters are unknown. */
export function estimateCall(record: Readonly<CallRecord>): number | null {
  const characters = record.promptCharacters();
  return characters === null ? null : tokensOf(characters + record.answerCharacters);
}

/** Most calls state their usage, so nothing is counted until it is needed; the list may have grown by then. */
function countOnce(api: Api, body: Fields): () => number | null {
  let sent: Fields | null = { ...body, messages: copyOf(body.messages), input: copyOf(body.input) };
  let characters: number | null = null;
  return () => {
    if (sent !== null) characters = countPrompt(api, sent);
    sent = null;
    return characters;
  };
}

function copyOf(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value;
}

function readChat(record: CallRecord, fields: Fields): boolean {
  name(record, fields);
  const choice = asFields(asList(fields.choices)[0]);
  // Of several choices one goes on into the history.
  if (choice !== null && (choice.index ?? 0) === 0) {
    record.answerCharacters += countText(choice.delta ?? choice.message);
  }
  // A server may state usage with every chunk: it counts up, and the last one is kept.
  record.reading = readChatUsage(fields) ?? record.reading;
  return false;
}

function readResponses(record: CallRecord, fields: Fields): boolean {
  const response = responseOf(fields);
  if (response === null) {
    const isDelta = typeof fields.type === 'string' && fields.type.endsWith('.delta');
    if (isDelta) record.answerCharacters += countText(fields.delta);
    return false;
  }
  name(record, response);
  record.status = asNonEmptyText(response.status) ?? record.status;
  record.answerCharacters = countText(response.output) || record.answerCharacters;
  record.reading = readResponsesUsage(response) ?? record.reading;
  return isLastEvent(fields);
}

function name(record: CallRecord, fields: Fields): void {
  record.call = asNonEmptyText(fields.id) ?? record.call;
  record.model = asNonEmptyText(fields.model) ?? record.model;
}
