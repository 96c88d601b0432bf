/** For tests: clients that keep what they are handed, and tell when something is there. */
import { setImmediate } from 'node:timers';
import type { TranscriptItem, TranscriptItemOf } from '../adapters/format';
import { measureItems } from '../adapters/measure/measure-items';
import type { MeasuredSession } from '../adapters/measure/measured-session';
import type { ClientPool, Sender } from './project-clients';

export class RecordingClients implements ClientPool {
  readonly items: TranscriptItem[] = [];
  readonly projects = new Map<string, string>();
  #waiters = new Set<() => void>();

  of(project: string): Promise<Sender> {
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

  /** Resolves once the condition holds; the test's own time-out says when it never does. */
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

  /** Ids of the calls, each once, in the order in which they came first. */
  calls(): string[] {
    return [...new Set(this.itemsOf('turn').flatMap(({ call }) => call ?? []))];
  }

  /** The numbers a server comes to. */
  measure(session: string): MeasuredSession {
    return measureItems(this.items.filter((item) => item.session === session));
  }
}
