/** Validates the items of a frame, and builds the acknowledgement from their outcomes. */

import { cleanNames } from '../../core/protocol/clean-name';
import { isRecord } from '../../core/protocol/compile-schema';
import type { Item } from '../../core/protocol/items';
import type { Ack, Refusal } from '../../core/protocol/messages';
import { type ItemFault, parseItem } from '../../core/protocol/parse-item';
import { toRanges } from '../../core/protocol/ranges';
import type { ItemOutcome } from '../../db/ingest/types';

export interface SortedItems {
  /** Items for the database, in order of arrival. */
  items: Item[];
  /** Per item of `items`: its index in the frame, and the reason if it was refused. */
  origins: Array<{ index: number; fault: ItemFault | null }>;
  /** Refused items without a gap in their place. */
  refused: Refusal[];
}

/**
 * Validate every item, and clean its names. A refused turn is missing from the sums of its context. A gap with its seq is
 * stored instead, which marks the sums as a lower bound.
 *
 * @param firstIndex index of the first value in its frame or body.
 */
export function sortItems(values: readonly unknown[], firstIndex: number): SortedItems {
  const sorted: SortedItems = { items: [], origins: [], refused: [] };
  for (const [offset, value] of values.entries()) {
    const index = firstIndex + offset;
    const parsed = parseItem(value);
    if (parsed.ok) {
      cleanNames(parsed.item);
      sorted.items.push(parsed.item);
      sorted.origins.push({ index, fault: null });
      continue;
    }
    const gap = gapFor(value, parsed.fault);
    if (gap) {
      sorted.items.push(gap);
      sorted.origins.push({ index, fault: parsed.fault });
    } else {
      sorted.refused.push({ index, ...parsed.fault });
    }
  }
  return sorted;
}

function gapFor(value: unknown, fault: ItemFault): Item | null {
  if (fault.seq === null || !isRecord(value) || value.type !== 'turn') return null;
  const { seq } = fault;
  const { session, at, chain } = value;
  const gap = {
    type: 'gap',
    seq,
    session,
    at,
    from: seq,
    to: seq,
    count: 1,
    reason: `${fault.code} ${fault.field}`,
  };
  const parsed = parseItem({ ...gap, chain });
  if (parsed.ok) return parsed.item;
  const onMain = parseItem(gap);
  return onMain.ok ? onMain.item : null;
}

/** @param outcomes one for each of `sorted.items`. */
export function buildAck(sorted: SortedItems, outcomes: readonly ItemOutcome[]): Ack {
  const settled: number[] = [];
  const duplicate: number[] = [];
  const amended: number[] = [];
  const refused = [...sorted.refused];
  for (const [position, item] of sorted.items.entries()) {
    const outcome = outcomes[position];
    const origin = sorted.origins[position];
    if (!outcome || !origin) continue;
    settled.push(item.seq);
    if (origin.fault) {
      refused.push({ index: origin.index, ...origin.fault });
    } else if (outcome.outcome === 'refused') {
      const { code, field, reason } = outcome;
      refused.push({ seq: item.seq, index: origin.index, code, field, reason });
    } else if (outcome.outcome === 'amended') {
      amended.push(item.seq);
    } else if (outcome.outcome !== 'stored') {
      duplicate.push(item.seq);
    }
  }
  for (const { seq } of sorted.refused) if (seq !== null) settled.push(seq);
  refused.sort((a, b) => a.index - b.index);
  return { type: 'ack', settled: toRanges(settled), duplicate, amended, refused };
}
