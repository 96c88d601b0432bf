/**
 * Reads one Claude Code transcript, line by line, into protocol items.
 *
 * It owns the place in the file's story: which calls are known, which chain a line belongs to, which
 * boundaries were passed. File order is the order; timestamps jump back and forth and order nothing.
 * Its state is plain JSON, so reading goes on after a restart where it stopped.
 */
import type { ParserCounts, ParserOptions, TranscriptItem, TranscriptParser } from '../format';
import { splitValues } from '../split-values';
import { type CallBook, type CallBookState, createCallBook } from './call-book';
import { readCompaction } from './read-compaction';
import { asFields, type Fields, fieldsOf, textOf, timeOf } from './read-fields';
import { promptOf } from './read-title';
import { readUsage } from './read-usage';
import { createSessionFacts, type SessionFactsState } from './session-facts';
import { createSideChains, type SideChainsState, scopeOf } from './side-chains';

interface ParserState {
  facts: SessionFactsState;
  calls: CallBookState;
  sideChains: SideChainsState;
  boundaries: string[];
  limits: Record<string, number>;
  aliases: string[];
  lastAt: number | null;
}

const MAX_REMARKS = 20;
const SYNTHETIC = '<synthetic>';

export interface ParserParts {
  makeCallBook: (saved?: CallBookState) => CallBook;
}

