import { expect, it, vi } from 'vitest';
import { readChangedLines, readTranscript } from './database-sources';
import { readDatabase } from './sqlite';

vi.mock('./sqlite', () => ({ readDatabase: vi.fn() }));

const FILE = '/home/a/.local/share/opencode/opencode.db';
const TABLES = {
  session: ['id', 'parent_id', 'directory', 'title', 'version', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_updated', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
};
const schema = Object.entries(TABLES).flatMap(([table, columns]) =>
  columns.map((column) => ({ table, column })),
);
const returning = (fields: object) => {
  const line = JSON.stringify({ id: 'msg_1', ...fields });
  vi.mocked(readDatabase).mockImplementation(async (_, read) =>
    read((sql) => (sql.includes('sqlite_master') ? schema : [{ changed: 1, line }])),
  );
  return line;
};

it('reads a message of OpenCode whose parts are a list', async () => {
  const line = returning({ message: { role: 'user' }, parts: [{ id: 'p1' }] });
  expect(await readChangedLines(`${FILE}#s`, 0)).toEqual({ lines: [line], changed: 1 });
  expect(await readTranscript(`${FILE}#s`, 'msg_1')).toBe(`${line}\n`);
});

it('refuses to archive up to a compaction that is no longer in the database', async () => {
  returning({ message: { role: 'user' }, parts: [] });
  const error = 'the database no longer contains message msg_2';
  await expect(readTranscript(`${FILE}#s`, 'msg_2')).rejects.toThrow(error);
});

it.each([
  ['parts', 'a string instead of a list', { message: {}, parts: '[{"id":"p1"}]' }],
  ['parts', 'null instead of a list', { message: {}, parts: null }],
  ['data', 'a string instead of an object', { message: '{"role":"user"}', parts: [] }],
  ['data', 'a string instead of an object', { type: 'assistant', data: '{"role":"user"}' }],
])('refuses a message of OpenCode if its %s are %s', async (field, fault, fields) => {
  returning(fields);
  const error = `${FILE}: ${field} of message msg_1: SQLite returned ${fault}`;
  await expect(readChangedLines(`${FILE}#s`, 0)).rejects.toThrow(error);
  await expect(readTranscript(`${FILE}#s`, 'b')).rejects.toThrow(error);
});
