import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../db/testing/test-database';
import { listenToChanges, type SessionChanges } from './changes';

const database = await createTestDatabase();
const opened: SessionChanges[] = [];
afterEach(async () => {
  for (const changes of opened.splice(0)) await changes.close();
});
afterAll(() => database.close());

/** A subscriber, and a promise of everything it received up to the session `until`. */
async function listen(): Promise<{
  changes: SessionChanges;
  heard: Parameters<SessionChanges['publish']>[0][number][];
  until(id: string): Promise<void>;
}> {
  const changes = await listenToChanges(database.sql);
  opened.push(changes);
  const heard: Parameters<SessionChanges['publish']>[0][number][] = [];
  const waiting = new Map<string, () => void>();
  changes.subscribe((fresh) => {
    heard.push(...fresh);
    for (const { publicId } of fresh) waiting.get(publicId)?.();
  });
  return {
    changes,
    heard,
    until: (id) =>
      new Promise((resolve) => {
        if (heard.some(({ publicId }) => publicId === id)) resolve();
        else waiting.set(id, resolve);
      }),
  };
}

const notify = (hints: unknown) =>
  database.sql`select pg_notify('barograph_sessions', ${typeof hints === 'string' ? hints : JSON.stringify(hints)})`;

describe('session changes', () => {
  it('arrive from another process through the database', async () => {
    const { heard, until } = await listen();
    await notify([
      ['a', 1],
      ['b', 4],
    ]);
    await until('b');
    expect(heard).toEqual([
      { publicId: 'a', version: 1 },
      { publicId: 'b', version: 4 },
    ]);
  });

  it('arrive once, from this process or through the database', async () => {
    const { changes, heard, until } = await listen();
    changes.publish([{ publicId: 'a', version: 2 }]);
    await notify([['a', 2]]);
    await notify([['a', 1]]);
    await notify([['end', 1]]);
    await until('end');
    expect(heard.filter(({ publicId }) => publicId === 'a')).toEqual([{ publicId: 'a', version: 2 }]);
  });

  it.each(['{', '{}', '[1]', '[["a"]]', '[["a","1"]]', '[[1,1]]', '[["a",1.5]]'])(
    'continue after the hint %s, which cannot be read',
    async (hint) => {
      const { heard, until } = await listen();
      await notify(hint);
      await notify([['after', 1]]);
      await until('after');
      expect(heard).toHaveLength(1);
    },
  );

  it('reach the other subscribers when one throws', async () => {
    const { changes, heard } = await listen();
    changes.subscribe(() => {
      throw new Error('a subscriber failed');
    });
    const last: string[] = [];
    const end = changes.subscribe((fresh) => last.push(...fresh.map(({ publicId }) => publicId)));
    changes.publish([{ publicId: 'x', version: 1 }]);
    end();
    changes.publish([{ publicId: 'y', version: 1 }]);
    expect(last).toEqual(['x']);
    expect(heard.map(({ publicId }) => publicId)).toEqual(['x', 'y']);
  });
});
