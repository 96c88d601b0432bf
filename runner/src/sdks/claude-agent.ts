import { createReport, guard, guardLogger } from '../guard';
import type { Logger } from '../logger';
import { createClaudeReader } from '../restart/claude-reader';
import type { MessageFacts, RestartSession } from '../restart/restart-types';
import { UsageProcessor } from '../usage/usage-processor';
import type { UsageSession } from '../usage/usage-session';

/** Options of `trackQuery`; each has a default. */
export interface QueryOptions {
  /** Receives turns, compactions and the client's own id of the session: a `RunnerSession`. Default: none. */
  session?: (UsageSession & Partial<Pick<RestartSession, 'compaction' | 'clear'>>) | undefined;
  /** The context window, tokens. Default: the window that the client reports. */
  limit?: number | undefined;
  /** Logs reports and messages that failed. Default: none. */
  logger?: Logger | undefined;
}

/** A restart line so high that the processor asks for no restart. */
const NEVER = 2;
/** A message after which the reader returns the call that it holds until the call's tools have run. */
const END = { type: 'user', parent_tool_use_id: null };

/**
 * Captures the compactions and the usage of each call of the Claude Agent SDK's main loop, without changing how the
 * program runs. If a query ends early, the calls that it reported before its end count. Only the transcript contains the
 * calls of sub-agents, and `barograph watch` reads it. A session with both sources counts each call once.
 *
 * @param query the SDK's function of that name.
 * @param options each has a default.
 * @returns the same function; its queries are the SDK's own objects. Reporting never throws.
 * @throws RangeError for an invalid limit.
 */
export function trackQuery<Params, Stream extends AsyncIterable<unknown>>(
  query: (params: Params) => Stream,
  options: QueryOptions = {},
): (params: Params) => Stream {
  const logger = guardLogger(options.logger);
  const report = createReport(options.session, logger, 'an event could not be reported');
  const processor = new UsageProcessor({
    ...options,
    lens: 'snapshot',
    vendor: 'anthropic',
    restartLine: NEVER,
  });
  const take = ({ usage, boundary, sessionId, isResult: _, goesOn: __, ...facts }: MessageFacts) => {
    if (sessionId !== undefined && sessionId !== processor.sessionId) {
      processor.sessionId = sessionId;
      report((session) => session.alias?.({ client: 'claude-code', clientSessionId: sessionId }));
    }
    if (usage === undefined) processor.note(facts);
    else processor.process({ usage }, facts);
    if (boundary === undefined) return;
    processor.reset({ sameThread: boundary.kind === 'compaction' });
    report((session) => {
      if (boundary.kind === 'clear') return session.clear?.({});
      const { kind: ___, id, ...compaction } = boundary;
      return session.compaction?.({ ...compaction, state: 'confirmed', boundary: id });
    });
  };
  return (params) => {
    const stream = query(params);
    const read = createClaudeReader('snapshot');
    const see = (message: unknown) =>
      guard(
        () => take(read(message)),
        (error) => logger.warn('a message could not be read', { error: String(error) }),
      );
    guard(
      () => watchMessages(stream, see),
      (error) => logger.warn('a query could not be watched', { error: String(error) }),
    );
    return stream;
  };
}

/** Watches the stream's own iterator in place, because other methods of the SDK's query use the same iterator. */
function watchMessages(stream: AsyncIterable<unknown>, see: (message: unknown) => void): void {
  const iterator = stream[Symbol.asyncIterator]();
  const watched = (name: 'next' | 'return' | 'throw') => {
    const method = iterator[name]?.bind(iterator) as
      | ((...args: unknown[]) => Promise<IteratorResult<unknown>>)
      | undefined;
    if (method === undefined) return;
    const value = async (...args: unknown[]) => {
      let isOver = true;
      try {
        const result = await method(...args);
        isOver = result.done === true;
        if (!isOver) see(result.value);
        return result;
      } finally {
        if (isOver) see(END);
      }
    };
    Object.defineProperty(iterator, name, { configurable: true, writable: true, value });
  };
  for (const name of ['next', 'return', 'throw'] as const) watched(name);
}