/** `parts` is the edge at which tests put another memory of calls. */
export function createClaudeCodeParser(
  options: ParserOptions,
  parts: ParserParts = { makeCallBook: createCallBook },
): TranscriptParser {
  const { identity, owners } = options;
  const { session } = identity;
  const saved = options.state as ParserState | undefined;
  const facts = createSessionFacts(options.content, saved?.facts);
  const calls = parts.makeCallBook(saved?.calls);
  const sideChains = createSideChains(identity.chain, saved?.sideChains);
  const boundaries = new Set<string>(saved?.boundaries);
  const limits = new Map<string, number>(Object.entries(saved?.limits ?? {}));
  const aliases = new Set<string>(saved?.aliases);
  const remarks: { line: number; reason: string }[] = [];
  const counts = { lines: 0, glued: 0, undecodable: 0, synthetic: 0, echoes: 0, invalid: 0, compactions: 0 };
  let lastAt = saved?.lastAt ?? null;

  const remark = (reason: string) => {
    if (remarks.length < MAX_REMARKS) remarks.push({ line: counts.lines, reason });
  };

  const readValue = (line: Fields): TranscriptItem[] => {
    lastAt = timeOf(line, 'timestamp') ?? lastAt;
    const at = lastAt ?? options.fallbackAt;
    facts.state.firstAt ??= lastAt;
    const chain = sideChains.chainOf(line);
    facts.read(line);
    const lineage = readLineage(line, at);
    if (line.type === 'assistant') return [...lineage, ...readCall(line, at, chain)];
    if (line.type === 'system') return [...lineage, ...readSystem(line, at, chain)];
    if (line.type === 'progress' && fieldsOf(line, 'data')?.type === 'agent_progress') counts.echoes += 1;
    // A session that waits for its first answer is worth showing: a prompt announces it.
    return line.type === 'user' && !lineage.length ? announced([], at, chain === null) : lineage;
  };

  const readCall = (line: Fields, at: number, chain: string | null): TranscriptItem[] => {
    const message = fieldsOf(line, 'message');
    const usage = message && fieldsOf(message, 'usage');
    if (message === undefined || usage === undefined) return [];
    if (message.model === SYNTHETIC) {
      counts.synthetic += 1;
      return [];
    }
    const read = readUsage(usage);
    if ('invalid' in read) {
      counts.invalid += 1;
      remark(`${read.invalid} is no whole number of tokens; the call is left out`);
      return [];
    }
    const call = textOf(message, 'id') ?? textOf(line, 'requestId') ?? textOf(line, 'uuid');
    if (call === undefined) {
      counts.invalid += 1;
      remark('a call without message id, request id and uuid; it is left out');
      return [];
    }
    // A line marked as copied owns nothing: the file it was copied from may be read later.
    const copied = fieldsOf(line, 'forkedFrom') !== undefined;
    const owner = copied ? session : owners.claim(call, session);
    if (owner !== session && chain === null) facts.state.forkedFrom ??= owner;
    const model = textOf(message, 'model', 200) ?? null;
    const limit = (model && limits.get(model)) || null;
    const inherited = copied || owner !== session;
    const scope = scopeOf(chain);
    const turns = calls.take({ call, session, at, chain, scope, model, limit, inherited, usage: read });
    return turns.length ? announced(turns, at) : [];
  };

  const readSystem = (line: Fields, at: number, chain: string | null): TranscriptItem[] => {
    const usage = fieldsOf(line, 'contextUsage');
    const model = usage && textOf(usage, 'model', 200);
    const window = usage?.raw_max_tokens;
    if (model && typeof window === 'number' && Number.isSafeInteger(window) && window > 0) {
      limits.set(model, window);
    }
    const compaction = readCompaction(line, session, at, chain);
    if (compaction === null) return [];
    const boundary = compaction.boundary;
    if (boundary !== undefined && boundaries.has(boundary)) return [];
    if (boundary !== undefined) boundaries.add(boundary);
    counts.compactions += 1;
    return announced([...calls.release(chain), compaction], at);
  };

  /** Ids, forks and clears: where this session stands among others. */
  const readLineage = (line: Fields, at: number): TranscriptItem[] => {
    const parent = fieldsOf(line, 'forkedFrom');
    const parentId = parent && textOf(parent, 'sessionId');
    if (parentId !== undefined) {
      facts.state.forkedFrom ??= siblingKey(session, parentId);
      facts.state.reason = 'fork';
    }
    if (facts.state.announced === null && isClearCommand(line)) {
      facts.state.reason = 'clear';
      facts.state.previous ??= options.previousAt?.(at) ?? null;
    }
    const id = textOf(line, 'sessionId');
    if (id === undefined || identity.chain !== null || parentId !== undefined) return [];
    if (facts.state.clientSessionId === null) {
      facts.state.clientSessionId = identity.clientSessionId ?? id;
      aliases.add(facts.state.clientSessionId);
    }
    if (aliases.has(id)) return [];
    aliases.add(id);
    // The id of another file belongs to that file's session, whatever this one's lines say.
    if (!options.isFree(id)) return [];
    const alias = { type: 'session_alias', session, at, client: 'claude-code', clientSessionId: id } as const;
    return announced([alias], at);
  };

  const announced = (items: TranscriptItem[], at: number, worth = true): TranscriptItem[] => {
    const start =
      options.announces && worth
        ? facts.announce(session, facts.state.announced === null ? (facts.state.firstAt ?? at) : at)
        : null;
    return start === null ? items : [start, ...items];
  };

  return {
    line(text) {
      if (text.trim() === '') return [];
      counts.lines += 1;
      const { values, undecodable } = splitValues(text);
      if (values.length > 1) counts.glued += 1;
      if (undecodable) {
        counts.undecodable += 1;
        remark('a remainder of the line is no JSON; it is skipped');
      }
      return values.flatMap((value) => {
        const line = asFields(value);
        return line === undefined ? [] : readValue(line);
      });
    },
    settle() {
      const turns = calls.release();
      const due = turns.length > 0 || facts.state.announced !== null;
      return due ? announced(turns, lastAt ?? options.fallbackAt) : [];
    },
    forgetAnnouncement() {
      facts.note({ announced: null });
    },
    state(): ParserState {
      return {
        facts: { ...facts.state },
        calls: calls.state(),
        sideChains: sideChains.state(),
        boundaries: [...boundaries].slice(-200),
        limits: Object.fromEntries(limits),
        aliases: [...aliases],
        lastAt,
      };
    },
    get counts(): ParserCounts {
      return { ...counts, calls: calls.calls, usageConflicts: calls.usageConflicts };
    },
    get lastAt() {
      return lastAt;
    },
    remarks,
  };
}

/** Key of the session whose file stands beside this one under that id. */
function siblingKey(session: string, id: string): string {
  return `${session.slice(0, session.lastIndexOf('/') + 1)}${id}`;
}

function isClearCommand(line: Fields): boolean {
  if (line.type !== 'user') return false;
  const message = fieldsOf(line, 'message');
  const prompt = message === undefined ? null : promptOf(message.content);
  return prompt !== null && /^<command-(name|message)>\/?clear<\//.test(prompt);
}
