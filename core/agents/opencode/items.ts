/** Reads the rows of one OpenCode session into protocol items: first the session's row, then the rows of messages. */
import type { ParserOptions, TranscriptItem, TranscriptParser } from '../agent-format';
import { createValueParser, emptyCounts } from '../create-parser';
import { asCount, asFields, asNonEmptyText, cleanText, type Fields, present } from '../fields';
import { createSessionFacts, makeTitle, type SessionFactsState } from '../session-facts';
import { aboutOpencode, keyOf, NAME } from './about';
import { type MessageRow, readRow } from './rows';

const START = {
  facts: undefined as SessionFactsState | undefined,
  createdAt: null as number | null,
  lastAt: null as number | null,
  /** The context size after each call, by the id of the step. */
  calls: {} as Record<string, number>,
  compactions: [] as string[],
  /** Size of the context after the newest call; null: no call since the last compaction. */
  occupancy: null as number | null,
};

interface Step {
  id: string;
  at: number;
  tokens: Fields;
}

const FORK_TITLE = / \(fork #\d+\)$/;
const DEFAULT_TITLE = /^(New|Child) session - /;

export function createParser(options: ParserOptions): TranscriptParser {
  const { session, chain, clientSessionId } = options.identity;
  const state: typeof START = structuredClone({ ...START, ...(options.state as Partial<typeof START>) });
  const facts = createSessionFacts(NAME, options, state.facts);
  const counts = emptyCounts();
  const place = chain === null ? { session } : { session, chain };

  const takeSession = (row: Fields): void => {
    state.createdAt = asCount(row.created);
    facts.state.firstAt ??= state.createdAt;
    facts.state.version = cleanText(row.version, 100) ?? facts.state.version;
    facts.state.folder ??= cleanText(row.directory, 1000);
    facts.state.clientSessionId ??= clientSessionId;
    const title = cleanText(row.title);
    const origin = asNonEmptyText(row.fork);
    if (origin !== null) facts.state.forkedFrom ??= keyOf(origin);
    if (origin !== null || (title !== null && FORK_TITLE.test(title))) facts.state.reason = 'fork';
    if (title !== null && !DEFAULT_TITLE.test(title)) facts.offerTitle(makeTitle(title, 1, true));
  };

  const takeMessage = (row: MessageRow): TranscriptItem[] => {
    const { message } = row;
    const id = cleanText(row.id, 200) ?? '';
    if (message.role === 'user') {
      facts.state.prompted = true;
      return [];
    }
    const items = stepsOf(row, id).flatMap((step) => takeStep(step, message));
    if (isSummary(message) && !state.compactions.includes(id)) items.push(takeCompaction(row, id));
    return items.length === 0 ? [] : facts.announced(items, items[0]?.at ?? options.fallbackAt);
  };

  const takeStep = ({ id, at, tokens }: Step, message: Fields): TranscriptItem[] => {
    const read = readUsage(tokens);
    if (read === null || state.calls[id] !== undefined) return [];
    const { usage, contextTokens } = read;
    state.calls[id] = contextTokens;
    state.lastAt = Math.max(at, state.lastAt ?? 0);
    counts.calls += 1;
    const model = cleanText(message.modelID, 200);
    facts.state.model ??= model;
    // A fork contains copies of its parent's messages, with the times of the originals.
    const isCopied = (asCount(asFields(message.time)?.created) ?? at) < (state.createdAt ?? 0);
    if (isCopied) facts.state.reason = 'fork';
    const about = { ...present({ model }), call: id, usage, ...(isCopied ? { inherited: true } : {}) };
    if (message.summary === true)
      return [
        { type: 'turn', session, at, chain: `${aboutOpencode.summaryChain}${id}`, scope: 'side', ...about },
      ];
    state.occupancy = contextTokens;
    return [{ type: 'turn', ...place, at, ...about, contextTokens, basis: 'total' }];
  };

  const takeCompaction = ({ auto, message }: MessageRow, id: string): TranscriptItem => {
    const at = asCount(asFields(message.time)?.completed) ?? state.lastAt ?? options.fallbackAt;
    const sizes = present({ preTokens: state.occupancy });
    state.compactions.push(id);
    state.occupancy = null;
    counts.compactions += 1;
    const about = { trigger: auto === 0 ? 'manual' : 'auto', state: 'confirmed', boundary: id } as const;
    return { type: 'compaction', ...place, at, ...about, ...sizes };
  };

  const readValue = (line: Fields): TranscriptItem[] => {
    const row = readRow(line);
    if (row !== null) return takeMessage(row);
    takeSession(line);
    return [];
  };

  return createValueParser({ options, facts, state, counts, readValue });
}

/** Whether a message is the complete summary of a compaction. */
export function isSummary({ summary, finish, error }: Fields): boolean {
  return summary === true && finish !== undefined && error === undefined;
}

/** Read the usage of a call; null: the call has no tokens. */
export function readUsage(tokens: Fields) {
  const cache = asFields(tokens.cache) ?? {};
  const count = (value: unknown) => asCount(value) ?? 0;
  const usage = {
    input: count(tokens.input),
    output: count(tokens.output),
    cacheRead: count(cache.read),
    cacheCreation: count(cache.write),
  };
  const stated = usage.input + usage.output + usage.cacheRead + usage.cacheCreation;
  // The output of older versions includes the reasoning of most providers.
  if (count(tokens.total) !== stated) usage.output += count(tokens.reasoning);
  const sum = stated - count(tokens.output) + usage.output;
  return sum === 0 ? null : { usage, contextTokens: count(tokens.total) || sum };
}

/** The calls of a message. If the message lacks the parts of its steps, its own tokens are those of its newest call. */
function stepsOf({ message, parts }: MessageRow, id: string): Step[] {
  const completedAt = asCount(asFields(message.time)?.completed);
  const steps = parts.flatMap(({ id: step, at, part }) => {
    const { type, tokens } = part;
    // In a fork, a part has the time of the copy, so the message's earlier time applies.
    const made = Math.min(asCount(at) ?? Number.POSITIVE_INFINITY, completedAt ?? Number.POSITIVE_INFINITY);
    const found = { id: cleanText(step, 200), at: asCount(made), tokens: asFields(tokens) };
    return type === 'step-finish' && found.id !== null && found.at !== null && found.tokens
      ? [found as Step]
      : [];
  });
  const tokens = asFields(message.tokens);
  if (steps.length > 0 || completedAt === null || tokens === null) return steps;
  return [{ id, at: completedAt, tokens }];
}
