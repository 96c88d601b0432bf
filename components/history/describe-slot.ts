import { formatPercent } from '../format/format-percent';
import { formatCount, formatExact } from '../format/format-tokens';
import { slotLabel } from './history-words';
import type { Slot } from './prepare-history';

/** A slot in one sentence, for those who hear it. */
export function describeSlot({ from, to, point, partial }: Slot, zone: string): string {
  const parts = [
    formatCount(point.turns, 'turn'),
    point.peak === null ? 'peak pressure not known' : `peak pressure ${formatPercent(point.peak)}`,
    `${formatExact(point.input)} tokens in, ${formatExact(point.output)} out`,
    point.cacheShare === null ? null : `${formatPercent(point.cacheShare)} from the cache`,
    point.compactions > 0 ? formatCount(point.compactions, 'compaction') : null,
    point.restarts > 0 ? formatCount(point.restarts, 'restart') : null,
    point.thrashes > 0 ? 'a session thrashed' : null,
  ];
  return `${slotLabel(from, to, zone, partial)}: ${parts.filter((part) => part !== null).join(', ')}`;
}
