/** `add` returns a function that removes the listener. */
export function createListeners<T extends unknown[] = []>() {
  const listeners = new Set<(...news: T) => void>();
  return {
    add(listener: (...news: T) => void): () => void {
      // A wrapper, so that the same listener can be added twice.
      const entry = (...news: T) => listener(...news);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    notify(...news: T): void {
      for (const listener of [...listeners]) listener(...news);
    },
  };
}
