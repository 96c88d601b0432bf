/**
 * When a rule would have fired: the stored items of recent sessions are folded again, from the last checkpoint before
 * the range, and each state passes through the rule. Nothing is written.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises';
import type postgres from 'postgres';
import { MAIN_CHAIN } from '../../../core/accounting/empty-fold';
import type { CompactionOutcome } from '../../../core/accounting/next-boundary';
import { summarizeSession } from '../../../core/accounting/summarize-session';
import { isOfRunner } from '../../../core/alerts/conditions';
import { type AlertSpan, createReplay } from '../../../core/alerts/replay-rule';
import type { RuleDefinition } from '../../../core/alerts/rule';
import { compileScope, type Scoped } from '../../../core/alerts/scope';
import type { RulePreview } from '../../../core/api/alerts';
import type { EventData } from '../../../core/events/details';
import { Folding, figuresOf } from '../../ingest/fold';
import { readRows, readStart } from '../../ingest/stored-items';
import { timeOf } from '../../ingest/types';
import { peerOutcomes } from '../peer-outcomes';
import { projectContext } from '../project-settings';
import { existing } from '../session-row';

const RANGE_MS = 7 * 86_400_000;
/** Bounds of one preview; the answer states how many sessions were checked. */
const MOST_MS = 4_000;
const MOST_LISTED = 20_000;
const MOST_SHOWN = 50;
const TRACE_POINTS = 160;

interface Candidate extends Scoped {
  id: number;
  publicId: string;
  key: string;
  project: string;
  settings: unknown;
  peers: CompactionOutcome[];
}

type TracePoint = RulePreview['alerts'][number]['trace'][number];

export async function previewRule(
  sql: postgres.ISql,
  rule: RuleDefinition,
  nowMs: number,
): Promise<RulePreview> {
  const from = nowMs - RANGE_MS;
  const inScope = compileScope(rule.scope);
  const listed = isOfRunner(rule.condition)
    ? []
    : await sql<(Scoped & { id: number })[]>`
        select s.id, s.title, s.branch, s.model, p.name as project, r.name as runner
        from sessions s join projects p on p.id = s.project_id join runners r on r.id = s.runner_id
        where s.last_turn_at >= ${new Date(from)} and ${existing(sql)}
        order by s.last_turn_at desc limit ${MOST_LISTED}`;
  const wanted = listed.filter(inScope);
  const until = performance.now() + MOST_MS;
  const found: (RulePreview['alerts'][number] & { count: number })[] = [];
  let checked = 0;
  for (const { id } of wanted) {
    if (performance.now() > until) break;
    checked += 1;
    const candidate = await readCandidate(sql, id);
    if (!candidate) continue;
    const { spans, trace } = await replaySession(sql, rule, candidate, { from, nowMs, until });
    if (spans.length === 0) continue;
    const { publicId, title, key, project } = candidate;
    found.push({
      session: { id: publicId, title, key, project },
      spans: spans.map(toSpan),
      trace: thin(trace),
      count: spans.length,
    });
  }
  found.sort((a, b) => b.count - a.count);
  return {
    from: new Date(from).toISOString(),
    to: new Date(nowMs).toISOString(),
    sessions: wanted.length,
    checked,
    fired: found.reduce((sum, { count }) => sum + count, 0),
    firedIn: found.length,
    alerts: found.slice(0, MOST_SHOWN).map(({ count: _count, ...rest }) => rest),
  };
}

async function readCandidate(sql: postgres.ISql, id: number): Promise<Candidate | undefined> {
  const [row] = await sql<Candidate[]>`
    select s.id, s.public_id as "publicId", s.key, s.title, s.branch, s.model, p.name as project, r.name as runner,
      p.settings, ${sql.unsafe(peerOutcomes('s'))}
    from sessions s join projects p on p.id = s.project_id join runners r on r.id = s.runner_id
    where s.id = ${id}`;
  return row;
}

async function replaySession(
  sql: postgres.ISql,
  rule: RuleDefinition,
  { id, settings, peers, title, branch, project, runner, model }: Candidate,
  { from, nowMs, until }: { from: number; nowMs: number; until: number },
): Promise<{ spans: AlertSpan[]; trace: TracePoint[] }> {
  const [first] = await sql<{ position: number }[]>`
    select coalesce(max(position), 0) as position from checkpoints
    where session_id = ${id} and (fold->>'lastTurnAt')::float8 < ${from}`;
  const start = await readStart(sql, id, (first?.position ?? 0) + 1);
  const chains = await sql<{ chain: number; key: string }[]>`
    select chain, key from chains where session_id = ${id}`;
  const numbers = new Map(chains.map(({ chain, key }) => [key, chain]));
  const context = projectContext(settings);
  const folding = new Folding(id, start.fold, context, null, (key) => numbers.get(key) ?? 0);
  const replay = createReplay(rule, from);
  const trace: TracePoint[] = [];
  const seen = new Set<string>();
  let position: number | null = start.position;
  while (position !== null && performance.now() < until) {
    const { rows, next } = await readRows(sql, id, position);
    for (const placed of rows) {
      const { state } = folding;
      const { derived } = folding.fold(placed);
      const { at } = timeOf(placed, state.backfill);
      const figures = figuresOf(summarizeSession(state, context.thresholds, peers));
      const facts = {
        ...figures,
        project: project ?? '',
        runner: runner ?? '',
        title,
        branch,
        model: figures.model ?? model,
      };
      replay.step(at, facts, takeEvents(folding, seen));
      if (derived?.chain === MAIN_CHAIN && at >= from) trace.push([Math.floor(at / 1_000), facts.pressure]);
    }
    position = next;
    // Other requests of this process get their turn.
    await yieldTurn();
  }
  return { spans: replay.end(nowMs), trace };
}

/** Events of the last item, and compactions whose state it amended. `seen`: the amended states so far. */
function takeEvents({ amends, events }: Folding, seen: Set<string>): EventData[] {
  const amended = [...amends.values()].filter(({ kind }) => kind === 'compaction');
  amends.clear();
  // Taken out, so that a later item amends the event as one of an earlier run.
  const taken = [...events.splice(0), ...amended].filter(({ position, kind, detail }) => {
    const state = `${position} ${kind} ${Object(detail).state ?? ''}`;
    return !seen.has(state) && seen.add(state);
  });
  return taken as unknown as EventData[];
}

function toSpan({ firedAt, resolvedAt, text }: AlertSpan) {
  return {
    firedAt: new Date(firedAt).toISOString(),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt).toISOString(),
    text,
  };
}

/** The highest point of each bucket, so that a peak over a line stays visible. */
function thin(trace: readonly TracePoint[]): TracePoint[] {
  if (trace.length <= TRACE_POINTS) return [...trace];
  const size = trace.length / TRACE_POINTS;
  return Array.from({ length: TRACE_POINTS }, (_, index) => {
    const bucket = trace.slice(Math.floor(index * size), Math.floor((index + 1) * size));
    return bucket.reduce((most, point) => ((point[1] ?? -1) > (most[1] ?? -1) ? point : most));
  });
}
