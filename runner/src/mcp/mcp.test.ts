import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { prepareHook, runHook } from '../hook/testing/hook';

const used = prepareHook();
const FOLDER = '/home/dev/harbour';
const SESSION = '11111111-1111-4111-8111-111111111111';
let client: Client | null = null;
afterEach(async () => {
  await client?.close();
  client = null;
});

async function call(name: string, args: Record<string, unknown> = {}, folder = FOLDER) {
  if (client === null) {
    client = new Client({ name: 'test', version: '1' });
    const command = {
      command: process.execPath,
      args: [used.command.cli, 'mcp', folder],
      env: used.home.env,
    };
    await client.connect(new StdioClientTransport(command));
  }
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [part] = content as { text: string }[];
  return { text: part?.text ?? '', isError: isError === true };
}

const line = (type: string, more: object) =>
  `${JSON.stringify({ type, uuid: randomUUID(), sessionId: SESSION, cwd: FOLDER, timestamp: '2026-03-01T10:00:00Z', ...more })}\n`;
const said = (text: string, more = {}) => line('user', { message: { role: 'user', content: text }, ...more });
const answered = (id: string, path: string, input: number) =>
  line('assistant', {
    message: {
      ...{ id, role: 'assistant', model: 'claude-sonnet-4-5' },
      content: [{ type: 'tool_use', id, name: 'Edit', input: { file_path: path } }],
      usage: { input_tokens: input, output_tokens: 1_000 },
    },
  });

function write(session: string, ...lines: string[]): void {
  appendFileSync(
    join(used.home.transcript, '..', `${session}.jsonl`),
    lines.join('').replaceAll(SESSION, session),
  );
}

function writeCompacted(): void {
  // The file of another session must be older.
  utimesSync(used.home.transcript, 0, 0);
  write(
    SESSION,
    said(`Paint the harbour wall in blue. Push with ghp_${'a1B2'.repeat(9)}.`),
    answered('a', '/srv/wall.ts', 99_000),
    line('system', { subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 100_000 } }),
    said('Changed tide.ts.', { isCompactSummary: true }),
    answered('b', '/srv/tide.ts', 19_000),
  );
}

describe('barograph mcp', () => {
  it('finds what was said before a compaction, and reads it with masked secrets', async () => {
    writeCompacted();
    const { text } = await call('search_history', { query: 'HARBOUR wall' });
    expect(text).toMatch(
      new RegExp(`^${SESSION} #0 2026-03-01T10:00:00.000Z "Paint .*: Paint the harbour wall`),
    );
    const read = await call('read_history', { transcript: SESSION, from: 0, count: 2 });
    expect(read.text).toMatch(
      /^#0 user .*\nPaint the harbour wall in blue\. Push with \[secret 0: GitHub token\]\./,
    );
    expect(read.text).toContain('/srv/wall.ts');
  });

  it('lists what was lost, makes a note, and states the size of the context', async () => {
    writeCompacted();
    expect((await call('what_was_lost')).text).toContain('#1 /srv/wall.ts (read 0×, changed 1×)');
    const note = (await call('recall_note')).text;
    expect(note).toContain('- /srv/wall.ts (changed 1×)');
    expect(note).not.toContain('tide.ts');
    const status = (await call('context_status')).text;
    expect(status).toContain(`Session ${SESSION}: nominal. 20000 tokens in use of 200000, 10 %.`);
    expect(status).toContain('Context 2 of this session. Compactions: 1, restarts: 0.');
  });

  it('reads lines that the agent writes after the first call', async () => {
    write(SESSION, said('Paint the wall.'));
    expect((await call('search_history', { query: 'lantern' })).text).toBe('No matches.');
    write(SESSION, said('Light the lantern.'));
    expect((await call('search_history', { query: 'lantern' })).text).toContain('Light the lantern.');
  });

  it('does not read sessions of other folders', async () => {
    writeCompacted();
    expect((await call('search_history', { query: 'harbour' }, '/home/dev/harbour-2')).text).toBe(
      'No matches.',
    );
    expect(await call('what_was_lost', { transcript: SESSION })).toEqual({
      text: `transcript: /home/dev/harbour-2 has no transcript "${SESSION}". search_history returns ids.`,
      isError: true,
    });
  });

  it('reads the archive of a session whose file is gone', async () => {
    writeCompacted();
    const transcript_path = join(used.home.transcript, '..', `${SESSION}.jsonl`);
    await runHook(used.command, used.home, {
      input: used.home.payload({ session_id: SESSION, transcript_path, cwd: FOLDER }),
    });
    await expect.poll(() => readArchives()).toHaveLength(1);
    rmSync(transcript_path);
    const { text } = await call('search_history', { query: 'harbour wall' });
    const [id] = text.split(' ');
    expect(text).toContain('Paint the harbour wall');
    const { resources } = (await client?.listResources()) ?? { resources: [] };
    expect(resources).toMatchObject([{ uri: `barograph://archives/${id}` }]);
    expect((await call('read_history', { transcript: id, from: 0 })).text).toContain('in blue');
  });

  it('names the wrong argument', async () => {
    write(SESSION, said('Paint the wall.'));
    expect(await call('what_was_lost', { compaction: 2 })).toEqual({
      text: 'compaction: the transcript has 0 compactions.',
      isError: true,
    });
    expect(await call('search_history', { query: '…' })).toMatchObject({ isError: true });
  });
});

function readArchives(): string[] {
  try {
    return readFileSync(join(used.home.runs, 'index.jsonl'), 'utf8')
      .split('\n')
      .filter((text) => text.includes('"stored"'));
  } catch {
    return [];
  }
}
