/** For tests: passes items to the real ingest as one runner's stream, numbered in order. */
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import type { SourceName } from '../../core/protocol/messages';
import { openStream } from '../ingest/open-stream';
import { recordDeliveries } from '../ingest/record-deliveries';
import type { Recorded } from '../ingest/types';
import { findSession, type SessionRef } from './find-session';

/** An item without its seq; `at` defaults to the time of receipt. */
export type FeedItem = Item extends infer T
  ? T extends Item
    ? Omit<T, 'seq' | 'at'> & { at?: number; seq?: number }
    : never
  : never;

export interface TestFeed {
  /** Record items in one delivery. @throws if an item is refused: use `send` to inspect refusals. */
  tell(...items: FeedItem[]): Promise<Recorded>;
  send(items: readonly FeedItem[], receivedAt?: number): Promise<Recorded>;
}

export async function createTestFeed(
  sql: postgres.Sql,
  options: { project?: string; runner?: string; source?: SourceName; now?: () => number } = {},
): Promise<TestFeed> {
  const { project = 'atlas', runner = 'desk', source = 'sdk', now = Date.now } = options;
  const stream = await openStream(sql, { project, runner: { name: runner }, stream: randomUUID(), source });
  let seq = 0;
  const feed: TestFeed = {
    async send(items, receivedAt = now()) {
      const numbered = items.map((item): Item => {
        seq = item.seq ?? seq + 1;
        return { ...item, seq, at: item.at ?? receivedAt } as Item;
      });
      return recordDeliveries(sql, [{ stream, items: numbered, receivedAt, clockAgrees: true }], {
        now: receivedAt,
      });
    },
    async tell(...items) {
      const recorded = await feed.send(items);
      const refused = recorded.outcomes.flat().filter((outcome) => outcome.outcome === 'refused');
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused)}`);
      return recorded;
    },
  };
  return feed;
}

/** A session by its key. @throws if no session has this key */
export async function sessionOf(sql: postgres.Sql, key: string, project = 'atlas'): Promise<SessionRef> {
  const session = await findSession(sql, sessionId(project, key));
  if (!session) throw new Error(`no session ${key}`);
  return session;
}

/** All entries of a paged list. */
export async function allPages<T>(
  read: (cursor: { cursor?: string }) => Promise<{ page: T[]; nextCursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = {}; ; ) {
    const { page, nextCursor } = await read(cursor);
    all.push(...page);
    if (nextCursor === null) return all;
    cursor = { cursor: nextCursor };
  }
}

/** A turn with a reading, in the snapshot lens; counts default to small numbers. */
export function testTurn(
  session: string,
  contextTokens: number,
  changes: Partial<Extract<FeedItem, { type: 'turn' }>> = {},
): FeedItem {
  return {
    type: 'turn',
    session,
    usage: { input: 10, output: 20, cacheRead: contextTokens, cacheCreation: 5 },
    contextTokens,
    ...changes,
  };
}
