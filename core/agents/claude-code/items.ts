/**
 * Reads a Claude Code transcript, line by line, into protocol items. The items are in file order, because timestamps
 * are not in order. The state is plain JSON, so reading can continue after a restart.
 */
import type { ParserCounts, ParserOptions, TranscriptItem, TranscriptParser } from '../agent-format';
import { asFields, asTime, cleanText, type Fields, present, SYNTHETIC, UUID } from '../fields';
import { humanText } from '../human-text';
import { splitValues } from '../lines';
import { createSessionFacts, makeTitle, type SessionFactsState, type Title } from '../session-facts';
import { aboutClaudeCode, NAME } from './about';
import { readBoundary } from './boundary';
import { type CallBookState, createCallBook } from './call-book';
import { type CostState, createCosts } from './cost-state';
import { isSideChain, readCall, readTexts } from './line';
import { createSideChains, type SideChainsState } from './side-chains';
import { createWindows, type WindowsState } from './windows';

interface ParserState {
  facts: SessionFactsState;
  calls: CallBookState;
  costs?: CostState;
  sideChains: SideChainsState;
  boundaries: string[];
  windows: WindowsState;
  aliases: string[];
  lastAt: number | null;
  /** Time of the newest line that is marked as a copy. */
  copiedUntil?: number | null;
}

export function createParser(options: ParserOptions): TranscriptParser {
  const { identity, owners } = options;
  const { session } = identity;
  const saved = options.state as ParserState | undefined;
  const facts = createSessionFacts(NAME, options, saved?.facts);
  const costs = createCosts(saved?.costs);
  const calls = createCallBook(costs, saved?.calls);
  const sideChains = createSideChains(identity.chain, saved?.sideChains);
  const boundaries = new Set<string>(saved?.boundaries);
  const windows = createWindows(saved?.windows);
  const aliases = new Set<string>(saved?.aliases);
  const requests = new Map<string, string>();
  const counts = { undecodable: 0, synthetic: 0, invalid: 0, compactions: 0 };
  let lastAt = saved?.lastAt ?? null;
  let copiedUntil = saved?.copiedUntil ?? null;

  const readValue = (line: Fields): TranscriptItem[] => {
    lastAt = asTime(line.timestamp) ?? lastAt;
    const at = lastAt ?? options.fallbackAt;
    facts.state.firstAt ??= lastAt;
    const chain = sideChains.chainOf(line);
    readFacts(facts, line);
    windows.read(line);
    const lineage = takeLineage(line, at);
    if (line.type === 'assistant') return [...lineage, ...takeCall(line, at, chain)];
    if (line.type === 'system') return [...lineage, ...takeSystem(line, at, chain)];
    if (line.type === 'cost-state') return takeTotals(line);
    const result = asFields(line.toolUseResult);
    if (result?.agentId !== undefined) costs.spendAgent(result);
    // A prompt announces the session before its first answer. The client's note before a command is not a prompt.
    facts.state.prompted ||=
      line.type === 'user' && !readTexts(line)[0]?.startsWith('<local-command-caveat>');
    return lineage;
  };

  /** The client may write a marked line again without the mark. A fork's own lines are newer than all copied lines. */
  const isMarkedCopy = (line: Fields): boolean => {
    const at = asTime(line.timestamp);
    if (asFields(line.forkedFrom) === null) return at !== null && copiedUntil !== null && at <= copiedUntil;
    copiedUntil = Math.max(at ?? 0, copiedUntil ?? 0);
    return true;
  };

  /** Whether another session owns the record. A marked copy claims no record, because the original may be read later. */
  const isCopied = (line: Fields, record: string, chain: string | null): boolean => {
    const isMarked = isMarkedCopy(line);
    const owner = isMarked ? session : owners.claim(record, session);
    if (owner !== session && chain === null) {
      facts.state.forkedFrom ??= owner;
      facts.state.reason = 'fork';
    }
    const isCopy = isMarked || owner !== session;
    if (isCopy) costs.state.expected = null;
    return isCopy;
  };

  const takeCall = (line: Fields, at: number, chain: string | null): TranscriptItem[] => {
    const read = readCall(line);
    if (read === null) return [];
    if (typeof read === 'string') {
      counts[read] += 1;
      return [];
    }
    const { id, model, usage } = read;
    // An unmarked copy of a call keeps the uuid of its line, or its id, time and usage. A call's id alone may repeat, for
    // example behind a proxy.
    const record = cleanText(line.uuid) ?? `${id} ${cleanText(line.timestamp)} ${JSON.stringify(usage)}`;
    const inherited = isCopied(line, record, chain);
    const window = windows.of(model);
    const scope = isSideChain(chain) ? 'side' : 'main';
    // A server may repeat the id of a copied call for a new call.
    const call = inherited ? [`copy:${id}`] : idsOf(read);
    const turns = calls.take({ call, session, at, chain, scope, model, window, inherited, usage });
    return turns.length > 0 ? facts.announced(turns, at) : [];
  };

  /** Ids of a call. A request id that an earlier message already has is left out. */
  const idsOf = ({ id, request }: { id: string; request: string | null }): string[] => {
    if (request === null) return [id];
    const message = requests.get(request) ?? id;
    requests.set(request, message);
    return message === id ? [id, request] : [id];
  };

  const takeSystem = (line: Fields, at: number, chain: string | null): TranscriptItem[] => {
    const found = readBoundary(line);
    if (found === null || (found.id !== null && boundaries.has(found.id))) return [];
    if (found.id !== null) boundaries.add(found.id);
    // The compaction of the parent is no event of a fork.
    if (found.id !== null && isCopied(line, found.id, chain)) return [];
    counts.compactions += 1;
    const { id, trigger, preTokens, postTokens, durationMs } = found;
    if (chain === null && id !== null) costs.state.compacted.push({ id, at, preTokens: preTokens ?? 0 });
    const compaction: TranscriptItem = {
      type: 'compaction',
      session,
      at,
      trigger: trigger ?? 'auto',
      state: 'confirmed',
      ...present({ chain, preTokens, postTokens, durationMs, boundary: id }),
    };
    return facts.announced([...calls.release(chain), compaction], at);
  };

  const takeTotals = (line: Fields): TranscriptItem[] => {
    const found = costs.total(line);
    if (found === null) return [];
    const { id, at, model, usage } = found;
    const chain = `${aboutClaudeCode.summaryChain}${id}`;
    return [{ type: 'turn', session, at, chain, scope: 'side', call: chain, model, usage }];
  };

  /** Records client ids, forks and clears, which relate the session to others. */
  const takeLineage = (line: Fields, at: number): TranscriptItem[] => {
    const parentId = cleanText(asFields(line.forkedFrom)?.sessionId);
    if (parentId !== null) {
      facts.state.forkedFrom ??= siblingKey(session, parentId);
      facts.state.reason = 'fork';
    }
    if (facts.state.announced === null && isClearCommand(line)) {
      facts.state.reason = 'clear';
      facts.state.previous ??= options.previousAt?.(at) ?? null;
    }
    const id = cleanText(line.sessionId);
    if (id === null || identity.chain !== null || parentId !== null) return [];
    if (facts.state.clientSessionId === null) {
      facts.state.clientSessionId = identity.clientSessionId ?? id;
      aliases.add(facts.state.clientSessionId);
    }
    if (aliases.has(id)) return [];
    aliases.add(id);
    // The id of another file belongs to that file's session.
    if (!options.isFree(id)) return [];
    return facts.announced([{ type: 'session_alias', session, at, client: NAME, clientSessionId: id }], at);
  };

  return {
    line(text) {
      const { values, undecodable } = splitValues(text);
      if (undecodable) counts.undecodable += 1;
      return values.flatMap((value) => {
        const line = asFields(value);
        return line === null ? [] : readValue(line);
      });
    },
    settle() {
      const turns = calls.release();
      return turns.length > 0 || facts.isDue() ? facts.announced(turns, lastAt ?? options.fallbackAt) : [];
    },
    forgetAnnouncement: facts.forgetAnnouncement,
    state(): ParserState {
      return {
        facts: { ...facts.state },
        calls: calls.state(),
        costs: structuredClone(costs.state),
        sideChains: sideChains.state(),
        boundaries: [...boundaries].slice(-200),
        windows: windows.state(),
        aliases: [...aliases],
        lastAt,
        copiedUntil,
      };
    },
    get counts(): ParserCounts {
      return { ...counts, calls: calls.calls, usageConflicts: calls.usageConflicts };
    },
    get lastAt() {
      return lastAt;
    },
  };
}

