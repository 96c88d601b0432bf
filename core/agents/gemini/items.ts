/** Reads the session files of Gemini CLI into protocol items. Each sub-agent has a separate file. */
import type { ParserCounts, ParserOptions, TranscriptItem, TranscriptParser } from '../agent-format';
import { asFields, asTime, cleanText, type Fields, present } from '../fields';
import { splitValues } from '../lines';
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
  const counts = { undecodable: 0, synthetic: 0, invalid: 0, usageConflicts: 0, calls: 0, compactions: 0 };
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

  return {
    line(text) {
      const { values, undecodable } = splitValues(text);
      if (undecodable) counts.undecodable += 1;
      return values.flatMap((value) => {
        const record = asFields(value);
        return record === null ? [] : readValue(record);
      });
    },
    settle: () => (facts.isDue() ? facts.announced([], state.lastAt ?? options.fallbackAt) : []),
    forgetAnnouncement: facts.forgetAnnouncement,
    state: () => structuredClone({ ...state, facts: facts.state }),
    get counts(): ParserCounts {
      return { ...counts };
    },
    get lastAt() {
      return state.lastAt;
    },
  };
}
