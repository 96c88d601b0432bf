import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { TEST_SECRET } from '../proof/testing/identity';
import { boundaryLine } from '../transcripts/testing/write-transcript';
import { completeArchives } from '../upload/complete-archives';
import { FakeArchiveServer } from '../upload/testing/fake-archive-server';
import { readArchiveIndex } from './archive-index';
import { createPreCompactHook, type PreCompactHookOptions } from './precompact-hook';
import { LINES, prepareArchiveBench } from './testing/archive-bench';

const used = prepareArchiveBench();
const input = (fields?: Record<string, unknown>) => used.bench.input(fields);

const at = Date.UTC(2026, 10, 22, 1, 54, 12, 345);
const now = () => at;

describe('the PreCompact hook’s report to a server', () => {
  it('reports the pending compaction, then the archive', async () => {
    const { bench } = used;
    await bench.hook({ session: bench.session, now })(input({ trigger: 'manual' }));
    const path = join(bench.archives, 's1_20261122_015412_transcript.jsonl');
    const [entry] = (await readArchiveIndex(bench.config)).entries;
    expect(bench.reports).toEqual([
      { type: 'compaction', trigger: 'manual', state: 'pending', at },
      {
        type: 'archive',
        state: 'stored',
        trigger: 'manual',
        at,
        archive: entry?.id,
        version: 'hook',
        path,
        bytes: LINES.length,
        lines: 2,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(entry?.session).toBe('ticket-4711');
  });

  it('reports why an archive was skipped or failed', async () => {
    const { bench } = used;
    const hook = bench.hook({ session: bench.session });
    await hook(input({ transcript_path: '/nowhere' }));
    await hook(input({ transcript_path: '/dev/null' }));
    expect(bench.reports.filter(({ type }) => type === 'archive')).toMatchObject([
      { state: 'skipped', reason: 'the transcript is not there' },
      { state: 'failed', reason: expect.stringContaining('not a file') },
    ]);
  });

  it("reports a sub-agent's chain, and no unknown trigger", async () => {
    const { bench } = used;
    const hook = bench.hook({ session: bench.session });
    await hook(input({ agent_id: 'a8ed9f336' }));
    await hook(input({ trigger: 'PreCompress' }));
    expect(bench.reports.map(({ type, chain, trigger }) => [type, chain, trigger])).toEqual([
      ['compaction', 'a8ed9f336', 'auto'],
      ['archive', undefined, 'auto'],
      ['archive', undefined, undefined],
    ]);
  });

  it('goes to the session that a function returns', async () => {
    const { bench } = used;
    const session = (id: string) => (id === 's1' ? bench.session : null);
    await bench.hook({ session })(input());
    await bench.hook({ session })(input({ session_id: 's2' }));
    expect(bench.reports).toHaveLength(2);
    expect(bench.names()).toHaveLength(2);
  });

  it('states the client’s own id, and leaves the project in the index for the process that uploads', async () => {
    const { bench } = used;
    const id = 'a1000001-0000-4000-8000-000000000001';
    const path = join(bench.folder, `${id}.jsonl`);
    writeFileSync(path, LINES);
    const aliases: unknown[] = [];
    const session = {
      ...bench.session,
      alias: (fields: unknown) => aliases.push(fields),
      destination: () => ({ url: 'http://127.0.0.1:9', token: null, project: 'night-shift', content: false }),
    };
    await bench.hook({ session, uploadArchives: 'off' })(input({ session_id: id, transcript_path: path }));
    expect(aliases).toEqual([{ client: 'claude-code', clientSessionId: id }]);
    const [entry] = (await readArchiveIndex(bench.config)).entries;
    expect(entry).toMatchObject({ session: 'ticket-4711', project: 'night-shift' });
    // The program and `watch` know the session by different keys, and make one completed archive.
    appendFileSync(path, boundaryLine('b1'));
    const about = { path, clientSessionId: id, folder: null, configFolder: bench.config, now: at };
    const own = await completeArchives({ ...about, session: 'ticket-4711', project: 'night-shift' });
    expect(own).toMatchObject([{ completes: entry?.id }]);
    expect(await completeArchives({ ...about, session: `claude-code:${id}`, project: 'work' })).toEqual([]);
  });

  it('does not affect archive and compaction when it fails', async () => {
    const { bench } = used;
    const fail = () => {
      throw new Error('closed');
    };
    expect(await bench.hook({ session: { key: 'k', compaction: fail, archive: fail } })(input())).toEqual({});
    expect(await bench.hook({ session: fail })(input())).toEqual({});
    expect(bench.names()).toHaveLength(2);
    expect(bench.levels().filter((level) => level === 'warn')).toHaveLength(3);
  });
});

it('the PreCompact hook uploads its archive during the compaction, and the completed archive afterwards', async () => {
  const { bench } = used;
  const server = await FakeArchiveServer.start();
  vi.stubEnv('BAROGRAPH_DATA_DIR', bench.folder);
  try {
    const { url } = server;
    const connection = { url, ingestToken: 'bg_local', readToken: 'bg_read', secret: TEST_SECRET };
    writeFileSync(join(bench.folder, 'connection.json'), JSON.stringify(connection));
    const destination = () => ({ url, token: 'bg_session', project: 'night-shift', content: true });
    const transcript = String(input().transcript_path);
    const atHook = readFileSync(transcript);
    expect(await bench.hook({ session: { ...bench.session, destination } })(input())).toEqual({});
    await vi.waitFor(() => expect(server.kept.stored.size).toBe(1));
    appendFileSync(transcript, boundaryLine('b1'));
    const entries = async () => (await readArchiveIndex(bench.config)).entries;
    const uploads = async () => (await entries()).map(({ upload }) => upload);
    await vi.waitFor(async () => expect(await uploads()).toEqual(['done', 'done']));
    const [hook, completed] = await entries();
    expect(server.content(hook?.id ?? '').equals(atHook)).toBe(true);
    expect(server.content(completed?.id ?? '').equals(readFileSync(transcript))).toBe(true);
    const session = 'ticket-4711';
    expect(server.kept.offers.get(hook?.id ?? '')).toMatchObject({ session, project: 'night-shift' });
    expect(completed).toMatchObject({ session, asOf: 'completed', completes: hook?.id });
  } finally {
    vi.unstubAllEnvs();
    await server.stop();
  }
});

describe('createPreCompactHook', () => {
  it('rejects unknown options with the nearest known name, and invalid values', () => {
    const make = (options: object) => () => createPreCompactHook(options as PreCompactHookOptions);
    expect(make({ repo_path: '/a' })).toThrow('Unknown setting "repo_path". Did you mean "repoPath"?');
    expect(make({ confgDir: '/a' })).toThrow('Did you mean "configDir"?');
    expect(make({ timeoutMs: -1 })).toThrow(TypeError);
    expect(make({ timeoutMs: Number.NaN })).toThrow(TypeError);
    expect(make({ uploadArchives: 'yes' })).toThrow('uploadArchives must be "local", "on" or "off".');
  });

  it.each(['context_restart_threshold', 'context_limit'])('rejects the retired option %s', (name) => {
    const options = { [name]: 0.9 } as PreCompactHookOptions;
    expect(() => createPreCompactHook(options)).toThrow(`Unknown setting "${name}". It is retired`);
  });
});
