/**
 * The API calls of one file. A call has one line per content block. All its lines have the same message id, and early
 * lines have a placeholder for the output count.
 *
 * The newest call of each chain is held until it is complete, so an import sends each call once. In a live file, a
 * later line of a sent call becomes an amendment. Beyond `MAX_KNOWN` the oldest id is forgotten. A later line of
 * that call is sent as a new call, which the server recognises.
 */
import type { TranscriptItemOf } from '../agent-format';
import { present } from '../fields';
import { combine, NONE } from './cost-state';
import { type CallUsage, contextTokensOf } from './line';
import { type Counts, callsOfAdvisors, sizeOf } from './message-usage';
import type { Window } from './windows';

type TurnReport = TranscriptItemOf<'turn'>;

interface CallLine {
  /** Ids of the call. The book knows the call by the first. */
  call: string[];
  session: string;
  at: number;
  chain: string | null;
  scope: 'main' | 'side';
  model: string | null;
  window: Window | null;
  inherited: boolean;
  usage: CallUsage;
}

interface KnownCall extends CallLine {
  sent: boolean;
}

export interface CallBookState {
  known: KnownCall[];
}

const MAX_KNOWN = 4096;
/** Calls in a saved book. A few are enough, because the lines of one call are close together. */
const MAX_SAVED = 64;

interface Costs {
  /** Takes the usage that a line adds to the calls of its model. */
  spend(model: string | null, added: Counts): void;
  /** Takes the usage that a line adds to the calls of an advisor. */
  spendAdvisor(model: string | null, added: Counts): void;
}

export function createCallBook(costs: Costs, saved?: CallBookState) {
  const known = new Map<string, KnownCall>();
  const held = new Map<string | null, KnownCall>();
  let calls = 0;
  let usageConflicts = 0;
  for (const call of saved?.known ?? []) {
    // States of earlier versions have no advisors.
    call.usage.advisors ??= [];
    known.set(call.call[0] ?? '', call);
    if (!call.sent) held.set(call.chain, call);
  }

  const release = (chain: string | null): TurnReport[] => {
    const call = held.get(chain);
    if (call === undefined) return [];
    held.delete(chain);
    call.sent = true;
    return toTurns(call);
  };

  /** Takes the tokens that a line adds to the calls of advisors. */
  const takeAdvisors = ({ advisors }: CallUsage, line: CallUsage): boolean => {
    let grew = false;
    for (const [place, advisor] of line.advisors.entries()) {
      const before = advisors[place] ?? { ...advisor, ...NONE };
      advisors[place] = before;
      if (sizeOf(advisor) <= sizeOf(before)) continue;
      if (sizeOf(before) === 0) calls += 1;
      advisors[place] = advisor;
      costs.spendAdvisor(advisor.model, combine(advisor, before, -1));
      grew = true;
    }
    return grew;
  };

  return {
    take(line: CallLine): TurnReport[] {
      const [name = ''] = line.call;
      const before = known.get(name);
      if (before !== undefined) {
        const was = { ...before.usage };
        const { conflict, grew } = merge(before.usage, line.usage);
        if (grew) costs.spend(before.model, combine(before.usage, was, -1));
        if (conflict) usageConflicts += 1;
        const isNews = takeAdvisors(before.usage, line.usage) || grew;
        return isNews && before.sent ? toTurns(before) : [];
      }
      const displaced = release(line.chain);
      const call = { ...line, usage: { ...line.usage, advisors: [] }, sent: false };
      known.set(name, call);
      held.set(line.chain, call);
      calls += 1;
      costs.spend(line.model, line.usage);
      takeAdvisors(call.usage, line.usage);
      if (known.size > MAX_KNOWN) forgetOldest(known);
      return displaced;
    },
    release: (chain?: string | null): TurnReport[] =>
      chain === undefined ? [...held.keys()].flatMap(release) : release(chain),
    state: (): CallBookState => ({ known: [...known.values()].slice(-MAX_SAVED) }),
    get calls() {
      return calls;
    },
    get usageConflicts() {
      return usageConflicts;
    },
  };
}

function forgetOldest(known: Map<string, KnownCall>): void {
  for (const call of known.values()) {
    if (!call.sent) continue;
    known.delete(call.call[0] ?? '');
    return;
  }
}

/** Merge a further line. The largest output wins. Different prompt counts conflict, unless the known ones are 0. */
function merge(known: CallUsage, line: CallUsage): { conflict: boolean; grew: boolean } {
  const prompt = ['input', 'cacheRead', 'cacheCreation'] as const;
  const sizeBefore = contextTokensOf(known);
  const outputBefore = known.output;
  const differs = prompt.some((name) => known[name] !== line[name]);
  const conflict = differs && prompt.some((name) => known[name] !== 0);
  if (!conflict) {
    for (const name of prompt) known[name] = line[name];
    known.last = line.last ?? known.last;
  }
  known.output = Math.max(known.output, line.output);
  const grew = known.output > outputBefore || contextTokensOf(known) > sizeBefore || (differs && !conflict);
  return { conflict, grew };
}

/** The call, and a side call for each advisor, because an advisor has no part of the context. */
function toTurns({ call, at, scope, window, usage, ...facts }: KnownCall): TurnReport[] {
  const turnOf = (model: string | null, { input, output, cacheRead, cacheCreation }: Counts) => ({
    type: 'turn' as const,
    session: facts.session,
    at,
    ...present({ chain: facts.chain, model }),
    usage: { input, output, cacheRead, cacheCreation },
    ...(facts.inherited ? { inherited: true } : {}),
  });
  const own: TurnReport = {
    ...turnOf(facts.model, usage),
    scope,
    call: call.length > 1 ? call : call[0],
    ...window,
    contextTokens: contextTokensOf(usage),
    basis: 'total',
  };
  const advisors = callsOfAdvisors(call[0] ?? null, usage.advisors).map((advisor): TurnReport => {
    return { ...turnOf(advisor.model, advisor.usage), scope: 'side', ...present({ call: advisor.call }) };
  });
  return [own, ...advisors];
}
