import type { ParserCounts, ParserOptions, TranscriptItem, TranscriptParser } from './agent-format';
import { asFields, type Fields } from './fields';
import { splitValues } from './lines';
import type { createSessionFacts } from './session-facts';

interface ParserParts {
  options: ParserOptions;
  facts: ReturnType<typeof createSessionFacts>;
  state: { lastAt: number | null };
  counts: ParserCounts;
  /** Reads one JSON object of a line. */
  readValue(value: Fields): TranscriptItem[];
}

export function emptyCounts(): ParserCounts {
  return { undecodable: 0, synthetic: 0, invalid: 0, usageConflicts: 0, calls: 0, compactions: 0 };
}

/** A parser that holds no call back: it reports each call with the line of the call. */
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
