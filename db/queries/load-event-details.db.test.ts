import { beforeAll, describe, expect, it } from 'vitest';
import { eventDetails } from '../../core/api/responses';
import type { SessionEvent } from '../../core/events/event';
import { openTestDatabase } from '../testing/test-database';
import { listEvents, listSessionEvents } from './events';
import { loadEventDetails } from './load-event-details';
import { createTestFeed, sessionOf, testTurn } from './testing-feed';

const { sql } = await openTestDatabase();
const side = (session: string, cacheRead: number) =>
  ({ type: 'turn', session, scope: 'side', usage: { input: 9, output: 4_000, cacheRead } }) as const;
const compaction = (session: string) =>
  ({ type: 'compaction', session, trigger: 'auto', state: 'confirmed', preTokens: 150_000 }) as const;
/** Characters of a text in a list. In `checkpoint`, the character at this place is half of a surrogate pair. */
const LISTED_TEXT_LENGTH = 280;
const checkpoint = `${'a'.repeat(LISTED_TEXT_LENGTH - 1)}😀 and so on`;

beforeAll(async () => {
  const feed = await createTestFeed(sql);
  const start = { type: 'session_start', lens: 'snapshot', limit: 200_000 } as const;
  await feed.tell(
    { ...start, session: 'reported' },
    testTurn('reported', 148_000),
    side('reported', 900),
    side('reported', 148_000),
    compaction('reported'),
    testTurn('reported', 40_000),
    side('reported', 148_000),
    { ...start, session: 'silent' },
    testTurn('silent', 148_000),
    side('silent', 900),
    compaction('silent'),
    { ...start, session: 'kept' },
    testTurn('kept', 148_000),
    { ...side('kept', 120_000), chain: 'acompact-70d8e7' },
    compaction('kept'),
    { ...start, session: 'restarts' },
    testTurn('restarts', 190_000),
    { type: 'restart', session: 'restarts', reason: 'full', checkpoint, prompt: 'Go on.' },
  );
});

async function listed(key: string, kind: SessionEvent['kind']): Promise<SessionEvent> {
  const { events } = await listSessionEvents(sql, await sessionOf(sql, key), { kind: [kind] });
  const [event] = events;
  if (event === undefined) throw new Error('nothing was recorded');
  return event;
}
async function detailsOf(key: string, kind: SessionEvent['kind'] = 'compaction') {
  return eventDetails.parse(await loadEventDetails(sql, (await listed(key, kind)).id));
}

describe('details of a compaction', () => {
  it('include the surrounding calls and the call that wrote the summary', async () => {
    const { calls } = await detailsOf('reported');
    expect(calls).toMatchObject({
      before: { scope: 'main', contextTokens: 148_000, context: 0 },
      after: { scope: 'main', contextTokens: 40_000, context: 1 },
      summary: { scope: 'side', context: 0, usage: { input: 9, output: 4_000, cacheRead: 148_000 } },
    });
  });

  it('ignore small side calls when looking for the summary', async () => {
    const { calls } = await detailsOf('silent');
    expect(calls).toMatchObject({ before: { contextTokens: 148_000 }, after: null, summary: null });
  });

  it('find the summary in the file that the client kept', async () => {
    const { calls } = await detailsOf('kept');
    expect(calls?.summary).toMatchObject({ chain: 'acompact-70d8e7', usage: { cacheRead: 120_000 } });
  });
});

describe('an event with long texts', () => {
  it('is listed with the start and length of each text, without half characters', async () => {
    const event = await listed('restarts', 'restart');
    const listedText = 'a'.repeat(LISTED_TEXT_LENGTH - 1);
    expect(event.detail).toMatchObject({ checkpoint: listedText, prompt: 'Go on.' });
    expect(event.cut).toEqual({ checkpoint: checkpoint.length });
    const { events } = await listEvents(sql);
    expect(events.find(({ id }) => id === event.id)).toEqual(event);
  });

  it('is complete when read alone and in an export', async () => {
    const { event, calls } = await detailsOf('restarts', 'restart');
    expect(event.detail).toMatchObject({ checkpoint, prompt: 'Go on.' });
    expect(event.cut).toBeUndefined();
    expect(calls).toBeNull();
    const ref = await sessionOf(sql, 'restarts');
    const file = await listSessionEvents(sql, ref, { kind: ['restart'] }, { whole: true });
    expect(file.events).toEqual([event]);
  });

  it('is not found by an invalid id', async () => {
    const { id } = await listed('restarts', 'restart');
    for (const wrong of ['', 'x', id.slice(0, 36), `${id}x`, id.replace(/restart$/, 'compaction')]) {
      expect(await loadEventDetails(sql, wrong)).toBeNull();
    }
  });
});
