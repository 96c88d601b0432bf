import { asCount, asFields, asList, asText, cleanText, type Fields, SYNTHETIC } from '../fields';
import {
  type AdvisorCall,
  type Counts,
  isZeroUsage,
  readCounts,
  readIterations,
  sizeOf,
} from './message-usage';

export interface CallUsage extends Counts {
  /** Counts of the last message in `iterations`, which give the context size. Null: the call has only one message. */
  last: Counts | null;
  /** Calls that another model made for this one. */
  advisors: AdvisorCall[];
}

interface Call {
  id: string;
  /** Id of the request, if the message itself has an id too. */
  request: string | null;
  model: string | null;
  usage: CallUsage;
}

/** Null: not an answer of a model. `invalid`: no id, or a count that is not an integer. */
export function readCall(line: Fields): Call | 'synthetic' | 'invalid' | null {
  const message = asFields(line.message);
  const fields = asFields(message?.usage);
  if (message === null || fields === null) return null;
  if (message.model === SYNTHETIC || isZeroUsage(fields)) return 'synthetic';
  const usage = readUsage(fields);
  const request = cleanText(line.requestId);
  const id = cleanText(message.id) ?? request ?? cleanText(line.uuid);
  if (usage === null || id === null) return 'invalid';
  return { id, request: request === id ? null : request, model: cleanText(message.model, 200), usage };
}

function readUsage(usage: Fields): CallUsage | null {
  const { messages, advisors } = readIterations(usage);
  const counts = readCounts(usage);
  const last = messages.length > 1 ? readCounts(messages.at(-1) ?? null) : null;
  return counts && { ...counts, last, advisors };
}

/** Context size after the call, tokens: the sum of all four counts of its last message. */
export function contextTokensOf(usage: CallUsage): number {
  return sizeOf(usage.last ?? usage);
}

/** Whether a chain is a request of the client itself. Such a request has the history, but is not a context. */
export function isSideChain(chain: string | null): boolean {
  return chain !== null && /^a(compact|prompt_suggestion|side_question)-/.test(chain);
}

/** The context window that a line states, with its model. */
export function readWindow(line: Fields): { model: string | null; tokens: number } | null {
  const usage = asFields(line.contextUsage);
  const tokens = asCount(usage?.raw_max_tokens);
  return usage === null || !tokens ? null : { model: cleanText(usage.model, 200), tokens };
}

/** Texts of a user's line, without tool results and images. The client may have added some of them. */
export function readTexts(line: Fields): string[] {
  if (line.type !== 'user') return [];
  const content = asFields(line.message)?.content;
  if (typeof content === 'string') return content.trim() === '' ? [] : [content.trim()];
  return asList(content).flatMap((block) => {
    const fields = asFields(block);
    return (fields?.type === 'text' && asText(fields.text)?.trim()) || [];
  });
}
