/**
 * The rows of a played scenario, folded without a server or read from the API. If both are equal, the server lost,
 * duplicated and moved nothing.
 */
import type { DerivedTurn } from '@/core/accounting/fold-types';
import { summarizeSession } from '@/core/accounting/summarize-session';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { Session, TurnRow } from '@/core/api/session';
import { type FoldedSession, foldScenario } from '@/core/scenario/fold-scenario.fixture';
import type { Scenario, ScenarioItem } from '@/core/scenario/types';
import type { ReadApi } from './read-api';

interface SessionRows {
  session: Pick<
    Session,
    | 'lens'
    | 'pressure'
    | 'used'
    | 'limit'
    | 'continuations'
    | 'compactions'
    | 'contextCount'
    | 'turnCount'
    | 'totals'
  >;
  turns: Array<Pick<TurnRow, 'chain' | 'context' | 'number' | 'usage' | 'cumulative' | 'contextTokens'>>;
  /** Restarts, confirmed compactions, clears and gaps of the main chain, in order. */
  boundaries: string[];
}

export type FleetRows = Record<string, SessionRows>;

/** @param beginningMs start of the scenario, milliseconds since the epoch */
export function rowsOfScenario(scenario: Scenario, beginningMs: number): FleetRows {
  const sessions = foldScenario(scenario, beginningMs, Number.POSITIVE_INFINITY);
  return Object.fromEntries([...sessions].map(([key, folded]) => [key, rowsOfFold(folded)]));
}

export async function rowsOfServer(api: ReadApi): Promise<FleetRows> {
  const rows: FleetRows = {};
  for (const session of await api.sessions()) {
    const [turns, events] = await Promise.all([api.turns(session.id), api.events(session.id)]);
    rows[session.key] = {
      session: pickSession(session),
      turns: turns.map(({ chain, context, number, usage, cumulative, contextTokens }) => ({
        chain,
        context,
        number,
        usage,
        cumulative,
        contextTokens,
      })),
      boundaries: boundariesOf(events),
    };
  }
  return rows;
}

function rowsOfFold({ fold, steps, turns, events }: FoldedSession): SessionRows {
  const reports = steps.map(({ item }) => item).filter(isReport);
  if (reports.length !== turns.length) throw new Error('A report of the scenario created no row.');
  return {
    session: pickSession(summarizeSession(fold, DEFAULT_THRESHOLDS)),
    turns: turns.flatMap((turn, index) => {
      const report = reports[index];
      return report === undefined ? [] : [rowOf(report, turn)];
    }),
    boundaries: boundariesOf(events),
  };
}

type Report = Extract<ScenarioItem, { type: 'turn' | 'reading' }>;

function isReport(item: ScenarioItem): item is Report {
  return item.type === 'turn' || item.type === 'reading';
}

function rowOf(report: Report, turn: DerivedTurn): SessionRows['turns'][number] {
  const usage = report.type === 'turn' ? (report.usage ?? null) : null;
  return {
    chain: turn.chain,
    context: turn.context,
    number: turn.number,
    usage:
      usage === null
        ? null
        : {
            input: usage.input ?? 0,
            output: usage.output ?? 0,
            cacheRead: usage.cacheRead ?? 0,
            cacheCreation: usage.cacheCreation ?? 0,
          },
    cumulative: turn.cumulative,
    contextTokens: report.contextTokens ?? null,
  };
}

function pickSession(session: SessionRows['session']): SessionRows['session'] {
  const { lens, pressure, used, limit, continuations, compactions, contextCount, turnCount, totals } =
    session;
  return { lens, pressure, used, limit, continuations, compactions, contextCount, turnCount, totals };
}

interface Boundary {
  kind: string;
  chain: string;
  context: number;
  detail: Record<string, unknown>;
}

/**
 * Pending compactions are left out: a hook has its own stream, so after an outage its announcement may arrive before or
 * after turns of the other stream.
 */
function boundariesOf(events: readonly Boundary[]): string[] {
  const kinds = ['restart', 'compaction', 'context_cleared', 'turns_dropped'];
  return events
    .filter(
      ({ kind, chain, detail }) => kinds.includes(kind) && chain === 'main' && detail.state !== 'pending',
    )
    .map(({ kind, detail }) => {
      const { trigger, state, preTokens, postTokens, count, continuation } = detail;
      return [kind, trigger, state, preTokens, postTokens, count, continuation]
        .filter((value) => value !== undefined && value !== null)
        .join(' ');
    });
}
