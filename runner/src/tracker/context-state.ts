import type { PressureState } from '../../../core/accounting/types';
import { reaches } from './percent-line';
import { DEFAULT_TRACKER_CONFIG, type TrackerConfig, type TrackerLines } from './tracker-config';

export { isConcerning, needsReset } from '../../../core/accounting/state';

/** How full the context is, from plenty of room to at or over the limit. */
export type ContextState = Exclude<PressureState, 'untracked' | 'unknown'>;

/** State of a percentage; bounds are inclusive. For counts, `stateOfTokens` is exact where this one rounds. */
export function stateOfPercent(
  usagePercent: number,
  config: Readonly<
    Pick<TrackerConfig, 'elevatedPercent' | 'warningPercent' | 'criticalPercent'>
  > = DEFAULT_TRACKER_CONFIG,
): ContextState {
  if (usagePercent >= 100) return 'redlined';
  if (usagePercent >= config.criticalPercent) return 'critical';
  if (usagePercent >= config.warningPercent) return 'warning';
  if (usagePercent >= config.elevatedPercent) return 'elevated';
  return 'nominal';
}

/** State of so many tokens in a window; nominal where there is no limit (0 or less). */
export function stateOfTokens(tokens: number, maxTokens: number, lines: TrackerLines): ContextState {
  if (reaches(tokens, maxTokens, lines.redlined)) return 'redlined';
  if (reaches(tokens, maxTokens, lines.critical)) return 'critical';
  if (reaches(tokens, maxTokens, lines.warning)) return 'warning';
  if (reaches(tokens, maxTokens, lines.elevated)) return 'elevated';
  return 'nominal';
}
