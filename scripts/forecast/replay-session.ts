import { emptySessionFold, foldItem } from '../../core/accounting/fold';
import { forecastOf } from '../../core/accounting/next-boundary';
import { summarizeSession } from '../../core/accounting/summarize-session';
import { DEFAULT_THRESHOLDS } from '../../core/accounting/thresholds';
import type { BoundaryKind } from '../../core/accounting/types';
import type { TranscriptItem } from '../../core/agents/agent-format';
import type { Forecast } from '../../core/api/session';
import { countDown } from '../../core/forecast/count-down';
import { beliefsAtRate } from '../../core/forecast/expected-rate';
import { emptyGrowthRecord, type GrowthRecord } from '../../core/forecast/growth-record';
import type { LensName } from '../../core/protocol/items';

/** A session after one main turn. */
export interface Moment {
  at: number;
  used: number;
  left: number;
  lens: LensName;
  record: GrowthRecord;
  /** Forecast on the fleet and session pages at that moment. */
  forecast: Forecast | null;
}

export interface ReplayedContext {
  session: string;
  index: number;
  /** null: still open at the end of the transcript. */
  endedBy: BoundaryKind | null;
  moments: Moment[];
}

/** The main chain's contexts, with the server's forecast after each turn. */
export function replaySession(session: string, items: readonly TranscriptItem[]): ReplayedContext[] {
  const state = emptySessionFold();
  const context = { thresholds: DEFAULT_THRESHOLDS };
  let open: ReplayedContext = { session, index: 0, endedBy: null, moments: [] };
  const contexts = [open];
  items.forEach((item, index) => {
    const input = {
      position: index + 1,
      at: item.at,
      clockOff: false,
      source: 'transcript' as const,
      item: { ...item, seq: index + 1 },
    };
    const turnsBefore = state.chains.main?.context.mainTurns ?? 0;
    const step = foldItem(state, input, context);
    if (!step.ok) return;
    if (step.closed?.chain === 'main') {
      open.endedBy = step.closed.endedBy;
      open = { session, index: open.index + 1, endedBy: null, moments: [] };
      contexts.push(open);
      return;
    }
    if (item.type !== 'turn' || (state.chains.main?.context.mainTurns ?? 0) === turnsBefore) return;
    const { used, nextBoundary, forecast } = summarizeSession(state, DEFAULT_THRESHOLDS);
    const record = structuredClone(state.chains.main?.record ?? emptyGrowthRecord());
    const { left = 0 } = nextBoundary ?? {};
    open.moments.push({ at: item.at, used: used ?? 0, left, lens: state.lens, record, forecast });
  });
  return contexts.filter(({ moments }) => moments.length > 0);
}

/** The same forecast with the prior at another typical rate. */
export function forecastAtRate(moment: Moment, tokensPerTurn: number): Forecast | null {
  const { forecast, record, left, lens } = moment;
  if (forecast === null) return null;
  const { kind, at } = forecast;
  return { kind, at, ...countDown(record, left, at, lens, beliefsAtRate(tokensPerTurn)) };
}

/** The same forecast towards a level of tokens instead of the session's boundary. */
export function forecastOfLevel(moment: Moment, level: number): Forecast | null {
  const { used, record, lens } = moment;
  const place = { at: level, left: Math.max(0, level - used), passed: level <= used };
  return forecastOf({ kind: 'limit', source: 'limit', ...place }, record, lens);
}
