import type { ParserCounts, ParserOptions, TranscriptItem, TranscriptParser } from './agent-format';
import { asFields, type Fields } from './fields';
import { splitValues } from './lines';
import type { createSessionFacts } from './session-facts';

interface ParserParts {
  options: ParserOptions;
  facts: ReturnType<typeof createSessionFacts>;
  state: { lastAt: number | null };
  counts: ParserCounts;
  /** Reads one of the JSON objects in a line. */
  readValue(value: Fields): TranscriptItem[];
}

export function emptyCounts(): ParserCounts {
  return { undecodable: 0, synthetic: 0, invalid: 0, usageConflicts: 0, calls: 0, compactions: 0 };
}

/** Create a parser that reports each call at the line of the call, without waiting for later lines. */
export function createValueParser({
  options,
  facts,
  state,
  counts,
  readValue,
}: ParserParts): TranscriptParser {
  return {
    line(text) {
      const { values, undecodable } = splitValues(text);
      if (undecodable) counts.undecodable += 1;
      return values.flatMap((value) => {
        const fields = asFields(value);
        return fields === null ? [] : readValue(fields);
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
