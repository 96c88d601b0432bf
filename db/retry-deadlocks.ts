const DEADLOCK = '40P01';
const MOST_ATTEMPTS = 10;

/** Run a change of the schema again after a deadlock: a server that is still running takes locks in another order. */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: { code?: string } };
      if (code !== DEADLOCK && cause?.code !== DEADLOCK) throw error;
    }
  }
  return work();
}
