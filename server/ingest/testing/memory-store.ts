/** An in-memory store for tests of the conversation, which can fail on demand. */
import type { Item } from '../../../core/protocol/items';
import type { Hello } from '../../../core/protocol/messages';
import { toRanges } from '../../../core/protocol/ranges';
import type { Delivery, ItemOutcome, OpenStream, Recorded } from '../../../db/ingest/types';

export class MemoryStore {
  readonly commits: Item[][] = [];
  readonly items = new Map<string, Map<number, string>>();
  /** Errors that the next commits throw, in this order. */
  readonly failures: unknown[] = [];
  /** The error that a commit with this item throws; null: none. */
  failOn: (item: Item) => unknown = () => null;
  /** While set, commits wait for it. */
  gate: Promise<void> | null = null;

  readonly openStream = (hello: Hello): Promise<OpenStream> => {
    const held = this.items.get(hello.stream) ?? new Map<number, string>();
    this.items.set(hello.stream, held);
    return Promise.resolve({
      streamId: 1,
      stream: hello.stream,
      projectId: 1,
      project: hello.project,
      projectRank: 0,
      client: hello.client ?? null,
      runnerId: 1,
      source: hello.source ?? 'sdk',
      received: toRanges(held.keys()),
    });
  };

  readonly record = async (deliveries: readonly Delivery[]): Promise<Recorded> => {
    await this.gate;
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const all = deliveries.flatMap(({ items }) => items);
    for (const item of all) {
      const fault = this.failOn(item);
      if (fault) throw fault;
    }
    this.commits.push(all);
    return { outcomes: deliveries.map((delivery) => this.store(delivery)), touched: [] };
  };

  private store({ stream, items }: Delivery): ItemOutcome[] {
    const held = this.items.get(stream.stream) ?? new Map<number, string>();
    this.items.set(stream.stream, held);
    return items.map((item): ItemOutcome => {
      const before = held.get(item.seq);
      const content = JSON.stringify(item);
      if (before === content) return { outcome: 'duplicate' };
      if (before !== undefined)
        return { outcome: 'refused', code: 'seq_conflict', field: '', reason: 'differs' };
      held.set(item.seq, content);
      return { outcome: 'stored' };
    });
  }
}
