/** Reads a Codex rollout into protocol items, for the forecast only; import and watch skip them. */
import type { ParserOptions, TranscriptItem, TranscriptParser } from '../agent-format';
import { asFields, asTime, type Fields } from '../fields';
import { createLineReader } from '../lines';
import { NAME } from './about';
import { readCompacted, readUsage } from './line';

interface ParserState {
  firstAt: number | null;
  isFork: boolean;
  lastTotals: string | null;
  hasResponses: boolean;
  calls: number;
  compactions: number;
  lastAt: number | null;
}

const START: ParserState = {
  firstAt: null,
  isFork: false,
  lastTotals: null,
  hasResponses: false,
  calls: 0,
  compactions: 0,
  lastAt: null,
};
/** A fork repeats its parent's history within this time of its first line. */
const REPLAY_MS = 1_000;

export function createParser({
  identity,
  fallbackAt,
  state: saved,
}: Pick<ParserOptions, 'identity' | 'fallbackAt' | 'state'>): TranscriptParser {
  const { session } = identity;
  const state: ParserState = { ...START, ...(saved as Partial<ParserState> | undefined) };
  let isAnnounced = state.firstAt !== null;

  const readValue = (line: Fields): TranscriptItem[] => {
    const at = asTime(line.timestamp) ?? state.lastAt ?? fallbackAt;
    state.lastAt = at;
    if (state.firstAt === null) {
      state.firstAt = at;
      state.isFork = typeof asFields(line.payload)?.forked_from_id === 'string';
    }
    const start = announce(at);
    if (state.isFork && at - state.firstAt <= REPLAY_MS) return start;
    return [...start, ...takeCompaction(line, at), ...takeCall(line, at)];
  };

  const announce = (at: number): TranscriptItem[] => {
    if (isAnnounced) return [];
    isAnnounced = true;
    return [{ type: 'session_start', session, at, lens: 'snapshot', client: NAME }];
  };

  const takeCompaction = (line: Fields, at: number): TranscriptItem[] => {
    const compacted = readCompacted(line);
    if (compacted === null) return [];
    state.compactions += 1;
    const boundary = compacted.id ?? `${session}#${state.compactions}`;
    return [{ type: 'compaction', session, at, trigger: 'auto', state: 'confirmed', boundary }];
  };

  const takeCall = (line: Fields, at: number): TranscriptItem[] => {
    const report = readUsage(line);
    if (report === null) return [];
    const isRepeated = report.source === 'totals' && report.id === state.lastTotals;
    if (report.source === 'totals') state.lastTotals = report.id;
    else state.hasResponses = true;
    if (isRepeated || report.isEstimate || (report.source === 'totals' && state.hasResponses)) return [];
    state.calls += 1;
    const { contextTokens, ...usage } = report.counts;
    return [
      {
        type: 'turn',
        session,
        at,
        usage,
        contextTokens,
        basis: 'total',
        ...(report.window === null ? {} : { limit: report.window }),
        ...(report.source === 'response' && report.id !== '' ? { call: report.id } : {}),
      },
    ];
  };

  const lines = createLineReader(readValue);
  return {
    line: lines.line,
    settle: () => [],
    forgetAnnouncement() {
      isAnnounced = false;
    },
    state: () => ({ ...state }),
    get counts() {
      const { calls, compactions } = state;
      return { ...lines.counts, synthetic: 0, echoes: 0, usageConflicts: 0, invalid: 0, calls, compactions };
    },
    get lastAt() {
      return state.lastAt;
    },
    remarks: lines.remarks,
  };
}
