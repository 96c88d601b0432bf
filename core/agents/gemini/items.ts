/** Reads the session files of Gemini CLI into protocol items. Each sub-agent has a separate file. */
import type { ParserOptions, TranscriptItem, TranscriptParser } from '../agent-format';
import { createValueParser, emptyCounts } from '../create-parser';
import { asTime, cleanText, type Fields, present } from '../fields';
import { createSessionFacts, makeTitle, type SessionFactsState } from '../session-facts';
import { NAME } from './about';
import { isClientText, messagesOf, readBoundary, readCounts, textOf } from './record';

const START = {
  facts: undefined as SessionFactsState | undefined,
  lastAt: null as number | null,
  /** The context size after each call, by the id of the message. */
  calls: {} as Record<string, number>,
  /** Id of the newest compaction. */
  boundary: null as string | null,
  /** Size of the context after the newest call; null: no call since the last compaction. */
  occupancy: null as number | null,
};

export function createParser(options: ParserOptions): TranscriptParser {
  const { session, chain, folder, clientSessionId } = options.identity;
  const state: typeof START = structuredClone({ ...START, ...(options.state as Partial<typeof START>) });
  const facts = createSessionFacts(NAME, options, state.facts);
  const counts = emptyCounts();
  const place = chain === null ? { session } : { session, chain };

  const readValue = (record: Fields): TranscriptItem[] => {
    facts.state.folder ??= folder;
    facts.state.clientSessionId ??= clientSessionId;
    facts.state.firstAt ??= asTime(record.startTime);
    const compaction = takeBoundary(record);
    return [...compaction, ...messagesOf(record).messages.flatMap(takeMessage)];
  };

  const takeBoundary = (record: Fields): TranscriptItem[] => {
    const boundary = readBoundary(record);
    if (boundary === null || boundary.id === null || boundary.id === state.boundary) return [];
    state.boundary = boundary.id;
    const at = boundary.at ?? state.lastAt ?? options.fallbackAt;
    state.lastAt = Math.max(at, state.lastAt ?? 0);
    const sizes = present({ preTokens: state.occupancy });
    state.occupancy = null;
    counts.compactions += 1;
    const about = { state: 'confirmed', boundary: boundary.id } as const;
    return facts.announced([{ type: 'compaction', ...place, at, ...about, ...sizes }], at);
  };

  const takeMessage = (message: Fields): TranscriptItem[] => {
    const at = asTime(message.timestamp) ?? state.lastAt ?? options.fallbackAt;
    state.lastAt = Math.max(at, state.lastAt ?? 0);
    facts.state.firstAt ??= at;
    if (message.type === 'user') takePrompt(textOf(message));
    const usage = readCounts(message);
    const id = cleanText(message.id, 200);
    if (usage === null || id === null) return [];
    const { contextTokens, ...tokens } = usage;
    const known = state.calls[id];
    if (known !== undefined) {
      if (known !== contextTokens) counts.usageConflicts += 1;
      return [];
    }
    state.calls[id] = contextTokens;
    state.occupancy = contextTokens;
    counts.calls += 1;
    const model = cleanText(message.model, 200);
    facts.state.model ??= model;
    const about = { call: id, ...present({ model }) };
    return facts.announced(
      [{ type: 'turn', ...place, at, ...about, usage: tokens, contextTokens, basis: 'total' }],
      at,
    );
  };

  const takePrompt = (text: string): void => {
    if (text.trim() === '' || isClientText(text)) return;
    facts.offerTitle(makeTitle(text, 1, false));
    facts.state.prompted = true;
  };

  return createValueParser({ options, facts, state, counts, readValue });
}
