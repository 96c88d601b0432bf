/** Generated turns of contexts that fill and are compacted. */
import { randomBytes } from 'node:crypto';
import type { Item } from '../../core/protocol/items';
import { createRandom } from './random';

const WINDOW = 200_000;
const COMPACTS_AT = 167_000;
const MODEL = 'claude-opus-4-1-20250805';

interface TurnSource {
  /**
   * The next items: `count` turns, and the items between them.
   * @param nowMs time of the last turn; by default each turn is `everyMs` after the previous turn
   */
  next(count: number, nowMs?: number): Item[];
}

interface TurnSourceOptions {
  /** Milliseconds from turn to turn. Default 3 000. */
  everyMs?: number;
  model?: string;
  /** Initial tokens of the context. Default 18 000 to 26 000. */
  from?: number;
  /** Number of the next item, if several sessions share a stream. Default 1, 2, 3 … */
  nextSeq?: () => number;
}

/** @param startAt time of the first turn, milliseconds */
export function createTurnSource(
  session: string,
  seed: number,
  startAt: number,
  { everyMs = 3_000, model = MODEL, from, nextSeq }: TurnSourceOptions = {},
): TurnSource {
  const random = createRandom(seed);
  let placed = 0;
  let at = startAt;
  let used = from ?? 18_000 + random(8_000);
  return {
    next(count, nowMs) {
      const items: Item[] = [];
      const place = () => {
        placed += 1;
        return { seq: nextSeq === undefined ? placed : nextSeq(), session, at };
      };
      if (placed === 0) items.push({ type: 'session_start', ...place(), ...description(session, model) });
      for (let turn = 0; turn < count; turn += 1) {
        at = nowMs === undefined ? at + everyMs : nowMs - (count - 1 - turn) * everyMs;
        const grown = 300 + random(1_200);
        if (used + grown > COMPACTS_AT) {
          items.push({
            type: 'compaction',
            ...place(),
            trigger: 'auto',
            state: 'confirmed',
            preTokens: used,
            boundary: randomBytes(16).toString('hex'),
          });
          used = 20_000 + random(10_000);
        }
        const before = used;
        used += grown;
        const output = Math.min(grown, 40 + random(600));
        items.push({
          type: 'turn',
          ...place(),
          call: ['msg', 'req'].map((kind) => `${kind}_${randomBytes(12).toString('hex')}`),
          model,
          usage: { input: 4 + random(20), output, cacheRead: before, cacheCreation: grown - output },
          contextTokens: used,
        });
      }
      return items;
    },
  };
}

function description(session: string, model: string) {
  return {
    title: `Make the checkout flow of ${session} idempotent`,
    client: 'claude-code',
    clientVersion: '2.1.7',
    lens: 'snapshot' as const,
    model,
    limit: WINDOW,
    folder: `/srv/work/${session}`,
    branch: 'main',
  };
}
