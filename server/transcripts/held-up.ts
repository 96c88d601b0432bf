/**
 * Archives that the store could not take in: its disk was full, or it was away. It owns what is said of them until they
 * come in: at once to whoever reads rows in this process, and to the store, tried every few seconds, as soon as that can
 * write again; a success of the archive itself says so at once. It trades its memory for the store's: a server that is
 * stopped meanwhile forgets, and the runner comes again all the same.
 */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { ArchiveOffer } from '../../core/api/transcripts';
import { judgeFault } from '../../db/judge-fault';
import type { HeldUpReads, RememberedOffer } from '../../db/transcripts/held-up-reads';
import { type HeldUp, writeHeldUp } from '../../db/transcripts/hold-up';

export interface HeldUpArchives extends HeldUpReads {
  /** @param offer null: the archive had been taken before */
  add(archive: string, offer: ArchiveOffer | null, reason: string): void;
  /** Whether nothing of it could be taken, not even its offer. */
  isOffer(archive: string): boolean;
  /** Something of it came in. */
  end(archive: string): void;
  close(): Promise<void>;
}

export interface HeldUpOptions {
  sql: postgres.Sql;
  log: Logger;
  now?: () => number;
  /** Time between two tries. Default 5 000. */
  intervalMs?: number;
}

const INTERVAL_MS = 5_000;
/** Beyond it the oldest is forgotten: the log has it. Each takes a few kilobytes at most. */
const MOST = 5_000;

interface Waiting extends HeldUp {
  /** It is said already; the archive still does not come in. */
  isWritten: boolean;
}

export function holdUpArchives({
  sql,
  log,
  now = Date.now,
  intervalMs = INTERVAL_MS,
}: HeldUpOptions): HeldUpArchives {
  const known = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> | null = null;
  let isClosed = false;

  const unwritten = (): Waiting[] => [...known.values()].filter(({ isWritten }) => !isWritten);

  async function write(): Promise<void> {
    for (const held of unwritten()) {
      try {
        await writeHeldUp(sql, held);
      } catch (error) {
        const fault = judgeFault(error);
        log.debug({ fault, archive: held.archive }, 'not written yet that an archive was held up');
        // The store still cannot, unless it is this one that is at fault.
        if (fault !== 'data') return;
      }
      const current = known.get(held.archive);
      if (held.isOver) known.delete(held.archive);
      else if (current?.isOver) known.delete(held.archive);
      else if (current) current.isWritten = true;
    }
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (isClosed || unwritten().length === 0) return;
    timer = setTimeout(() => {
      work ??= write().finally(() => {
        work = null;
        schedule(intervalMs);
      });
    }, delayMs);
    timer.unref();
  }

  return {
    add(archive, offer, reason) {
      const before = known.get(archive);
      const at = now();
      known.delete(archive);
      known.set(archive, {
        archive,
        offer: before?.offer ?? (offer && remember(offer)),
        reason,
        since: before?.since ?? at,
        until: at,
        times: (before?.times ?? 0) + 1,
        isOver: false,
        isWritten: before?.isWritten ?? false,
      });
      const oldest = known.keys().next();
      if (known.size > MOST && !oldest.done) known.delete(oldest.value);
      schedule(intervalMs);
    },
    find(archive) {
      const held = known.get(archive);
      return held && !held.isOver ? held : null;
    },
    offered: () =>
      [...known.values()].flatMap((held) =>
        held.offer === null || held.isOver ? [] : [{ ...held, offer: held.offer }],
      ),
    isOffer: (archive) => (known.get(archive)?.offer ?? null) !== null,
    end(archive) {
      const held = known.get(archive);
      if (!held || held.isOver) return;
      if (held.isWritten) {
        known.delete(archive);
        return;
      }
      known.set(archive, { ...held, isOver: true });
      schedule(0);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await work;
    },
  };
}

/** Without what may be megabytes and is not shown. */
function remember({ chunks: _, summary: __, ...offer }: ArchiveOffer): RememberedOffer {
  return offer;
}
