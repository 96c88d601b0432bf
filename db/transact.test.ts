import { expect, it, onTestFinished } from 'vitest';
import { connect } from './client';
import { type Script, startScriptedBackend } from './testing/scripted-backend';
import { transact } from './transact';

async function start(script: Script, forgotten?: RegExp) {
  const backend = await startScriptedBackend(script, forgotten);
  const sql = connect(backend.url, 1);
  // Known already, so that the client does not ask the backend.
  sql.options.parsers[1009] = () => [];
  onTestFinished(async () => {
    await sql.end({ timeout: 1 });
    await backend.close();
  });
  return { backend, sql };
}

const tagOf: Script = (statement) => statement.trim().split(/\s/)[0]?.toUpperCase() ?? '';

it.each([false, true])(
  'a transaction fails if its COMMIT is answered otherwise (by key: %s)',
  async (isByKey) => {
    let answer = 'ROLLBACK';
    const { backend, sql } = await start((statement) => (statement === 'commit' ? answer : tagOf(statement)));
    const store = () =>
      transact(sql, async (tx) => tx`insert into turns`.then(() => 'stored'), 'read write', isByKey);
    await expect(store()).rejects.toMatchObject({
      code: 'NOT_COMMITTED',
      message: expect.stringContaining('ROLLBACK'),
    });
    answer = 'COMMIT';
    expect(await store()).toBe('stored');
    expect(backend.commits).toBe(1);
  },
);

it.each([
  ['its COMMIT', /^commit/],
  ['each statement', /./],
])('a transaction that resolves was committed behind a pooler that forgets %s', async (_what, forgotten) => {
  const { backend, sql } = await start(tagOf, forgotten);
  let stored = 0;
  for (let each = 0; each < 6; each += 1) {
    const done = transact(sql, (tx) => tx`insert into turns`);
    stored += await done.then(
      () => 1,
      () => 0,
    );
  }
  expect(stored).toBeGreaterThan(0);
  expect(backend.commits).toBe(stored);
});

it('a transaction fails with the error that aborted it', async () => {
  const { backend, sql } = await start((statement) =>
    statement.includes('set_config') ? { error: '53200' } : tagOf(statement),
  );
  await expect(transact(sql, (tx) => tx`insert into turns`)).rejects.toMatchObject({ code: '53200' });
  expect(backend.commits).toBe(0);
});
