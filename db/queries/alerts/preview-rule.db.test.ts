import { expect, test } from 'vitest';
import { type AlertCondition, ruleDefinition } from '../../../core/alerts/rule';
import { deliver, numbered, openTestStream, type Words } from '../../ingest/ingest-testing';
import { openTestDatabase } from '../../testing/test-database';
import { previewRule } from './preview-rule';

const { sql } = await openTestDatabase();
const NOW = Date.now();
const MINUTE_MS = 60_000;

const at = (minute: number) => NOW - 3 * 3_600_000 + minute * MINUTE_MS;
const turn = (minute: number, used: number): Words => ({
  type: 'turn',
  session: 'a',
  at: at(minute),
  model: 'model-x',
  limit: 100_000,
  contextTokens: used,
  usage: { input: used, output: 10, cacheRead: 0, cacheCreation: 0 },
  call: `call-${minute}`,
});

const stream = await openTestStream(sql, { project: 'preview' });
const words: Words[] = [
  { type: 'session_start', session: 'a', at: at(0), title: 'Payments', lens: 'snapshot', backfill: true },
  turn(1, 50_000),
  turn(2, 85_000),
  { type: 'compaction', session: 'a', at: at(3), trigger: 'auto', state: 'pending' } as Words,
  { type: 'compaction', session: 'a', at: at(4), trigger: 'auto', state: 'confirmed' } as Words,
  turn(5, 20_000),
  turn(40, 90_000),
  turn(41, 95_000),
];
await deliver(sql, stream, numbered(words), NOW);

async function preview(condition: AlertCondition, more = {}) {
  const rule = ruleDefinition.parse({ name: 'r', enabled: true, severity: 'info', condition, ...more });
  return previewRule(sql, rule, NOW);
}
const spansOf = async (condition: AlertCondition, more = {}) =>
  ((await preview(condition, more)).alerts[0]?.spans ?? []).map(({ firedAt, resolvedAt }) => [
    (Date.parse(firedAt) - at(0)) / MINUTE_MS,
    resolvedAt && (Date.parse(resolvedAt) - at(0)) / MINUTE_MS,
  ]);

test('shows when a line would have been crossed, also in imported history', async () => {
  expect(await spansOf({ kind: 'pressure', atLeast: 0.8 })).toEqual([
    [2, 5],
    [40, null],
  ]);
  const { sessions, checked, fired, alerts } = await preview({ kind: 'pressure', atLeast: 0.8 });
  expect({ sessions, checked, fired }).toEqual({ sessions: 1, checked: 1, fired: 2 });
  expect(alerts[0]?.trace.map(([, pressure]) => pressure)).toEqual([0.5, 0.85, 0.2, 0.9, 0.95]);
});

test('applies `for` between items', async () => {
  expect(await spansOf({ kind: 'pressure', atLeast: 0.8 }, { forSeconds: 180 })).toEqual([[43, null]]);
});

test('shows silence between two turns', async () => {
  expect(await spansOf({ kind: 'silent', minutes: 20 })).toEqual([
    [25, 40],
    [61, null],
  ]);
});

test('shows a compaction at its confirmation, once', async () => {
  expect(await spansOf({ kind: 'compaction', state: 'done' }, { resolveSeconds: 600 })).toEqual([[4, 14]]);
  expect(await spansOf({ kind: 'compaction', state: 'announced' })).toEqual([[3, 4]]);
});

test('leaves out sessions outside the scope', async () => {
  const scope = { title: ['other*'] };
  expect(await preview({ kind: 'pressure', atLeast: 0.8 }, { scope })).toMatchObject({
    sessions: 0,
    fired: 0,
  });
});

test('counts all sessions with alerts, and lists those with the most', async () => {
  const many = Array.from({ length: 51 }, (_, index) => ({
    ...turn(1, 120_000),
    session: `m${index}`,
    call: `m${index}`,
  }));
  await deliver(sql, await openTestStream(sql, { project: 'many' }), numbered(many), NOW);
  const found = await preview({ kind: 'over_limit' }, { scope: { project: ['many'] } });
  expect(found).toMatchObject({ sessions: 51, checked: 51, fired: 51, firedIn: 51 });
  expect(found.alerts).toHaveLength(50);
});
