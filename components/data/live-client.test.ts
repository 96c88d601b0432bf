import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { makeFleetSeed, readFleetSeed } from '@/core/live/apply-fleet-frame';
import type { SocketHandlers } from '@/core/live/live-connection';
import type { FleetCounts } from '@/core/live/protocol';
import { MADE_AT, madeId, makeSession } from '../format/testing/make-session';
import { createLiveClient } from './live-client';

const COUNTS: FleetCounts = { restarts: 0, compactions: 0, cacheReadShare: null };

const seedOf = (sessions: Session[], at: number) =>
  readFleetSeed(makeFleetSeed(sessions, { counts: COUNTS, total: sessions.length, at }));

const snapshot = (...sessions: Session[]) => ({ type: 'fleet_snapshot', sessions, counts: COUNTS });

/** A client on a socket that the test drives by hand. */
function open() {
  const sent: unknown[] = [];
  const sockets: SocketHandlers[] = [];
  let n = 0;
  const client = createLiveClient({
    url: () => 'ws://here/v1/live',
    connect: (_url, handlers) => {
      sockets.push(handlers);
      n = 0;
      return { send: (text) => sent.push(JSON.parse(text)), close: () => undefined };
    },
    now: () => MADE_AT,
    random: () => 0.5,
    schedule: () => () => undefined,
  });
  return {
    client,
    sent,
    sockets,
    connect: () => sockets.at(-1)?.onOpen(),
    say(frame: object) {
      n += 1;
      sockets.at(-1)?.onMessage(JSON.stringify({ n, epoch: 'first', now: MADE_AT, ...frame }));
    },
  };
}

/** A client with a subscriber to the fleet and an open socket. */
function openFleet() {
  const all = open();
  const leave = all.client.watchFleet(() => undefined);
  all.connect();
  return { ...all, leave };
}

describe('the page’s live client', () => {
  it('opens one socket for any number of panels', () => {
    const { client, sockets } = open();
    client.open();
    client.watchFleet(() => undefined);
    client.watchFleet(() => undefined);
    client.watchSession(madeId(1), () => undefined);
    expect(sockets).toHaveLength(1);
  });

  it('shows the server’s rows first, then the rows of the feed', () => {
    const { client, connect, say } = open();
    client.watchFleet(() => undefined);
    client.seedFleet(seedOf([makeSession(1)], MADE_AT - 1_000));
    expect([...(client.fleet()?.sessions.keys() ?? [])]).toEqual([madeId(1)]);
    connect();
    say(snapshot(makeSession(1), makeSession(2)));
    expect(client.fleet()?.sessions.size).toBe(2);
  });

  it('takes the newest turn from a page of sessions only if the page contains all sessions', () => {
    const rows = [makeSession(1, { lastTurnAt: new Date(MADE_AT).toISOString() })];
    for (const [total, expected] of [
      [1, MADE_AT],
      [3_000, undefined],
    ] as const) {
      const { client } = open();
      client.watchFleet(() => undefined);
      client.seedFleet({ ...seedOf(rows, MADE_AT), total });
      expect(client.lastTurnAt()).toBe(expected);
    }
  });

  it('does not let rows of an older page replace newer ones', () => {
    const { client, say } = openFleet();
    say(snapshot(makeSession(1), makeSession(2)));
    client.seedFleet(seedOf([], MADE_AT - 60_000));
    expect(client.fleet()?.sessions.size).toBe(2);
  });

  it('keeps the last state without subscribers', () => {
    const { client, say, sent, leave } = openFleet();
    say(snapshot(makeSession(1)));
    leave();
    expect(sent.at(-1)).toEqual({ type: 'unsubscribe', topic: 'fleet' });
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

  it('reports the newest turn of the fleet, null without turns, undefined before the first answer', () => {
    const { client, say } = openFleet();
    expect(client.lastTurnAt()).toBeUndefined();
    say(snapshot());
    expect(client.lastTurnAt()).toBeNull();
    const turned = (at: string) => makeSession(1, { lastTurnAt: at, version: 5 });
    say({ type: 'fleet_delta', changed: [turned('2026-01-23T18:03:58.000Z')], removed: [], counts: COUNTS });
    say({ type: 'fleet_delta', changed: [turned('2026-01-23T18:01:00.000Z')], removed: [], counts: COUNTS });
    expect(client.lastTurnAt()).toBe(Date.parse('2026-01-23T18:03:58.000Z'));
  });

  it('reports the newest turn of all sessions to a subscriber of turns only', () => {
    const { client, connect, say, sent } = open();
    let calls = 0;
    const leave = client.watchTurns(() => {
      calls += 1;
    });
    connect();
    expect(sent).toContainEqual({ type: 'subscribe', topic: 'turns' });
    expect(client.lastTurnAt()).toBeUndefined();
    say({ type: 'newest_turn', at: null });
    expect(client.lastTurnAt()).toBeNull();
    say({ type: 'newest_turn', at: '2026-01-23T18:03:58.000Z' });
    expect(client.lastTurnAt()).toBe(Date.parse('2026-01-23T18:03:58.000Z'));
    expect(calls).toBe(2);
    leave();
    expect(client.lastTurnAt()).toBeUndefined();
  });

  it('has no newest turn without a subscriber to the fleet or to turns', () => {
    const { client, say, leave } = openFleet();
    say(snapshot(makeSession(1)));
    expect(client.lastTurnAt()).toBe(MADE_AT - 20_000);
    leave();
    expect(client.lastTurnAt()).toBeUndefined();
    client.watchSession(madeId(1), () => undefined);
    say({ type: 'session_snapshot', id: madeId(1), session: makeSession(1) });
    expect(client.lastTurnAt(), 'of one session is not of the fleet').toBeUndefined();
    client.watchFleet(() => undefined);
    expect(client.lastTurnAt()).toBe(MADE_AT - 20_000);
  });
});
