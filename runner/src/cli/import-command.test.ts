import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TranscriptItem } from '../../../core/agents/agent-format';
import {
  compareSessions,
  type MeasuredSession,
  measureItems,
} from '../../../core/agents/testing/measure-sessions';
import { FakeServer } from '../client/testing/fake-server';
import { runCli } from './testing/run-cli';

const fixture = fileURLToPath(
  new URL('../../../core/agents/claude-code/fixtures/compactions', import.meta.url),
);
let folder: string;
let server: FakeServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-cli-'));
  cpSync(fixture, join(folder, 'projects'), { recursive: true });
  server = await FakeServer.start();
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function runImport(url: string, ...args: string[]) {
  const where = ['--url', url, '--token', 'bg_test', '--queue-dir', join(folder, 'queue')];
  return runCli(['import', join(folder, 'projects'), ...where, ...args]);
}

function expectWhole(): void {
  const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as {
    sessions: Record<string, MeasuredSession>;
  };
  for (const [session, wanted] of Object.entries(expected.sessions)) {
    const items = server.items.filter((item) => item.session === session) as unknown as TranscriptItem[];
    expect(compareSessions(wanted, measureItems(items)).differences).toEqual([]);
  }
}

it('imports transcripts, and nothing in a second run', async () => {
  const first = await runImport(server.url);
  expect(first).toMatchObject({ code: 0, problems: '' });
  expect(first.lines).toContain('Imported 6 calls and 2 compactions of 1 session from 2 files');
  expectWhole();
  expect(server.hellos[0]).toMatchObject({
    project: 'harbour',
    source: 'transcript',
    runner: { name: 'claude-code' },
  });
  const { length } = server.items;
  expect(await runImport(server.url)).toMatchObject({ code: 0, lines: 'Nothing new in 2 files.' });
  expect(server.items).toHaveLength(length);
});

it('keeps everything when no server answers, and delivers it with the next run', async () => {
  const { url, port } = server;
  await server.stop();
  const first = await runImport(url, '--timeout-seconds', '1');
  expect(first.code).toBe(1);
  expect(first.problems).toContain('Nothing is lost');
  server = await FakeServer.start({ port });
  expect((await runImport(url)).code).toBe(0);
  expectWhole();
});

it('names what the server refuses, by session, and ends with 1', async () => {
  await server.stop();
  server = await FakeServer.start({
    onFrame(items, socket, self) {
      const turns = items.filter(({ type }) => type === 'turn');
      self.store(items, socket);
      self.ack(
        items,
        socket,
        turns.map(({ seq }, index) => ({
          seq,
          index,
          code: 'session_deleted',
          field: '',
          reason: 'It was deleted.',
        })),
      );
    },
  });
  const { code, problems } = await runImport(server.url);
  expect(code).toBe(1);
  expect(problems).toContain('refused: 6 items of claude-code:-home-dev-harbour/11111111');
  expect(problems).toContain('turn: session_deleted: It was deleted.');
});

it('names a missing path', async () => {
  const { code, problems } = await runImport(server.url, join(folder, 'nowhere'));
  expect(code).toBe(1);
  expect(problems).toBe(`left out: ${join(folder, 'nowhere')}: no such file or folder`);
  expectWhole();
});
