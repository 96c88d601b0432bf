import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFeed } from '../../db/queries/testing-feed';
import { compacted, SECRET, storeTranscript } from './testing/read-transcripts';
import { startTestApi } from './testing/test-api';

const api = await startTestApi();
const { sql } = api.database;
let id: string;
const client = await connect(api.bearer('read'));
afterAll(async () => {
  await client.close();
  await api.close();
});

async function connect(headers: Record<string, string>): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' });
  const url = new URL(`${api.origin}/api/v1/mcp`);
  await made.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return made;
}

beforeAll(async () => {
  const text = compacted(
    `Paint the harbour wall. The token is ${SECRET}.`,
    '/srv/tide.ts',
    'export const tide = 7;',
  );
  id = await storeTranscript(sql, { project: 'atlas', session: 'one', text });
});

async function call(name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [part] = content as { text: string }[];
  return { text: part?.text ?? '', isError: isError === true };
}

describe('the Model Context Protocol over HTTP', () => {
  it('finds a phrase in the archives and reads the entries there, with masked secrets', async () => {
    const found = await call('search_history', { query: 'harbour wall' });
    expect(found.text).toContain(`${id} #0`);
    const { text } = await call('read_history', { transcript: id, from: 0, count: 3 });
    expect(text).toMatch(/^#0 user .*\nPaint the harbour wall\. The token is \[secret 0: GitHub token\]\./);
    expect(text).toContain('export const tide = 7;');
  });

  it('lists what a compaction dropped, and makes a note of it', async () => {
    expect((await call('what_was_lost')).text).toMatch(/newest first:\n- #0 Paint the harbour wall/);
    const note = await call('recall_note', { transcript: id, budget: 300 });
    expect(note.text).toContain('- /srv/tide.ts (read 1×)');
    expect(note.text).toContain(`transcript ${id}.`);
  });

  it('gives archives as resources', async () => {
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: `barograph://archives/${id}`, name: 'one' }]);
    const { contents } = await client.readResource({ uri: `barograph://archives/${id}` });
    expect(JSON.stringify(contents)).toContain('Paint the harbour wall');
    expect(JSON.stringify(contents)).not.toContain(SECRET);
  });

  it('answers wrong arguments with the field and the reason', async () => {
    expect(await call('read_history', { transcript: 'nope', from: 0 })).toEqual({
      text: 'id: there is no transcript with this id',
      isError: true,
    });
    expect(await call('search_history', { query: 'x', limit: 0 })).toMatchObject({
      text: expect.stringContaining('limit'),
      isError: true,
    });
    expect((await call('context_status')).text).toBe('No active sessions.');
  });

  it('reads only the projects of a limited token', async () => {
    const text = compacted('Paint the lighthouse wall.', '/srv/lamp.ts', 'export const lamp = 1;');
    const other = await storeTranscript(sql, { project: 'shop', session: 'two', text });
    const grant = { name: 'shop only', scopes: ['read'], projects: ['shop'] };
    const made = await api.ask('POST', '/tokens', grant, api.bearer('admin'));
    const { secret } = (await made.json()) as { secret: string };
    const limited = await connect({ Authorization: `Bearer ${secret}` });
    const ask = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify(await limited.callTool({ name, arguments: args }));
    expect(await ask('search_history', { query: 'wall' })).toContain(other);
    expect(await ask('search_history', { query: 'wall' })).not.toContain(id);
    for (const [name, more] of [
      ['read_history', { from: 0, count: 1 }],
      ['search_history', { query: 'harbour' }],
      ['what_was_lost', {}],
      ['recall_note', {}],
    ] as const)
      expect(await ask(name, { transcript: id, ...more }), name).toContain('there is no transcript');
    expect((await limited.listResources()).resources).toMatchObject([
      { uri: `barograph://archives/${other}` },
    ]);
    await expect(limited.readResource({ uri: `barograph://archives/${id}` })).rejects.toThrow();
    await limited.close();
  });

  it('refuses a token without the scope read, and no token', async () => {
    const ask = (headers: Record<string, string>) =>
      api.ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    expect((await ask(api.bearer('ingest'))).status).toBe(403);
    expect((await ask({})).status).toBe(401);
  });

  it('records each reading in the audit log', async () => {
    const response = await api.get('/audit?action=transcript_read');
    expect(JSON.stringify(await response.json())).toContain(id);
  });

  it('masks a secret in the title of a session', async () => {
    const feed = await createTestFeed(sql);
    await feed.tell({ type: 'session_start', session: 'one', title: `Push with ${SECRET}.` });
    await sql`update transcripts set session = (select public_id from sessions) where public_id = ${id}`;
    const { resources } = await client.listResources();
    const { text } = await call('search_history', { query: 'harbour wall' });
    const status = await call('context_status', {});
    expect(text).toContain('"Push with [masked: GitHub token]."');
    expect([text, status.text, JSON.stringify(resources)].join('\n')).not.toContain(SECRET.slice(0, 12));
  });
});
