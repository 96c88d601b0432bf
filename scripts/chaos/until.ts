import { setTimeout as rest } from 'node:timers/promises';

/** Wait until the condition holds. @throws Error with `what` after the timeout */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} took longer than ${timeoutMs / 1_000} s`);
    await rest(10);
  }
}

/** This machine lacks what a fault needs. */
export class CannotRunError extends Error {}
