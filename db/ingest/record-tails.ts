/** Sessions whose new items simply follow: positions, sums and rows, then what grows more slowly. */
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { ChainFold } from '../../core/accounting/fold-types';
import { type Edge, PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import type { Folding } from './fold-items';
import { foldTail } from './fold-tail';
import { noteLens } from './history-changes';
import { numberTail } from './place-rows';
import { buildPyramid, extendPyramid, type Pyramid, readEdges } from './pyramid-rows';
import type { Recorder } from './recorder';
import { CHECKPOINT_EVERY } from './refold';
import { bucketRow } from './rows';
import { describe, descriptionOf, sessionRow } from './session-columns';
import type { SessionPlan } from './session-plan';

export interface FoldedTail {
  plan: SessionPlan;
  folding: Folding;
  lastPosition: number;
  /** Turns of the main chain before the batch. */
  turnsBefore: number;
  edge: Edge | null;
  needsCheckpoint: boolean;
}

export async function recordTails(recorder: Recorder, plans: readonly SessionPlan[]): Promise<FoldedTail[]> {
  const { writes } = recorder;
  const tails = plans.map((plan): FoldedTail => {
    const turnsBefore = plan.chains.get(MAIN_CHAIN)?.fold?.turnCount ?? 0;
    const lastPosition = numberTail(plan, plan.session.lastPosition);
    const thresholds = recorder.thresholdsOf(plan.session);
    const folding = foldTail(plan, thresholds, recorder.models, recorder.refuseRow, writes);
    const items = plan.session.itemsSinceCheckpoint + plan.tail.length;
    return {
      plan,
      folding,
      lastPosition,
      turnsBefore,
      edge: null,
      needsCheckpoint: items >= CHECKPOINT_EVERY,
    };
  });
  for (const tail of tails) writeSession(recorder, tail);
  await extendEdges(recorder, tails);
  return tails;
}

/** Pyramids and checkpoints, whose beginning is read back from the rows just written. */
export async function finishTails({ tx, writes }: Recorder, tails: readonly FoldedTail[]): Promise<void> {
  for (const tail of tails) {
    const { plan, folding, lastPosition, turnsBefore } = tail;
    const { session } = plan;
    if (turnsBefore <= PYRAMID_MIN_TURNS && turnCount(folding) > PYRAMID_MIN_TURNS) {
      const pyramid = await buildPyramid(tx, session, lastPosition);
      writes.buckets.push(
        ...[...pyramid.completed, ...pyramid.edge].map((bucket) => bucketRow(session, bucket)),
      );
      tail.edge = pyramid.edge;
    }
    if (!tail.needsCheckpoint) continue;
    const rows = await tx<{ key: string; fold: ChainFold }[]>`
      select key, fold from chains where month = ${session.month} and session_id = ${session.id}`;
    const chains = Object.fromEntries(rows.map(({ key, fold }) => [key, fold]));
    writes.checkpoints.push({
      m: session.month,
      s: session.id,
      p: lastPosition,
      f: { ...folding.state, chains },
      e: tail.edge,
      near: false,
    });
  }
}

function writeSession(
  recorder: Recorder,
  { plan, folding, lastPosition, needsCheckpoint }: FoldedTail,
): void {
  const { session, tail } = plan;
  const project = recorder.projectOf(session);
  const description = tail.reduce(
    (before, row) => (row.kind === 'report' ? describe(before, row.record.item, project) : before),
    descriptionOf(session),
  );
  const startedBefore = session.lastPosition === 0 ? folding.startedAt : null;
  noteLens(recorder.writes, session, folding.state);
  recorder.writes.sessions.push(
    sessionRow(
      session.id,
      {
        owner: plan.owner,
        sources: plan.sources,
        lastPosition,
        chainCount: plan.chainCount,
        recomputeFrom: null,
        lastActivityAt: plan.lastActivityAt,
        version: session.version + 1,
      },
      {
        state: folding.state,
        thresholds: folding.context.thresholds,
        description,
        startedAt: startedBefore ?? session.startedAt.getTime(),
        endedAt: folding.endedAt === undefined ? (session.endedAt?.getTime() ?? null) : folding.endedAt,
        itemsSinceCheckpoint: needsCheckpoint ? 0 : session.itemsSinceCheckpoint + tail.length,
      },
    ),
  );
}

async function extendEdges({ tx, writes }: Recorder, tails: readonly FoldedTail[]): Promise<void> {
  const long = tails.filter(({ turnsBefore }) => turnsBefore > PYRAMID_MIN_TURNS);
  if (long.length === 0) return;
  const edges = await readEdges(
    tx,
    long.map(({ plan, turnsBefore }) => ({ ...plan.session, turnCount: turnsBefore })),
  );
  for (const tail of long) {
    const { session } = tail.plan;
    const pyramid: Pyramid = { completed: [], edge: edges.get(session.id) ?? [] };
    extendPyramid(pyramid, tail.folding.points);
    tail.edge = pyramid.edge;
    if (tail.folding.points.length === 0) continue;
    writes.buckets.push(
      ...[...pyramid.completed, ...pyramid.edge].map((bucket) => bucketRow(session, bucket)),
    );
  }
}

function turnCount({ state }: Folding): number {
  return state.chains[MAIN_CHAIN]?.turnCount ?? 0;
}
