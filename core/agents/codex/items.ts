/**
 * Reads a Codex rollout, line by line, into protocol items. The file has one thread. A fork or sub-agent
 * has a separate file, which may begin with a copy of its parent's lines.
 */
import type { ParserOptions, TranscriptItem, TranscriptItemOf, TranscriptParser } from '../agent-format';
import { createValueParser, emptyCounts } from '../create-parser';
import { asCount, asFields, asList, asTime, cleanText, type Fields, present } from '../fields';
import { humanText } from '../human-text';
import { createSessionFacts, makeTitle, type SessionFactsState } from '../session-facts';
import { aboutCodex, keyOf, NAME } from './about';
import { isSummary, type Report, readBoundary, readReport, textsOf } from './line';

const START = {
  facts: undefined as SessionFactsState | undefined,
  /** Codex's id of this thread. */
  id: null as string | null,
  lastAt: null as number | null,
  turn: null as string | null,
  /** Tasks of this file name who started them. */
  areAttributed: false,
  /** The person asked for a compaction, which is the task. */
  isManual: false,
  isSubAgent: false,
  model: null as string | null,
  limit: null as number | null,
  /** The totals of the newest call. */
  totals: null as string | null,
  /** Whether the file has records of single responses. Events with totals then do not count as calls. */
  hasRecords: false,
  /** Size of the context after the newest call; null: no call since the last compaction. */
  occupancy: null as number | null,
  /** A turn with an id newer than that of the thread was read, so the copied lines are over. */
  hasOwnTurn: false,
  /** The newest record, which may be the own call of the next compaction. `occupancy`: before this call. */
  record: null as {
    id: string;
    turn: TranscriptItemOf<'turn'>;
    occupancy: number | null;
    isReported: boolean;
  } | null,
  /** The model wrote a summary since the last call. */
  isSummary: false,
  /** The newest compaction while its estimate of the kept context is not read yet. */
  compaction: null as TranscriptItemOf<'compaction'> | null,
};

/** Without ids of turns: a fork repeats the lines of its parent within this time of its first line. */
const REPLAY_MS = 1_000;
/** A UUID of version 7, which begins with its time in milliseconds. */
const TIMED = /^([0-9a-f]{8}-[0-9a-f]{4})-7/i;
/** Codex writes the line after a record at once, and the line of a compaction after some work. */
const HOLD_MS = 10_000;

