import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AlertNotice } from '../../core/alerts/notice';
import { deleteSession } from '../delete-session';
import { deliver, NOON, numbered, openTestStream, type Words } from '../ingest/ingest-testing';
import { openStream } from '../ingest/open-stream';
import { openTestDatabase } from '../testing/test-database';
import { STORE_RANK } from '../transcripts/record-store-event';
import { checkDueAlerts } from './check-due';
import { formDeliveries } from './deliveries';
import { allowCommands } from './rule-book';
import { makeChannel, makeRule } from './testing/make-rules';

const { sql } = await openTestDatabase();
const IDLE_MS = 600_000;

beforeEach(async () => {
  await sql`truncate alert_outbox, alert_deliveries, alerts, alert_channels, alert_rules, alert_mutes`;
});

const turn = (session: string, used: number, minute: number, more = {}): Words => ({
  type: 'turn',
  session,
  at: NOON + minute * 60_000,
  model: 'model-x',
  limit: 100_000,
  contextTokens: used,
  usage: { input: used, output: 10, cacheRead: 0, cacheCreation: 0 },
  call: `${session}-${minute}`,
  ...more,
});

const snapshots = (session: string): Words => ({
  type: 'session_start',
  session,
  at: NOON,
  lens: 'snapshot',
});
const hook = () => makeChannel(sql, 'webhook', { url: 'http://example.org/' }, { key: 'k'.repeat(16) });
const notices = async () =>
  (await sql<{ notice: AlertNotice }[]>`select notice from alert_outbox order by id`).map(
    ({ notice }) => notice,
  );
const changes = async () => (await notices()).map(({ change }) => change);
const at = (minute: number) => NOON + minute * 60_000;

let lastProject = 0;
async function stream(more = {}) {
  lastProject += 1;
  return openTestStream(sql, { project: `alerts-${lastProject}`, ...more });
}

