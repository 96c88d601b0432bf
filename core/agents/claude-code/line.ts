import { asCount, asFields, asList, asText, cleanText, type Fields, SYNTHETIC } from '../fields';
import { readIterations } from './iterations';

export interface Counts {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

export interface CallUsage extends Counts {
  /** Counts of the last message in `iterations`, which give the context size. Null: the call has only one message. */
  last: Counts | null;
  /** Calls that another model made for this one. */
  advisors: AdvisorCall[];
}

interface AdvisorCall extends Counts {
  model: string | null;
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
  if (message.model === SYNTHETIC) return 'synthetic';
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
  return counts && { ...counts, last, advisors: advisors.flatMap((entry) => readAdvisor(entry) ?? []) };
}

function readAdvisor(entry: Fields): AdvisorCall | null {
  const counts = readCounts(entry);
  return counts && { ...counts, model: cleanText(entry.model, 200) };
}

/** Absent and null fields count as 0. Null: a field is not an integer. */
export function readCounts(from: Fields | null): Counts | null {
  const count = (field: string) => (from?.[field] ?? 0) as number;
  const counts = {
    input: count('input_tokens'),
    output: count('output_tokens'),
    cacheRead: count('cache_read_input_tokens'),
    cacheCreation: count('cache_creation_input_tokens'),
  };
  return Object.values(counts).every(Number.isSafeInteger) ? counts : null;
}

/** Context size after the call, tokens: the sum of all four counts of its last message. */
export function contextTokensOf(usage: CallUsage): number {
  const { input, output, cacheRead, cacheCreation } = usage.last ?? usage;
  return Math.max(0, input) + Math.max(0, cacheCreation) + Math.max(0, cacheRead) + Math.max(0, output);
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

/** Text that the person typed. Null: only tool results and images. */
export function readPrompt(line: Fields): string | null {
  if (line.type !== 'user') return null;
  const content = asFields(line.message)?.content;
  if (typeof content === 'string') return content.trim() || null;
  for (const block of asList(content)) {
    const fields = asFields(block);
    const text = fields?.type === 'text' ? asText(fields.text)?.trim() : null;
    if (text) return text;
  }
  return null;
}
