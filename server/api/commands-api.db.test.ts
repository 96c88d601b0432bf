import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditList } from '../../core/api/audit';
import { command, commandList } from '../../core/api/commands';
import { sessionId } from '../../core/identity/session-id';
import { listPending } from '../../db/queries/commands';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const api = await startTestApi(Date.now, true);
const off = await startTestApi();
afterAll(() => Promise.all([api.close(), off.close()]));
const path = `/sessions/${sessionId('atlas', 'one')}/commands`;
const send = (body: object, headers = api.bearer('admin')) => api.ask('POST', path, body, headers);

beforeAll(async () => {
  for (const { database } of [api, off]) {
    const feed = await createTestFeed(database.sql, { project: 'atlas' });
    await feed.tell(testTurn('one', 100_000));
    await database.sql`update streams set commands = '{restart,say}'`;
  }
});

describe('commands', () => {
  it('are stored as sent, with what the runner can do, and audited', async () => {
    const sent = await bodyOf(command, send({ action: 'say', text: ' Stop. ', reason: 'wrong branch' }));
    expect(sent).toMatchObject({
      action: 'say',
      text: 'Stop.',
      reason: 'wrong branch',
      state: 'sent',
      actor: 'a admin',
    });
    expect(Date.parse(sent.expiresAt) - Date.parse(sent.createdAt)).toBe(600_000);
    const list = await bodyOf(commandList, api.get(path));
    expect(list).toEqual({
      sessionId: sent.sessionId,
      enabled: true,
      actions: ['restart', 'say'],
      commands: [sent],
    });
    const { entries } = await bodyOf(auditList, api.get('/audit?action=command_sent'));
    expect(entries).toMatchObject([
      {
        actor: 'a admin',
        project: 'atlas',
        detail: { action: 'say', session: sent.sessionId, reason: 'wrong branch' },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Stop.');
  });

  it('that no runner of the session carries out are refused', async () => {
    expect(await errorOf(send({ action: 'compact' }))).toMatchObject({
      status: 409,
      code: 'not_possible',
      field: 'action',
      reason: "the session's runner carries out only restart, say",
    });
  });

  it.each([
    [{ action: 'dance' }, 'action'],
    [{ action: 'say' }, 'text'],
    [{ action: 'say', text: ' ' }, 'text'],
    [{ action: 'restart', text: 'now' }, 'text'],
    [{ action: 'restart', expiresInMinutes: 0 }, 'expiresInMinutes'],
    [{ action: 'restart', at: 1 }, 'at'],
  ])('%j is refused with the field', async (body, field) => {
    expect(await errorOf(send(body))).toMatchObject({ status: 400, field });
  });

  it('with a known id are stored once', async () => {
    const id = randomUUID();
    const first = await bodyOf(command, send({ id, action: 'restart' }));
    expect(first.id).toBe(id);
    expect(await bodyOf(command, send({ id, action: 'restart' }))).toEqual(first);
    await api.database.sql`update commands set state = 'done' where id = ${id}`;
    const { commands } = await bodyOf(commandList, api.get(path));
    expect(commands.filter((one) => one.id === id)).toHaveLength(1);
  });

  it('need the scope admin, a session, and the setting', async () => {
    expect(await errorOf(send({ action: 'restart' }, api.bearer('read')))).toMatchObject({ status: 403 });
    const unknown = api.ask('POST', `/sessions/${randomUUID()}/commands`, { action: 'restart' });
    expect((await errorOf(unknown)).status).toBe(404);
    expect(await errorOf(off.ask('POST', path, { action: 'restart' }))).toMatchObject({
      status: 403,
      code: 'commands_off',
    });
    expect(await bodyOf(commandList, off.get(path))).toMatchObject({ enabled: false, commands: [] });
  });

  it('without a result expire, and are sent no more', async () => {
    const { sql } = api.database;
    const { id } = await bodyOf(command, send({ action: 'restart', expiresInMinutes: 1 }));
    const streams = (await sql<{ id: number }[]>`select id from streams`).map((stream) => stream.id);
    const isPending = async () => (await listPending(sql, streams)).some((one) => one.id === id);
    expect(await isPending()).toBe(true);
    await sql`update commands set state = 'received', expires_at = now() where id = ${id}`;
    expect(await isPending()).toBe(false);
    const { commands } = await bodyOf(commandList, api.get(path));
    expect(commands.find((one) => one.id === id)?.state).toBe('expired');
  });

  it('are bounded per session', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 21; i += 1) statuses.push((await send({ action: 'restart' })).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(19);
    expect(await errorOf(send({ action: 'restart' }))).toMatchObject({
      status: 409,
      code: 'too_many_commands',
    });
  });
});