/** Key of the session with that id, in a file of the same folder. */
function siblingKey(session: string, id: string): string {
  return UUID.test(id) ? `${NAME}:${id}` : `${session.slice(0, session.lastIndexOf('/') + 1)}${id}`;
}

function isClearCommand(line: Fields): boolean {
  return /^<command-(name|message)>\/?clear<\//.test(readTexts(line)[0] ?? '');
}

/** Facts about a session in a line of Claude Code: title, client, branch and model. */
function readFacts({ state: facts, offerTitle }: ReturnType<typeof createSessionFacts>, line: Fields) {
  facts.version = cleanText(line.version, 100) ?? facts.version;
  facts.folder ??= cleanText(line.cwd, 1000);
  facts.branch = cleanText(line.gitBranch, 300) ?? facts.branch;
  const model = line.type === 'assistant' ? cleanText(asFields(line.message)?.model, 200) : null;
  if (model !== SYNTHETIC) facts.model ??= model;
  offerTitle(titleOf(line));
}

/** Ranks of titles. Best first: custom title, generated title, summary, first prompt. */
const PROMPT_RANK = 1;
const NAMED: Record<string, { field: string; rank: number }> = {
  'custom-title': { field: 'customTitle', rank: 4 },
  'ai-title': { field: 'aiTitle', rank: 3 },
  summary: { field: 'summary', rank: 2 },
};

function titleOf(line: Fields): Title | null {
  const named = typeof line.type === 'string' ? NAMED[line.type] : undefined;
  if (named !== undefined) return makeTitle(line[named.field], named.rank, true);
  if (line.type !== 'user' || line.isSidechain === true || line.isMeta === true) return null;
  if (line.isCompactSummary === true || line.repeatsCompactSummary === true) return null;
  const typed = readTexts(line).map(humanText);
  return makeTitle(
    typed.find((text) => text !== null),
    PROMPT_RANK,
    false,
  );
}
