import { useState } from 'react';

/** The newest data of a query. The data stays when a query with another key fails. */
export function useLastData<T>(data: T | undefined): T | undefined {
  const [last, setLast] = useState(data);
  if (data !== undefined && data !== last) setLast(data);
  return data ?? last;
}
