export interface Listeners<T extends unknown[] = []> {
  /** Adds a listener; returns what removes it. */
  add(listener: (...news: T) => void): () => void;
  notify(...news: T): void;
}

export function createListeners<T extends unknown[] = []>(): Listeners<T> {
  const listeners = new Set<(...news: T) => void>();
  return {
    add(listener) {
      // Wrapped, so that one function may listen twice and leave once.
      const entry = (...news: T) => listener(...news);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    notify(...news) {
      for (const listener of [...listeners]) listener(...news);
    },
  };
}
