/** Two OS processes on one database record the same sessions at the same time. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../core/protocol/items';
import { fc } from '../../core/testing/property-runs';
import { openTestDatabase } from '../testing/test-database';
import { itemsOf } from './arbitrary-items.fixture';
import { EVENING, NOON, numbered, orderly, readSnapshot, type Words } from './ingest-testing';
import type { ProcessReport, ProcessTask } from './process-testing';

const { sql, url } = await openTestDatabase();

const SESSIONS = ['a', 'b', 'c', 'd', 'e'];

/**
 * Run one process per list of batches. All processes start each batch at the same moment, so that batches collide in
 * random order. @returns the number of rows that each process stored
 */
async function recordAtOnce(project: string, queues: readonly Item[][][]): Promise<number[]> {
  const script = fileURLToPath(new URL('./process-testing.ts', import.meta.url));
  const children = queues.map(() => fork(script, { execArgv: ['--import', 'tsx'], stdio: 'inherit' }));
  try {
    let reports = await Promise.all(
      children.map((child, index) => {
        const hello = {
          project,
          runner: { name: `desk-${index}` },
          stream: randomUUID(),
          source: 'sdk' as const,
        };
        return tell(child, { url, hello, batches: queues[index] ?? [], receivedAt: EVENING });
      }),
    );
    while (reports.some(({ left }) => left > 0)) {
      reports = await Promise.all(
        children.map((child, index) => {
          const report = reports[index];
          if (!report) throw new Error('no report');
          return report.left > 0 ? tell(child, 'go') : report;
        }),
      );
    }
    return reports.map(({ stored }) => stored);
  } finally {
    for (const child of children) if (child.connected) child.kill();
  }
}

async function tell(child: ChildProcess, message: ProcessTask | 'go'): Promise<ProcessReport> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    const report = once(child, 'message', { signal });
    const failed = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`the process ended early (${code})`);
    });
    // The promise that loses the race must not cause an unhandled rejection.
    for (const other of [report, failed]) other.catch(() => undefined);
    child.send(message);
    const [first] = (await Promise.race([report, failed])) as [ProcessReport];
    return first;
  } finally {
    settled.abort();
  }
}

function batchesOf(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Cut items into batches of alternating sizes. */
function batchesInTurn(items: readonly Item[], sizes: readonly [number, number]): Item[][] {
  return batchesOf(items, sizes[0] + sizes[1]).flatMap((both) =>
    [both.slice(0, sizes[0]), both.slice(sizes[0])].filter((batch) => batch.length > 0),
  );
}

/** Items of as many short stories as needed. */
function sample(length: number, seed: number): Item[] {
  const stories = fc.sample(itemsOf(SESSIONS, 200), { numRuns: length, seed });
  return stories.flat().slice(0, length);
}

describe('two processes that record the same sessions at once', () => {
  it('store shared items once, with the rows of one orderly stream', async () => {
    const items = sample(600, 1).map((item, index): Item => {
      const named = 'call' in item && item.call !== undefined ? { call: `${item.call}-${index >> 4}` } : {};
      const reading = item.type === 'reading' ? { call: `reading-${index}` } : {};
      return { ...item, ...named, ...reading, seq: index + 1, at: NOON + index * 1_000 };
    });
    const project = randomUUID();
    // The processes take turns in being ahead, so that each finds both stored and new items.
    const stored = await recordAtOnce(project, [
      [items.slice(0, 24), ...batchesInTurn(items.slice(24), [16, 32])],
      batchesInTurn(items, [16, 32]),
    ]);
    const expected = await orderly(sql, items);
    expect(await readSnapshot(sql, project)).toEqual(expected);
    expect(
      stored.map((rows) => rows > 0),
      `rows: ${stored}`,
    ).toEqual([true, true]);
  });

  it('store different items as one stream would store them in the order of the rows', async () => {
    const words = (who: string): Words[] =>
      Array.from({ length: 400 }, (_, index): Words => {
        const session = SESSIONS[index % SESSIONS.length] ?? 'a';
        const at = NOON + index * 1_000;
        if (index % 97 === 96) return { type: 'clear', session, at, tokensCleared: who === 'one' ? 1 : 2 };
        const usage = { input: 300 + index, output: who === 'one' ? 40 : 60, cacheRead: 1_000 };
        return { type: 'turn', session, at, call: `${who}-${index}`, usage };
      });
    const one = numbered(words('one'));
    const two = numbered(words('two'));
    const project = randomUUID();
    const stored = await recordAtOnce(project, [batchesOf(one, 9), batchesOf(two, 9)]);
    expect(stored).toEqual([one.length, two.length]);

    const rows = await sql<{ runner: string; seq: number }[]>`
      select r.name as runner, x.seq from (
        select session_id, position, stream_id, seq from turns
        union all select session_id, position, stream_id, seq from reports
      ) x join sessions s on s.id = x.session_id join projects p on p.id = s.project_id
      join streams t on t.id = x.stream_id join runners r on r.id = t.runner_id
      where p.name = ${project} order by s.key, x.position`;
    const inOrder = rows.map(({ runner, seq }, index) => {
      const item = (runner === 'desk-0' ? one : two)[seq - 1];
      if (!item) throw new Error('a row without an item');
      return { ...item, seq: index + 1 };
    });
    expect(inOrder).toHaveLength(one.length + two.length);
    const places = new Set(rows.map(({ runner }, index) => index > 0 && rows[index - 1]?.runner !== runner));
    expect(places).toContain(true);
    expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, inOrder));
  });
});
