/**
 * Looks again at what a server that is away could not take, beside other work, for as long as there is patience. It owns
 * the pauses between the looks, which grow and differ between processes, and nothing else.
 */
import { pause } from './keep-trying';

export interface InsistOptions {
  /** @returns whether something still waits that may be taken in a moment. */
  look(): Promise<boolean>;
  /** Milliseconds since the epoch after which nothing is tried any more. */
  until: number;
  /** Before the first look; doubled for each further one. Milliseconds. */
  baseMs?: number;
  capMs?: number;
  now?(): number;
  random?(): number;
  wait?(milliseconds: number): Promise<void>;
}

export interface Insisting {
  /** Something waits: it is looked at after a pause. */
  owe(): void;
  /** Resolves when nothing waits any more, or patience is over. @throws what `look` threw. */
  settled(): Promise<void>;
}

export function insist(options: InsistOptions): Insisting {
  const { look, until, baseMs = 5_000, capMs = 60_000 } = options;
  const { now = Date.now, random = Math.random, wait = pause } = options;
  let isOwed = false;
  let isRunning = false;
  let ended: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    try {
      for (let looks = 0; isOwed; looks += 1) {
        const pauseMs = Math.min(capMs, baseMs * 2 ** looks) * (0.5 + random() / 2);
        if (now() + pauseMs > until) return;
        await wait(pauseMs);
        isOwed = false;
        if (await look()) isOwed = true;
      }
    } finally {
      isRunning = false;
    }
  }

  return {
    owe() {
      isOwed = true;
      if (isRunning) return;
      isRunning = true;
      ended = ended.then(run);
      // Whoever asks for the end is told.
      ended.catch(() => undefined);
    },
    settled: () => ended,
  };
}
