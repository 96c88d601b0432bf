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
  /** Reports the call that waits for the next line. Absent: each call is reported at its own line. */
  reportHeld?(): TranscriptItem[];
  holdMs?(): number;
}

export function emptyCounts(): ParserCounts {
  return { undecodable: 0, synthetic: 0, invalid: 0, usageConflicts: 0, calls: 0, compactions: 0 };
}

/** Create a parser of values that are read one by one. */
export function createValueParser({
  options,
  facts,
  state,
  counts,
  readValue,
  reportHeld = () => [],
  holdMs = () => 0,
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
    settle() {
      const held = reportHeld();
      const at = state.lastAt ?? options.fallbackAt;
      return facts.isDue() ? [...held, ...facts.announced([], at)] : held;
    },
    forgetAnnouncement: facts.forgetAnnouncement,
    state: () => structuredClone({ ...state, facts: facts.state }),
    get counts(): ParserCounts {
      return { ...counts };
    },
    get lastAt() {
      return state.lastAt;
    },
    get holdMs() {
      return holdMs();
    },
  };
}