describe('alerts of a session', () => {
  test('fires once while the pressure stays above the line, and resolves below the lower bound', async () => {
    const channels = [await hook()];
    await makeRule(sql, { kind: 'pressure', atLeast: 0.8, clear: 0.7 }, { channels });
    const own = await stream();
    await deliver(sql, own, numbered([snapshots('a')]));
    for (const [index, used] of [50_000, 81_000, 82_000, 75_000, 69_000].entries())
      await deliver(sql, own, numbered([turn('a', used, index)], index + 2));
    expect(await changes()).toEqual(['fired', 'resolved']);
    const [first] = await notices();
    expect(first?.text).toBe('Pressure 81 %, 81 k of 100 k tokens.');
    expect(first?.session?.pressure).toBe(0.81);
  });

  test('fires and resolves in the order of the turns of one batch, but sends no command for a state that is over', async () => {
    allowCommands(sql);
    const channels = [await hook()];
    const quiet = { zone: 'UTC', from: '00:00', to: '23:59' };
    const more = { channels, action: { command: 'restart' } };
    const own = await stream();
    await sql`update streams set commands = '{restart}' where id = ${own.streamId}`;
    const crossed = (session: string, seq: number) => {
      const used = [50_000, 81_000, 69_000, 85_000, 40_000];
      const turns = used.map((tokens, minute) => turn(session, tokens, minute));
      return deliver(sql, own, numbered([snapshots(session), ...turns], seq), at(5));
    };
    await makeRule(sql, { kind: 'pressure', atLeast: 0.8, clear: 0.7 }, more);
    await makeRule(sql, { kind: 'pressure', atLeast: 0.8 }, { channels, forSeconds: 1 });
    await makeRule(sql, { kind: 'silent', minutes: 2 }, { channels });
    await crossed('a', 1);
    const words = (await notices()).map(({ change, text }) => `${change} ${text.slice(9, 13)}`);
    expect(words).toEqual(['fired 81 %', 'resolved 81 %', 'fired 85 %', 'resolved 85 %']);
    expect(new Set((await notices()).map(({ alert }) => alert)).size).toBe(2);
    expect(await sql`select 1 from commands where session_id = (select max(id) from sessions)`).toEqual([]);
    await sql`truncate alert_rules, alerts, alert_outbox`;
    await makeRule(sql, { kind: 'pressure', atLeast: 0.8 }, { channels, quiet });
    await crossed('b', 7);
    expect(await changes()).toEqual([]);
    expect(await sql`select 1 from alerts where phase = 'resolved'`).toHaveLength(2);
  });

  test('waits for the time of `for`, which the scheduler ends', async () => {
    const channels = [await hook()];
    await makeRule(sql, { kind: 'pressure', atLeast: 0.8 }, { channels, forSeconds: 120 });
    const own = await stream();
    await deliver(sql, own, numbered([turn('a', 81_000, 0)]), at(0));
    await checkDueAlerts(sql, at(1), IDLE_MS);
    expect(await changes()).toEqual([]);
    await checkDueAlerts(sql, at(2), IDLE_MS);
    expect(await changes()).toEqual(['fired']);
  });

  test('fires when a countdown reaches its minutes between two turns', async () => {
    const condition = { kind: 'forecast', unit: 'minutes', within: 5, end: 'mid' } as const;
    await makeRule(sql, condition, { channels: [await hook()] });
    const own = await stream();
    await deliver(sql, own, numbered([snapshots('a')]), at(0));
    // 8 minutes are left after the last turn.
    for (let minute = 0; minute <= 8; minute += 1)
      await deliver(sql, own, numbered([turn('a', 20_000 + minute * 5_000, minute)], minute + 2), at(minute));
    await checkDueAlerts(sql, at(9), IDLE_MS);
    expect(await changes()).toEqual([]);
    await checkDueAlerts(sql, at(11.5), IDLE_MS);
    await checkDueAlerts(sql, at(11.6), IDLE_MS);
    expect(await changes()).toEqual(['fired']);
  });

  test('fires once if several schedulers check at the same time', async () => {
    const channels = [await hook()];
    const own = await stream();
    const scope = { project: [`alerts-${lastProject}`] };
    await makeRule(sql, { kind: 'silent', minutes: 5 }, { channels, scope });
    for (let index = 0; index < 40; index += 1)
      await deliver(sql, own, numbered([turn(`s${index}`, 10_000, 0)], index + 1));
    const check = (minute: number) =>
      Promise.all(Array.from({ length: 4 }, () => checkDueAlerts(sql, at(minute), IDLE_MS)));
    for (const minute of [6, 6, 7]) await check(minute);
    expect(await changes()).toEqual(Array(40).fill('fired'));
    expect(new Set((await notices()).map(({ alert }) => alert)).size).toBe(40);
  });

  test('never fires for a back-filled session', async () => {
    await makeRule(sql, { kind: 'over_limit' }, { channels: [await hook()] });
    await makeRule(sql, { kind: 'restart' }, { channels: [await hook()] });
    const own = await stream();
    const words: Words[] = [
      { type: 'session_start', session: 'a', at: at(0), backfill: true },
      turn('a', 120_000, 1),
      { type: 'restart', session: 'a', at: at(2), continuation: 1, reason: 'pressure' } as Words,
    ];
    await deliver(sql, own, numbered(words));
    expect(await changes()).toEqual([]);
    expect(await sql`select 1 from alerts`).toHaveLength(0);
  });

  test('fires for an event once, also if its report arrives again', async () => {
    const channels = [await hook()];
    await makeRule(sql, { kind: 'restart' }, { channels, resolveSeconds: 600 });
    const own = await stream();
    const restart = {
      type: 'restart',
      session: 'a',
      at: at(2),
      continuation: 1,
      reason: 'pressure',
    } as Words;
    const items = numbered([turn('a', 50_000, 1), restart]);
    await deliver(sql, own, items);
    await deliver(sql, own, items);
    expect(await changes()).toEqual(['fired']);
    await checkDueAlerts(sql, at(14), IDLE_MS);
    expect(await changes()).toEqual(['fired', 'resolved']);
  });

  test('resolves the alert of an event that a late item retracts', async () => {
    const channels = [await hook()];
    await makeRule(sql, { kind: 'compaction', state: 'done' }, { channels, resolveSeconds: 86_400 });
    const own = await stream();
    const compaction = (minute: number) =>
      ({ type: 'compaction', session: 'a', at: at(minute), trigger: 'auto', state: 'confirmed' }) as Words;
    await deliver(sql, own, numbered([turn('a', 80_000, 1), compaction(3), turn('a', 20_000, 4)]));
    expect(await changes()).toEqual(['fired']);
    await sql`update events set retracted = true where kind = 'compaction'`;
    await checkDueAlerts(sql, at(6), IDLE_MS);
    expect(await notices()).toMatchObject([
      { change: 'fired' },
      { change: 'resolved', resolvedBy: 'retracted' },
    ]);
  });

  test('starts no alert for an event older than an hour', async () => {
    await makeRule(sql, { kind: 'restart' }, { channels: [await hook()] });
    const own = await stream();
    const restart = {
      type: 'restart',
      session: 'a',
      at: at(2),
      continuation: 1,
      reason: 'pressure',
    } as Words;
    await deliver(sql, own, numbered([turn('a', 50_000, 1), restart]), at(70));
    expect(await changes()).toEqual([]);
  });

  test('reports silence once, and its end with the next turn', async () => {
    const channels = [await hook()];
    const own = await stream();
    await makeRule(sql, { kind: 'silent', minutes: 5 }, { channels, scope: { project: [own.project] } });
    await deliver(sql, own, numbered([turn('a', 50_000, 0)]), at(0));
    for (const minute of [4, 5, 6]) await checkDueAlerts(sql, at(minute), IDLE_MS);
    expect(await changes()).toEqual(['fired']);
    await deliver(sql, own, numbered([turn('a', 51_000, 8)], 2), at(8));
    expect(await changes()).toEqual(['fired', 'resolved']);
  });

  test('reports a failure of the archive that the server found itself, once', async () => {
    const channels = [await hook()];
    await makeRule(sql, { kind: 'archive_failed' }, { channels, resolveSeconds: 86_400 });
    const own = await stream();
    const { touched } = await deliver(sql, own, numbered([turn('a', 50_000, 0)]));
    await sql`
      insert into events (session_id, cause, kind, position, rank, chain, context, turn, at, detail)
      select id, gen_random_uuid(), 'archive_damaged', last_position, ${STORE_RANK}, 0, 0, 1, ${new Date(at(1))},
        '{"reason": "bytes are missing"}'
      from sessions where id = ${touched[0]?.id ?? 0}`;
    for (const minute of [2, 3]) await checkDueAlerts(sql, at(minute), IDLE_MS);
    expect(await notices()).toMatchObject([
      { change: 'fired', text: 'The transcript was not archived: bytes are missing.' },
    ]);
  });

  test('applies the scope by project, runner, model, title and branch', async () => {
    const channels = [await hook()];
    const scope = {
      project: ['alerts-*'],
      runner: ['desk'],
      model: ['model-*'],
      title: ['*PAY*'],
      branch: ['main'],
    };
    await makeRule(sql, { kind: 'over_limit' }, { channels, scope });
    const own = await stream();
    const start = (session: string, title: string): Words => ({
      type: 'session_start',
      session,
      at: at(0),
      title,
      branch: 'main',
    });
    const words = [
      start('a', 'Fix payments'),
      start('b', 'Other'),
      turn('a', 120_000, 1),
      turn('b', 120_000, 1),
    ];
    await deliver(sql, own, numbered(words));
    expect((await notices()).map(({ session }) => session?.title)).toEqual(['Fix payments']);
  });

  test('leaves titles and branches out of a channel without titles', async () => {
    const channel = await makeChannel(
      sql,
      'webhook',
      { url: 'http://a.b/' },
      { key: 'k'.repeat(16) },
      { titles: false },
    );
    await makeRule(sql, { kind: 'over_limit' }, { channels: [channel] });
    const own = await stream();
    const start: Words = {
      type: 'session_start',
      session: 'a',
      at: at(0),
      title: 'Secret plan',
      branch: 'secret',
    };
    await deliver(sql, own, numbered([start, turn('a', 120_000, 1)]));
    expect(JSON.stringify(await notices())).not.toMatch(/secret/i);
  });

  test('holds messages until the end of quiet hours, and drops them if the alert ends before', async () => {
    const channels = [await hook()];
    const quiet = { zone: 'UTC', from: '11:00', to: '13:00' };
    await makeRule(sql, { kind: 'over_limit' }, { channels, quiet });
    const own = await stream();
    await deliver(sql, own, numbered([snapshots('a'), turn('a', 120_000, 0), turn('b', 120_000, 0)]));
    const held = await sql<{ at: Date }[]>`select not_before as at from alert_outbox`;
    expect(held.map((row) => row.at.getTime())).toEqual([at(60), at(60)]);
    await deliver(sql, own, numbered([turn('a', 20_000, 5)], 4));
    expect((await notices()).map(({ change }) => change)).toEqual(['fired']);
  });

  test('sends nothing in quiet hours about an alert that ends with its rule or session', async () => {
    const channels = [await hook()];
    const now = Date.now();
    const hour = (offset: number) => new Date(now + offset * 3_600_000).toISOString().slice(11, 16);
    const quiet = { zone: 'UTC', from: hour(-2), to: hour(2) };
    const rule = await makeRule(sql, { kind: 'over_limit' }, { channels, quiet });
    const own = await stream();
    const late = (session: string) => turn(session, 120_000, 0, { at: now });
    const { touched } = await deliver(sql, own, numbered([late('a'), late('b')]), now);
    // The message about the first session was sent before the quiet hours.
    const [first, second] = await sql<{ id: number }[]>`select id from alert_outbox order by id`;
    await sql`update alert_outbox set not_before = now(), delivery_id = gen_random_uuid() where id = ${first?.id ?? 0}`;
    await deleteSession(sql, touched[0]?.publicId ?? '');
    await sql`update alert_rules set definition = definition || '{"enabled": false}' where id = ${rule}`;
    await checkDueAlerts(sql, now, IDLE_MS);
    const rows = await sql<{ change: string; isHeld: boolean }[]>`
      select notice->>'change' as change, not_before > now() + interval '1 hour' as "isHeld"
      from alert_outbox order by id`;
    expect(rows, `${second?.id}`).toEqual([
      { change: 'fired', isHeld: false },
      { change: 'resolved', isHeld: true },
    ]);
  });

  test('sends alerts of a group that fire in its seconds as one message, also those that have ended', async () => {
    const channels = [await hook()];
    const group = { by: 'rule', seconds: 60 };
    await makeRule(sql, { kind: 'over_limit' }, { channels, group });
    const own = await stream();
    await deliver(sql, own, numbered([snapshots('a'), turn('a', 120_000, 0)]), at(0));
    await deliver(sql, own, numbered([turn('b', 120_000, 0), turn('a', 20_000, 0.5)], 3), at(0.5));
    await formDeliveries(sql, at(1));
    const formed = await sql`
      select d.id, array_agg(o.notice->>'change' order by o.id) as changes
      from alert_deliveries d join alert_outbox o on o.delivery_id = d.id group by d.id`;
    expect(formed).toMatchObject([{ changes: ['fired', 'resolved', 'fired'] }]);
  });

  test('sends nothing while the session or the rule is muted', async () => {
    const channels = [await hook()];
    await makeRule(sql, { kind: 'over_limit' }, { channels, mutedUntil: new Date(at(100)).toISOString() });
    const own = await stream();
    await deliver(sql, own, numbered([turn('a', 120_000, 0)]));
    expect(await changes()).toEqual([]);
    expect(await sql`select 1 from alerts where phase = 'firing'`).toHaveLength(1);
    await makeRule(sql, { kind: 'pressure', atLeast: 0.9 }, { channels });
    const [session] = await sql<{ id: number }[]>`select max(session_id) as id from alerts`;
    await sql`insert into alert_mutes (session_id, until) values (${session?.id ?? 0}, now() + interval '1 hour')`;
    await deliver(sql, own, numbered([turn('a', 20_000, 1), turn('a', 130_000, 2)], 2));
    expect(await changes(), 'a new alert of a muted session').toEqual([]);
    await deliver(sql, own, numbered([turn('b', 130_000, 2)], 4));
    expect(await changes(), 'an alert of another session').toEqual(['fired']);
    await sql`insert into alert_mutes (session_id, until) select max(session_id), now() + interval '1 hour' from alerts`;
    await sql`update alert_rules set definition = definition || '{"enabled": false}'`;
    await checkDueAlerts(sql, at(3), IDLE_MS);
    expect(await changes(), 'the end of a muted alert').toEqual(['fired']);
  });

  test('ends the alerts of a rule that is turned off and of a deleted session, with a message', async () => {
    const channels = [await hook()];
    const rule = await makeRule(sql, { kind: 'over_limit' }, { channels });
    const own = await stream();
    const { touched } = await deliver(sql, own, numbered([turn('a', 120_000, 0), turn('b', 120_000, 0)]));
    await deleteSession(sql, touched[0]?.publicId ?? '');
    await checkDueAlerts(sql, at(1), IDLE_MS);
    await sql`update alert_rules set definition = definition || '{"enabled": false}' where id = ${rule}`;
    await checkDueAlerts(sql, at(2), IDLE_MS);
    const ends = (await notices()).filter(({ change }) => change === 'resolved');
    expect(ends.map(({ resolvedBy }) => resolvedBy)).toEqual(['removed', 'rule']);
  });
});

