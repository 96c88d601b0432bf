import { countChatPrompt, countItems, countMessage, countResponsesPrompt, tokensOf } from './estimate-tokens';
import { readChatUsage } from './read-chat-usage';
import { isLastEvent, readResponsesUsage, responseOf } from './read-responses-usage';
import { type Fields, fieldsOf, listOf, textOf } from './read-value';
import type { UsageReading } from './usage-reading';

export type Api = 'chat' | 'responses';
/** `side`: a call without the chain's history, such as classification or titling. */
export type CallScope = 'main' | 'side';

/** What one call has shown so far. It is filled while its answer passes by, and read when the answer ends. */
export interface CallRecord {
  readonly api: Api;
  readonly scope: CallScope;
  /** Whether the chunk that states usage is kept from the owner's loop, who did not ask for it. */
  readonly hidesUsageChunk: boolean;
  /** Characters sent; null where that says nothing about the context's size. */
  readonly promptCharacters: number | null;
  /** Whether the provider keeps the response, so that it can be asked for again. */
  readonly isStored: boolean;
  isBackground: boolean;
  /** Id of the response. */
  call: string | null;
  /** The id under which the call was reported; null where ids are not unique, and before. */
  key: string | null;
  model: string | null;
  /** Status of a response of the Responses API. */
  status: string | null;
  /** The last usage that was stated; null while there is none. */
  reading: UsageReading | null;
  answerCharacters: number;
  /** Whether any of the answer came. */
  hasBegun: boolean;
  /** Whether a response was asked for again, and is read instead of the original answer. */
  isFollowUp: boolean;
  /** Version of the snapshot after the call was reported; null: it was not. */
  reportedAt: number | null;
  isSettled: boolean;
}

export function openCall(api: Api, body: Fields, scope: CallScope, hidesUsageChunk: boolean): CallRecord {
  return {
    api,
    scope,
    hidesUsageChunk,
    promptCharacters: api === 'chat' ? countChatPrompt(body) : countResponsesPrompt(body),
    isStored: api === 'chat' ? body.store === true : body.store !== false,
    isBackground: body.background === true,
    call: null,
    key: null,
    model: textOf(body.model),
    status: null,
    reading: null,
    answerCharacters: 0,
    hasBegun: false,
    isFollowUp: false,
    reportedAt: null,
    isSettled: false,
  };
}

/** Takes in a response, a chunk or an event. Returns whether nothing of the call can follow it. */
export function readInto(record: CallRecord, value: unknown): boolean {
  if (fieldsOf(value) === null) return false;
  record.hasBegun = true;
  return record.api === 'chat' ? readChat(record, value) : readResponses(record, value);
}

/** Whether this is the chunk that states usage and nothing else. */
export function isUsageChunk(value: unknown): boolean {
  const fields = fieldsOf(value);
  return Array.isArray(fields?.choices) && fields.choices.length === 0 && fieldsOf(fields.usage) !== null;
}

/** Whether the provider is still at work on the response. */
export function isInProgress(record: Readonly<CallRecord>): boolean {
  return record.status === 'queued' || record.status === 'in_progress';
}

/** ceil(characters / 4) of what was sent and answered, tokens; null where the characters are unknown. */
export function estimateCall(record: Readonly<CallRecord>): number | null {
  return record.promptCharacters === null
    ? null
    : tokensOf(record.promptCharacters + record.answerCharacters);
}

function readChat(record: CallRecord, value: unknown): boolean {
  const fields = fieldsOf(value);
  if (fields === null) return false;
  name(record, fields);
  // A server may state usage with every chunk: it counts up, and the last one stands.
  record.reading = readChatUsage(value) ?? record.reading;
  const choice = fieldsOf(listOf(fields.choices)[0]);
  // Of several choices one goes on into the history.
  if (choice !== null && (choice.index ?? 0) === 0) {
    record.answerCharacters += countMessage(choice.delta ?? choice.message);
  }
  return false;
}

function readResponses(record: CallRecord, value: unknown): boolean {
  const fields = fieldsOf(value);
  const response = responseOf(value);
  if (response !== null) {
    name(record, response);
    record.status = textOf(response.status) ?? record.status;
    record.isBackground ||= response.background === true;
    record.reading = readResponsesUsage(response) ?? record.reading;
    const characters = countItems(response.output);
    if (characters > 0) record.answerCharacters = characters;
  } else if (typeof fields?.type === 'string' && fields.type.endsWith('.delta')) {
    record.answerCharacters += countItems(fields.delta);
  }
  return isLastEvent(value);
}

function name(record: CallRecord, fields: Fields): void {
  record.call = textOf(fields.id) ?? record.call;
  record.model = textOf(fields.model) ?? record.model;
}
