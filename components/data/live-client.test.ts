import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { makeFleetSeed, readFleetSeed } from '@/core/live/apply-fleet-frame';
import type { FleetCounts } from '@/core/live/protocol';
import { testSockets } from '@/core/live/testing-socket';
import { MADE_AT, madeId, makeSession } from '../format/testing/make-session';
import { createLiveClient } from './live-client';

const COUNTS: FleetCounts = { restarts: 0, compactions: 0, cacheReadShare: null };

const seedOf = (sessions: Session[], at: number) =>
  readFleetSeed(makeFleetSeed(sessions, { counts: COUNTS, total: sessions.length, at }));

/** A client on a socket that the test drives by hand. */
function open() {
  const { sockets, open: openSocket } = testSockets();
  const client = createLiveClient(openSocket);
  return {
    client,
    sockets,
    sent: () => sockets.flatMap(({ sent }) => sent),
    connect: () => sockets.at(-1)?.open(),
    say: (frame: object) => sockets.at(-1)?.deliver(frame),
  };
}

describe('the page’s live client', () => {
  it('opens one socket however many panels look', () => {
    const { client, sockets } = open();
    client.open();
    client.watchFleet(() => undefined);
    client.watchFleet(() => undefined);
    client.watchSession(madeId(1), () => undefined);
    expect(sockets).toHaveLength(1);
  });

  it('shows the server’s rows first, then those of the feed', () => {
    const { client, connect, say } = open();
    client.watchFleet(() => undefined);
    client.seedFleet(seedOf([makeSession(1)], MADE_AT - 1_000));
    expect([...(client.fleet()?.sessions.keys() ?? [])]).toEqual([madeId(1)]);
    connect();
    say({ type: 'fleet_snapshot', sessions: [makeSession(1), makeSession(2)], counts: COUNTS });
    expect(client.fleet()?.sessions.size).toBe(2);
  });

  it('does not let rows of an older page replace newer ones', () => {
    const { client, connect, say } = open();
    client.watchFleet(() => undefined);
    connect();
    say({ type: 'fleet_snapshot', sessions: [makeSession(1), makeSession(2)], counts: COUNTS });
    client.seedFleet(seedOf([], MADE_AT - 60_000));
    expect(client.fleet()?.sessions.size).toBe(2);
  });

  it('keeps the last state without subscribers', () => {
    const { client, connect, say, sent } = open();
    const leave = client.watchFleet(() => undefined);
    connect();
    say({ type: 'fleet_snapshot', sessions: [makeSession(1)], counts: COUNTS });
    leave();
    expect(sent().at(-1)).toEqual({ type: 'unsubscribe', topic: 'fleet' });
    expect(client.fleet()?.sessions.size).toBe(1);
  });

  it('sends a session’s frames to its subscribers only', () => {
    const { client, connect, say } = open();
    const seen: string[] = [];
    const leave = client.watchSession(madeId(1), (frame) => seen.push(frame.type));
    connect();
    say({ type: 'session_snapshot', id: madeId(1), session: makeSession(1) });
    leave();
    say({ type: 'session_delta', id: madeId(1), session: makeSession(1), points: null, events: null });
    expect(seen).toEqual(['session_snapshot']);
  });

  it('knows the newest turn of all sessions, or that there is none, or nothing yet', () => {
    const { client, connect, say, sent } = open();
    let calls = 0;
    client.watchTurns(() => {
      calls += 1;
    });
    connect();
    expect(sent()).toContainEqual({ type: 'subscribe', topic: 'turns' });
    expect(client.lastTurnAt()).toBeUndefined();
    say({ type: 'newest_turn', at: null });
    expect(client.lastTurnAt()).toBeNull();
    say({ type: 'newest_turn', at: '2026-01-23T18:03:58.000Z' });
    expect(client.lastTurnAt()).toBe(Date.parse('2026-01-23T18:03:58.000Z'));
    expect(calls).toBe(2);
  });
});
