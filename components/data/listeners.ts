/** Functions to notify; `add` returns what removes one. */
export function createListeners<T extends unknown[] = []>() {
  const listeners = new Set<(...news: T) => void>();
  return {
    add(listener: (...news: T) => void): () => void {
      // Wrapped, so that one function may listen twice and leave once.
      const entry = (...news: T) => listener(...news);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    notify(...news: T): void {
      for (const listener of [...listeners]) listener(...news);
    },
  };
}