test('alerts of runners fire without a sign, and for a queue that grows between two hellos', async () => {
  const channels = [await hook()];
  const scope = { runner: ['watched'] };
  await makeRule(sql, { kind: 'runner_disconnected', minutes: 5 }, { channels, scope });
  await makeRule(sql, { kind: 'runner_queue', items: 100 }, { channels, scope });
  const hello = {
    project: 'runners',
    runner: { name: 'watched' },
    stream: randomUUID(),
    source: 'sdk',
  } as const;
  const greet = (queued: number) => openStream(sql, { ...hello, queued });
  const now = Date.now();
  const check = async (minutes: number) => {
    await checkDueAlerts(sql, now + minutes * 60_000, IDLE_MS);
    return (await notices()).map(({ condition, change }) => `${condition} ${change}`);
  };
  await greet(90);
  await greet(120);
  expect(await check(1)).toEqual(['runner_queue fired']);
  await greet(20);
  expect(await check(2)).toEqual(['runner_queue fired', 'runner_queue resolved']);
  expect((await check(6)).slice(2)).toEqual(['runner_disconnected fired']);
  await sql`update runners set seen_at = ${new Date(now + 6.5 * 60_000)} where name = 'watched'`;
  expect((await check(7)).slice(3)).toEqual(['runner_disconnected resolved']);
});

