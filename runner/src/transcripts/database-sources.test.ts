import { expect, it, vi } from 'vitest';
import { readChangedLines, readTranscript } from './database-sources';
import { queryDatabase } from './sqlite';

vi.mock('./sqlite', () => ({ queryDatabase: vi.fn() }));

const FILE = '/home/a/.local/share/opencode/opencode.db';
const returning = (parts: unknown) => {
  const line = JSON.stringify({ id: 'msg_1', message: { role: 'user' }, parts });
  vi.mocked(queryDatabase).mockResolvedValue([{ changed: 1, line }]);
  return line;
};

it('reads a message of OpenCode whose parts are a list', async () => {
  const line = returning([{ id: 'p1' }]);
  expect(await readChangedLines(`${FILE}#s`, 0)).toEqual({ lines: [line], changed: 1 });
  expect(await readTranscript(`${FILE}#s`, 'b')).toBe(`${line}\n`);
});

it.each([
  ['a string', '[{"id":"p1"}]'],
  ['null', null],
])('refuses a message of OpenCode whose parts are %s', async (name, parts) => {
  returning(parts);
  const error = `${FILE}: parts of message msg_1: SQLite returned ${name} instead of a list`;
  await expect(readChangedLines(`${FILE}#s`, 0)).rejects.toThrow(error);
  await expect(readTranscript(`${FILE}#s`, 'b')).rejects.toThrow(error);
});
