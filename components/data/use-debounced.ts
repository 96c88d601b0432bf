import { useEffect, useState } from 'react';

/** The value once it has not changed for `waitMs`; the first one at once. */
export function useDebounced<T extends string | number>(value: T, waitMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
  }, [value, waitMs]);
  return settled;
}
