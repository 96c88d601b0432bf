/** From what a program hands over to the item that enters the queue, or to the reason why it cannot. */
import type { Item } from '../../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import { type ItemFault, parseItem } from '../../../core/protocol/parse-item';

export type PreparedItem = { ok: true; item: Item } | { ok: false; fault: ItemFault };

/** Fields that hold what people or models wrote; with content switched off they never touch the disk. */
const CONTENT_FIELDS = ['title', 'checkpoint', 'prompt'] as const;
/** Fields that hold a long text. */
const TEXTS = new Set(['checkpoint', 'prompt']);
const LABELS = new Set([
  'title',
  'client',
  'clientVersion',
  'model',
  'host',
  'folder',
  'branch',
  'reason',
  'path',
]);

/**
 * @param input the item without seq and perhaps without time; anything at all is tolerated.
 * @param seq the seq it gets if it is taken.
 * @param now milliseconds since the epoch, for an item without a time.
 */
export function prepareItem(input: unknown, seq: number, now: number, content: boolean): PreparedItem {
  if (typeof input !== 'object' || input === null) {
    return {
      ok: false,
      fault: { seq: null, code: 'invalid_message', field: '', reason: 'must be an object' },
    };
  }
  const fields: Record<string, unknown> = { ...input, seq };
  fields.at = toMillis(fields.at, now);
  if (!content) for (const name of CONTENT_FIELDS) delete fields[name];
  const first = parseItem(fields);
  if (first.ok) return first;
  const second = parseItem(repairTexts(fields));
  return second.ok ? second : first;
}

function toMillis(at: unknown, now: number): unknown {
  if (at === undefined) return now;
  return at instanceof Date ? at.getTime() : at;
}

/**
 * A turn is not lost because a title is too long or was cut through a character. Keys are left alone: a key
 * that is shortened would name something else.
 */
function repairTexts(fields: Record<string, unknown>): Record<string, unknown> {
  const repaired: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === 'string';
    if (text && LABELS.has(name)) repaired[name] = storable(value, PROTOCOL_LIMITS.maxLabelLength);
    else if (text && TEXTS.has(name)) repaired[name] = storable(value, PROTOCOL_LIMITS.maxTextLength);
    else repaired[name] = value;
  }
  return repaired;
}

function storable(value: string, maxLength: number): string {
  return value
    .slice(0, maxLength)
    .replaceAll('\u0000', '\ufffd')
    .replace(/\p{Cs}/gu, '\ufffd');
}
