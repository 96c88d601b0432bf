/** Reports of a restart loop to the server. They never throw into the agent's work. */
import type { LensName } from '../../../core/protocol/items';
import { guard } from '../guard';
import type { Logger } from '../logger';
import type { UsageSession } from '../usage/usage-session';
import type { ClientBoundary } from './agent';

/** The part of the client's `RunnerSession` that a restart loop calls; what is missing is not reported. */
export interface RestartSession extends UsageSession {
  /** The session's key: what log lines call it. */
  readonly key?: string;
  /** The run begins: its lens, line (a share) and window (tokens). */
  start?(fields: { lens: LensName; restartLine?: number; limit?: number; client?: string }): unknown;
  /** A context was given up. `pressure` is a share, `checkpoint` is absent where none could be had. */
  restart(fields: {
    continuation: number;
    reason: string;
    pressure: number;
    checkpoint?: string;
    prompt: string;
  }): unknown;
  /** The client's own id of the session at hand. */
  alias?(fields: { client: string; clientSessionId: string }): unknown;
  /** The client compacted in place. Tokens as it states them. */
  compaction?(fields: {
    trigger: 'auto' | 'manual';
    state: 'confirmed';
    preTokens?: number;
    postTokens?: number;
    durationMs?: number;
    boundary?: string;
  }): unknown;
  /** The client emptied its context. */
  clear?(fields: Record<string, never>): unknown;
}

export interface RestartReporter {
  begin(fields: { lens: LensName; threshold: number; limit: number | undefined }): void;
  alias(clientSessionId: string): void;
  boundary(boundary: ClientBoundary): void;
  restart(fields: Parameters<RestartSession['restart']>[0]): void;
}

/** The largest restart line that the protocol takes, as a share. */
const MAX_LINE = 1000;

export function createRestartReporter(
  session: RestartSession | undefined,
  client: string | undefined,
  logger: Logger,
): RestartReporter {
  const send = (report: (session: RestartSession) => unknown): void => {
    if (session === undefined) return;
    guard(
      () => report(session),
      (error) => logger.warn('The restart loop could not report to the server', { error }),
    );
  };
  return {
    begin({ lens, threshold, limit }) {
      const line = threshold <= MAX_LINE ? { restartLine: threshold } : {};
      const named = client === undefined ? {} : { client };
      const size = limit !== undefined && limit > 0 ? { limit } : {};
      send((to) => to.start?.({ lens, ...line, ...size, ...named }));
    },
    alias(clientSessionId) {
      if (client !== undefined) send((to) => to.alias?.({ client, clientSessionId }));
    },
    boundary(boundary) {
      if (boundary.kind === 'clear') {
        send((to) => to.clear?.({}));
        return;
      }
      const { trigger, preTokens, postTokens, durationMs, id } = boundary;
      send((to) =>
        to.compaction?.({
          trigger,
          state: 'confirmed',
          ...(preTokens === undefined ? {} : { preTokens }),
          ...(postTokens === undefined ? {} : { postTokens }),
          ...(durationMs === undefined ? {} : { durationMs }),
          ...(id === undefined ? {} : { boundary: id }),
        }),
      );
    },
    restart(fields) {
      send((to) => to.restart(fields));
    },
  };
}
