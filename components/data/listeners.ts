export interface Listeners {
  /** Adds a listener; returns what removes it. */
  add(listener: () => void): () => void;
  notify(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      // Wrapped, so that one function may listen twice and leave once.
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    notify() {
      for (const listener of [...listeners]) listener();
    },
  };
}
