import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { deliver, numbered, openTestStream } from '../../db/ingest/ingest-testing';
import { type Received, startReceiver } from '../../db/testing/http-receiver';
import { openTestDatabase } from '../../db/testing/test-database';

/** `ALERT_KILLS=50` is the long form. */
const KILLS = Number(process.env.ALERT_KILLS ?? 5);
const { sql, url } = await openTestDatabase();
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

async function startSender(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/alerts/testing/alerts-process.ts', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

test(
  `a server that is killed ${KILLS} times after a commit loses no message, and repeats keep their key`,
  async () => {
    let onRequest: ((response: ServerResponse) => void) | null = null;
    const receiver = await startReceiver((response) => {
      if (onRequest) onRequest(response);
      else response.end();
    });
    /** Resolves at the next request, which gets no answer, or after its answer. */
    const nextRequest = (isAnswered: boolean) =>
      new Promise<void>((resolve) => {
        onRequest = (response) => {
          onRequest = null;
          if (isAnswered) response.end(resolve);
          else resolve();
        };
      });
    const channel = await makeChannel(
      sql,
      'webhook',
      { url: receiver.url },
      { key: 'k'.repeat(16) },
      { perMinute: 100_000 },
    );
    await makeRule(sql, { kind: 'over_limit' }, { channels: [channel] });
    const stream = await openTestStream(sql, { project: 'killed' });
    let seq = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const sender = await startSender();
      // Directly after the commit, between a request and its answer, and after an answer.
      const moment = [async () => undefined, () => nextRequest(false), () => nextRequest(true)][
        round % 3
      ]?.();
      for (let one = 0; one < 3; one += 1) {
        seq += 1;
        await deliver(
          sql,
          stream,
          numbered(
            [
              {
                type: 'turn',
                session: `s${seq}`,
                at: Date.now(),
                limit: 100_000,
                usage: { input: 120_000, output: 1, cacheRead: 0, cacheCreation: 0 },
                call: `c${seq}`,
              },
            ],
            seq,
          ),
          Date.now(),
        );
      }
      await moment;
      sender.kill('SIGKILL');
      await once(sender, 'exit');
    }
    const last = await startSender();
    const alertsOf = ({ body }: Received): string[] =>
      (JSON.parse(body) as { alerts: { alert: string }[] }).alerts.map(({ alert }) => alert);
    await vi.waitFor(async () => {
      const [row] = await sql<{ waiting: number }[]>`
        select (select count(*) from alert_outbox where delivery_id is null)
          + (select count(*) from alert_deliveries where state <> 'sent') as waiting`;
      expect(row?.waiting).toBe(0);
    });
    last.kill('SIGKILL');
    await once(last, 'exit');
    const keys = new Map<string, Set<unknown>>();
    for (const one of receiver.received) {
      for (const alert of alertsOf(one)) {
        keys.set(alert, (keys.get(alert) ?? new Set()).add(one.headers['idempotency-key']));
      }
    }
    await receiver.close();
    const stored = await sql<{ id: string }[]>`select id from alerts`;
    expect([...keys.keys()].sort()).toEqual(stored.map(({ id }) => id).sort());
    expect(stored).toHaveLength(KILLS * 3);
    expect([...keys.values()].map(({ size }) => size)).toEqual(stored.map(() => 1));
  },
  120_000 + KILLS * 15_000,
);
