import { expect, it } from 'vitest';
import { demoFleet } from '../../../core/scenario/demo-fleet';
import type { BarographClient } from '../client/client-types';
import { RecordingClients } from '../transcripts/testing/recording-clients';
import { playScenario } from './play-scenario';

/** Plays with a fake clock that jumps to the end of every wait. */
async function play(options: { minutes: number; speed: number; stopAt?: number }) {
  const clients = new RecordingClients();
  const sender = await clients.of({ project: 'any', runner: 'any' });
  const startedAt = Date.parse('2026-11-21T12:00:00.000Z');
  const stopped = new AbortController();
  let clock = startedAt;
  let begunAt = 0;
  const played = await playScenario({
    scenario: demoFleet({ minutes: options.minutes, run: 'test' }),
    speed: options.speed,
    signal: stopped.signal,
    now: () => clock,
    wait(ms) {
      clock += ms;
      if (options.stopAt !== undefined && clock > startedAt + options.stopAt) stopped.abort();
      return Promise.resolve();
    },
    connect: () => sender as BarographClient,
    onBegin() {
      begunAt = clients.items.length;
      return Promise.resolve();
    },
  });
  return { clients, played, startedAt, begunAt, clock };
}

it('sends the last hour at once as history, then each step at its time', async () => {
  const { clients, startedAt, begunAt, clock } = await play({ minutes: 10, speed: 1 });
  expect(begunAt).toBeGreaterThan(100);
  const backfill = new Map<string, boolean | undefined>();
  for (const item of clients.items) {
    if (item.type === 'session_start') backfill.set(item.session, item.backfill);
    if (item.at < startedAt - 240_000) expect(backfill.get(item.session)).toBe(true);
    if (item.at > startedAt) expect(backfill.get(item.session)).toBe(false);
  }
  expect(clock - startedAt).toBeGreaterThan(8 * 60_000);
});

it('ends open sessions when it is stopped', async () => {
  const { clients } = await play({ minutes: 10, speed: 1, stopAt: 60_000 });
  const live = new Set<string>();
  for (const item of clients.items) {
    if (item.type === 'session_start') item.backfill ? live.delete(item.session) : live.add(item.session);
    if (item.type === 'session_end') live.delete(item.session);
  }
  expect([...live]).toEqual([]);
  expect(
    clients.itemsOf('session_end').filter(({ reason }) => reason === 'the demo ended').length,
  ).toBeGreaterThan(5);
});

it('keeps the order between streams of a session', async () => {
  const acknowledged = new Map<string, number>();
  const overtaken: string[] = [];
  const lastOf = new Map<string, { stream: string; sent: number }>();
  const sentBy = new Map<string, number>();
  let handedOver = 0;
  await playScenario({
    scenario: demoFleet({ minutes: 0, run: 'test' }),
    speed: 1,
    signal: new AbortController().signal,
    now: () => Date.parse('2026-11-21T12:00:00.000Z'),
    wait: () => Promise.resolve(),
    onBegin: () => Promise.resolve(),
    connect: ({ stream }) =>
      ({
        send(item: { session: string }) {
          const before = lastOf.get(item.session);
          if (before !== undefined && before.stream !== stream) {
            handedOver += 1;
            if ((acknowledged.get(before.stream) ?? 0) < before.sent) overtaken.push(item.session);
          }
          const sent = (sentBy.get(stream) ?? 0) + 1;
          sentBy.set(stream, sent);
          lastOf.set(item.session, { stream, sent });
        },
        flush() {
          acknowledged.set(stream, sentBy.get(stream) ?? 0);
          return Promise.resolve();
        },
        stats: () => ({ queuedBytes: 0, queued: 0 }),
      }) as unknown as BarographClient,
  });
  expect(handedOver).toBeGreaterThan(3);
  expect(overtaken).toEqual([]);
});
