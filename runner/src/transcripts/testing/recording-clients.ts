/** Clients that record their items and notify waiters. */
import { setImmediate } from 'node:timers';
import type { TranscriptItem, TranscriptItemOf } from '../../../../core/agents/agent-format';
import { type MeasuredSession, measureItems } from '../../../../core/agents/testing/measure-sessions';
import type { ClientPool, Sender } from '../project-clients';

export class RecordingClients implements ClientPool {
  readonly items: TranscriptItem[] = [];
  readonly projects = new Map<string, string>();
  readonly targets: Parameters<ClientPool['of']>[0][] = [];
  #waiters = new Set<() => void>();

  of(target: Parameters<ClientPool['of']>[0]): Promise<Sender> {
    const { project } = target;
    this.targets.push(target);
    const send = (item: unknown) => {
      const recorded = item as TranscriptItem;
      this.items.push(recorded);
      this.projects.set(recorded.session, project);
      setImmediate(() => {
        for (const check of this.#waiters) check();
      });
      return this.items.length;
    };
    const stats = () => ({ queuedBytes: 0 }) as ReturnType<Sender['stats']>;
    return Promise.resolve({ send, drain: () => Promise.resolve(true), stats });
  }

  /** Resolve once the condition is true; the test's own timeout is the limit. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
      check();
    });
  }

  itemsOf<T extends TranscriptItem['type']>(type: T): TranscriptItemOf<T>[] {
    return this.items.filter((item): item is TranscriptItemOf<T> => item.type === type);
  }

  /** Ids of the calls, each once, in the order of their first item. */
  calls(): string[] {
    return [...new Set(this.itemsOf('turn').flatMap(({ call }) => call ?? []))];
  }

  /** The numbers that a server would store. */
  measure(session: string): MeasuredSession {
    return measureItems(this.items.filter((item) => item.session === session));
  }
}
