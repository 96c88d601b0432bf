/** Folds the sessions of a scenario as ingest does, without a server. */

import { emptySessionFold, foldItem } from '../accounting/fold';
import type { DerivedEvent, DerivedTurn, FoldContext, SessionFold } from '../accounting/fold-types';
import { DEFAULT_THRESHOLDS } from '../accounting/thresholds';
import type { Item } from '../protocol/items';
import type { Scenario, ScenarioStep } from './types';

export interface FoldedSession {
  fold: SessionFold;
  turns: DerivedTurn[];
  events: DerivedEvent[];
  steps: ScenarioStep[];
}

/** @param beginningMs start of the scenario, milliseconds since the epoch @throws Error if the fold refuses an item */
export function foldScenario(
  scenario: Scenario,
  beginningMs: number,
  untilMs: number,
): Map<string, FoldedSession> {
  const sessions = new Map<string, FoldedSession>();
  for (const step of scenario.items()) {
    if (step.afterMs > untilMs) break;
    const known = sessions.get(step.item.session);
    const session = known ?? { fold: emptySessionFold(), turns: [], events: [], steps: [] };
    if (known === undefined) sessions.set(step.item.session, session);
    session.steps.push(step);
  }
  for (const session of sessions.values()) foldSteps(session, beginningMs);
  return sessions;
}

function foldSteps(session: FoldedSession, beginningMs: number): void {
  const context: FoldContext = { thresholds: { ...DEFAULT_THRESHOLDS } };
  session.steps.forEach((step, index) => {
    const item = placeStep(step, beginningMs, index + 1);
    const input = { position: index + 1, at: item.at, clockOff: false, source: step.source, item };
    const result = foldItem(session.fold, input, context);
    if (!result.ok) throw new Error(`refused: ${result.reason}`);
    if (result.turn !== null) session.turns.push(result.turn);
    session.events.push(...result.events);
    const { amends } = result;
    if (amends !== null) {
      const earlier = session.events.findLast((event) => event.kind === amends.kind);
      if (earlier !== undefined) earlier.detail = amends.detail;
    }
  });
}

export function placeStep(step: Readonly<ScenarioStep>, beginningMs: number, seq: number): Item {
  return { ...step.item, seq, at: beginningMs + step.afterMs };
}