describe('a rule with an action', () => {
  const commands = () => sql`select action, actor, reason, state from commands order by created_at`;

  test('sends its command once per alert, to a runner that carries it out', async () => {
    await sql`truncate commands`;
    allowCommands(sql);
    const action = { command: 'restart' };
    const rule = { name: 'Restart above 80 %', action };
    await makeRule(sql, { kind: 'pressure', atLeast: 0.8 }, rule);
    const own = await stream();
    const deaf = await stream();
    await sql`update streams set commands = '{restart}' where id = ${own.streamId}`;
    await deliver(sql, deaf, numbered([snapshots('b'), turn('b', 90_000, 0)]));
    await deliver(sql, own, numbered([snapshots('a'), turn('a', 85_000, 0), turn('a', 86_000, 1)]));
    await deliver(sql, own, numbered([turn('a', 85_000, 0)], 2));
    const sent = {
      action: 'restart',
      actor: 'rule Restart above 80 %',
      reason: 'Restart above 80 %: Pressure 85 %, 85 k of 100 k tokens.',
      state: 'sent',
    };
    expect(await commands()).toEqual([sent]);
    await deliver(sql, own, numbered([turn('a', 20_000, 2)], 4));
    await deliver(sql, own, numbered([turn('a', 91_000, 3)], 5));
    expect(await commands()).toMatchObject([sent, { ...sent, reason: expect.stringContaining('91 %') }]);
    const audit = await sql`select actor, detail from audit_log where action = 'command_sent'`;
    expect(audit).toMatchObject([{ actor: sent.actor, detail: { action: 'restart' } }, {}]);
  });

  test('refuses a condition without a session, and say without a message', () => {
    const made = (definition: object) =>
      makeRule(sql, { kind: 'pressure', atLeast: 0.8 }, definition as { name: string });
    const condition = { kind: 'runner_queue', items: 1 };
    return Promise.all([
      expect(made({ condition, action: { command: 'restart' } })).rejects.toThrow('needs a session'),
      expect(made({ action: { command: 'say' } })).rejects.toThrow('is required for the command say'),
    ]);
  });
});

test('sends a storm of 1 000 sessions as one message a minute', async () => {
  const channels = [await hook()];
  await makeRule(sql, { kind: 'over_limit' }, { channels });
  const own = await stream();
  const words = Array.from({ length: 1_000 }, (_, index) => turn(`s${index}`, 120_000, 0));
  await deliver(sql, own, numbered(words.slice(0, 400)), at(1));
  await formDeliveries(sql, at(1));
  await deliver(sql, own, numbered(words.slice(400), 401), at(1));
  await formDeliveries(sql, at(1) + 30_000);
  const formed = () => sql<{ count: number }[]>`
    select count(o.id)::int as count from alert_deliveries d join alert_outbox o on o.delivery_id = d.id
    group by d.id order by min(o.id)`;
  expect((await formed()).map(({ count }) => count)).toEqual([400]);
  await formDeliveries(sql, at(2));
  expect((await formed()).map(({ count }) => count)).toEqual([400, 600]);
});