export function createParser(options: ParserOptions): TranscriptParser {
  const { session, clientSessionId } = options.identity;
  const state: typeof START = structuredClone({ ...START, ...(options.state as Partial<typeof START>) });
  const facts = createSessionFacts(NAME, options, state.facts);
  const counts = emptyCounts();

  const readValue = (line: Fields): TranscriptItem[] => {
    const held = isOwnCallOf(line) ? takeOwnCall() : reportHeld();
    return [...held, ...readLine(line)];
  };

  const readLine = (line: Fields): TranscriptItem[] => {
    state.lastAt = asTime(line.timestamp) ?? state.lastAt;
    const at = state.lastAt ?? options.fallbackAt;
    facts.state.firstAt ??= state.lastAt;
    const payload = asFields(line.payload) ?? {};
    state.turn = cleanText(payload.turn_id, 200) ?? state.turn;
    state.hasOwnTurn ||= ageOfTurn() === 'own';
    state.limit = asCount(payload.model_context_window) || state.limit;
    if (payload.type === 'task_started') takeTask(payload);
    if (payload.type === 'task_complete' || payload.type === 'turn_aborted') return takeEnd(at);
    if (line.type === 'session_meta') takeMeta(payload);
    else if (line.type === 'turn_context') takeContext(payload);
    else if (line.type === 'response_item') takeMessage(line, payload, at);
    else if (line.type === 'compacted') return takeCompaction(line, at);
    else {
      const report = readReport(line);
      if (report !== null) return takeReport(report, at, cleanText(payload.thread_id));
    }
    return [];
  };

  /** Only the task of a manual compaction has no attribution. Tasks of older clients never have one. */
  const takeTask = (payload: Fields): void => {
    const isAttributed = asFields(payload.turn_attribution) !== null;
    state.areAttributed ||= isAttributed;
    state.isManual = state.areAttributed && !isAttributed;
  };

  /** Codex calls no hook at the end of a sub-agent. A later task reopens the session. */
  const takeEnd = (at: number): TranscriptItem[] => {
    if (!state.isSubAgent || isCopied(at, null)) return [];
    return facts.announced([{ type: 'session_end', session, at, reason: 'finished' }], at);
  };

  /** After its own head, a fork also contains the heads of its ancestors. */
  const takeMeta = (payload: Fields): void => {
    const id = cleanText(payload.id);
    state.id ??= id;
    if (id !== state.id) return;
    facts.state.version = cleanText(payload.cli_version, 100) ?? facts.state.version;
    facts.state.branch = cleanText(asFields(payload.git)?.branch, 300) ?? facts.state.branch;
    facts.state.folder ??= cleanText(payload.cwd, 1000);
    facts.state.clientSessionId ??= clientSessionId ?? id;
    const spawn = asFields(asFields(asFields(payload.source)?.subagent)?.thread_spawn);
    state.isSubAgent = spawn !== null;
    const parent = cleanText(payload.forked_from_id ?? payload.parent_thread_id ?? spawn?.parent_thread_id);
    if (parent === null) return;
    facts.state.forkedFrom = keyOf(parent);
    facts.state.reason = 'fork';
  };

  const takeContext = (payload: Fields): void => {
    state.model = cleanText(payload.model, 200) ?? state.model;
    facts.state.model ??= state.model;
    facts.state.folder ??= cleanText(payload.cwd, 1000);
  };

  const takeMessage = (line: Fields, payload: Fields, at: number): void => {
    state.isSummary ||= isSummary(line);
    if (payload.role !== 'user' || isCopied(at, null)) return;
    const text = humanText(textsOf(asList(payload.content)));
    if (text === null) return;
    facts.offerTitle(makeTitle(text, 1, false));
    facts.state.prompted = true;
  };

  /** Null: the ids have no time. */
  const ageOfTurn = (): 'own' | 'copied' | null => {
    const thread = TIMED.exec(state.id ?? '')?.[1];
    const turn = TIMED.exec(state.turn ?? '')?.[1];
    if (thread === undefined || turn === undefined) return null;
    return turn.toLowerCase() < thread.toLowerCase() ? 'copied' : 'own';
  };

  /** A record names its thread. The id of an own turn is newer than that of the thread. */
  const isCopied = (at: number, thread: string | null): boolean => {
    if (facts.state.forkedFrom === null) return false;
    if (thread !== null) return thread !== state.id;
    if (state.hasOwnTurn) return false;
    return ageOfTurn() === 'copied' || at - (facts.state.firstAt ?? at) <= REPLAY_MS;
  };

  const takeCompaction = (line: Fields, at: number): TranscriptItem[] => {
    if (isCopied(at, null)) return [];
    const boundary = readBoundary(line)?.id ?? null;
    const sizes = present({ preTokens: state.occupancy, boundary });
    const trigger = state.isManual ? 'manual' : 'auto';
    state.compaction = { type: 'compaction', session, at, trigger, state: 'confirmed', ...sizes };
    state.occupancy = null;
    counts.compactions += 1;
    return facts.announced([state.compaction], at);
  };

  /** Reports the newest compaction again, with the kept size. An estimate above the window is wrong. */
  const takeEstimate = (keptTokens: number): TranscriptItem[] => {
    const { compaction, limit } = state;
    state.compaction = null;
    const isPlausible = keptTokens > 0 && keptTokens <= (limit ?? keptTokens);
    return compaction !== null && isPlausible ? [{ ...compaction, postTokens: keptTokens }] : [];
  };

  /** A compaction by OpenAI's server names the record of its own call, and has no message with the summary. */
  const isOwnCallOf = (line: Fields): boolean =>
    state.record !== null && state.record.id === readBoundary(line)?.ownCall;

  const takeOwnCall = (): TranscriptItem[] => {
    if (state.record === null) return [];
    const { id, turn, occupancy } = state.record;
    state.record = null;
    state.occupancy = occupancy;
    return facts.announced([asSummary(turn, id)], turn.at);
  };

  const reportHeld = (): TranscriptItem[] => {
    const { record } = state;
    if (record === null || record.isReported) return [];
    record.isReported = true;
    return facts.announced([record.turn], record.turn.at);
  };

  const takeReport = (report: Report, at: number, thread: string | null): TranscriptItem[] => {
    const { call, totals, totalTokens, contextTokens } = report;
    state.limit = report.window || state.limit;
    if (call === null) return takeEstimate(report.contextTokens);
    const isRecord = call.source === 'response';
    if (totals === state.totals || (state.hasRecords && !isRecord)) return [];
    state.hasRecords ||= isRecord;
    state.totals = totals;
    const { contextTokens: _size, ...usage } = call.counts;
    const isSide = state.isSummary;
    const before = state.occupancy;
    state.isSummary = false;
    state.occupancy = contextTokens;
    state.compaction = null;
    counts.calls += 1;
    // A server may repeat the ids of its responses, but the totals only grow.
    const name = (isRecord ? call.id : state.turn) || 'call';
    const window = state.limit === null ? {} : { limit: state.limit, limitSource: 'client' as const };
    const about = { ...present({ model: state.model }), ...window, call: `${name} ${totalTokens}` };
    const copied = isCopied(at, thread) ? { inherited: true } : {};
    const turn: TranscriptItemOf<'turn'> = {
      ...{ type: 'turn', session, at, ...about, usage, contextTokens, basis: 'total', ...copied },
    };
    state.record = isRecord && !isSide ? { id: call.id, turn, occupancy: before, isReported: false } : null;
    // The next line shows whether the record is a compaction's own call.
    return state.record ? [] : facts.announced([isSide ? asSummary(turn, name) : turn], at);
  };

  return createValueParser({
    ...{ options, facts, state, counts, readValue, reportHeld },
    holdMs: () => (state.record?.isReported === false ? HOLD_MS : 0),
  });
}

/** The call that wrote a compaction's summary. It does not change the size of the context. */
function asSummary(
  { contextTokens: _size, basis: _basis, ...turn }: TranscriptItemOf<'turn'>,
  name: string,
): TranscriptItem {
  return { ...turn, chain: `${aboutCodex.summaryChain}${name}`, scope: 'side' };
}
