import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { noteUpload } from '../archive/archive-index';
import { answerIdentity, TEST_SECRET, TEST_SERVER } from '../proof/testing/identity';
import type { QueueReport } from '../queue/open-queue';
import { CONNECTION, settingsOf } from '../testing/settings';
import { UploadBench } from '../upload/testing/uploads';
import { describeQueues, examineAgents, examineArchives, examineServer } from './doctor-findings';
import { formatAge } from './output';

describe('examineServer', () => {
  const NOW = Date.parse('2026-11-21T12:00:00.000Z');
  const HEALTHY = { status: 'ok', version: '1.2.3', epoch: 'e' };
  let server: Server | null = null;
  afterEach(() => new Promise<void>((done) => (server === null ? done() : server.close(() => done()))));

  async function serve(handler: RequestListener): Promise<string> {
    const made = createServer(handler);
    server = made;
    await new Promise<void>((listening) => made.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
  }

  async function examine(url: string, token = 'bg_good') {
    const found = await examineServer(settingsOf({ BAROGRAPH_URL: url, BAROGRAPH_TOKEN: token }), () => NOW);
    return Object.fromEntries(found.map(({ topic, state, text }) => [topic, `${state}: ${text}`]));
  }

  it('reports version and clock difference', async () => {
    const url = await serve((_, response) => {
      response.setHeader('date', 'Sat, 21 Nov 2026 12:10:00 GMT');
      response.end(JSON.stringify(HEALTHY));
    });
    expect(await examine(url)).toMatchObject({
      address: `ok: ${url} (from BAROGRAPH_URL)`,
      server: 'ok: Barograph 1.2.3, answered in 0 ms',
      clock: 'wrong: this machine is 601 s behind the server',
    });
  });

  it('distinguishes other programs and closed ports', async () => {
    const url = await serve((_, response) => response.writeHead(404).end('<html>'));
    expect((await examine(url)).server).toBe('wrong: another program answers at this address (status 404)');
    expect((await examine('http://127.0.0.1:1')).server).toMatch(/^wrong: does not respond: /);
  });

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'does not know the authority', 'NODE_EXTRA_CA_CERTS'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'does not know the authority', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'does not know the authority', 'NODE_EXTRA_CA_CERTS'],
    ['CERT_HAS_EXPIRED', 'has expired', 'Renew'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another name', 'BAROGRAPH_URL'],
  ])('names the remedy for a certificate with %s', async (code, text, remedy) => {
    const cause = Object.assign(new Error(code), { code });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
    onTestFinished(() => void vi.unstubAllGlobals());
    const found = await examineServer(settingsOf({ BAROGRAPH_URL: 'https://hub.example.org' }), () => NOW);
    expect(found.find(({ topic }) => topic === 'server')).toMatchObject({
      state: 'wrong',
      text: expect.stringContaining(text),
      remedy: expect.stringContaining(remedy),
    });
  });

  it.skipIf(spawnSync('openssl', ['version']).status !== 0)(
    'recognises a server with a certificate of its own',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'barograph-doctor-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'];
      spawnSync('openssl', [...options, '-keyout', key, '-out', cert]);
      const made = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
      server = made;
      await new Promise<void>((listening) => made.listen(0, '127.0.0.1', listening));
      const { port } = made.address() as AddressInfo;
      expect((await examine(`https://127.0.0.1:${port}`)).server).toContain('does not know the authority');
    },
  );

  it("reports the token's name, or why it is refused", async () => {
    const url = await serve((request, response) => {
      const good = request.url === '/healthz' || request.headers.authorization === 'Bearer bg_good';
      response.statusCode = good ? 200 : 401;
      const token = { name: 'pier', scope: 'ingest' };
      response.end(JSON.stringify(good ? { ...HEALTHY, token } : { type: 'error', reason: 'not known' }));
    });
    expect((await examine(url)).token).toBe('ok: … (from BAROGRAPH_TOKEN): "pier", scope ingest');
    expect((await examine(url, 'bg_bad_12')).token).toBe(
      'wrong: …d_12 (from BAROGRAPH_TOKEN): refused: not known',
    );
  });

  it('names the projects with token counts in OpenTelemetry that were not used', async () => {
    const url = await serve((_, response) => {
      const token = { name: 'pier', scope: 'ingest' };
      const reason = 'no gen_ai.operation.name';
      const leftOut = [{ project: 'berth', records: 3, reason, at: '2026-11-21T11:57:00.000Z' }];
      response.end(JSON.stringify({ ...HEALTHY, token, leftOut }));
    });
    expect((await examine(url)).telemetry).toBe(
      'note: berth: 3 OTLP records with token counts not used: no gen_ai.operation.name; the last 3 min ago',
    );
  });
});

describe('examineAgents', () => {
  const NOW = Date.parse('2026-11-21T12:00:00.000Z');

  it('shows whether each agent is connected, and its last turn if the server is on this machine', async () => {
    const home = mkdtempSync(join(tmpdir(), 'doctor-'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(home, { recursive: true });
    });
    for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME']) vi.stubEnv(name, undefined);
    vi.stubEnv('HOME', home);
    vi.stubEnv('PATH', '');
    for (const folder of ['.claude', '.codex', '.gemini']) mkdirSync(join(home, folder));
    const hook = { type: 'command', command: 'BAROGRAPH_DATA_DIR=/x node barograph hook --no-wait || true' };
    const file = join(home, '.claude', 'settings.json');
    writeFileSync(file, JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }));
    writeFileSync(join(home, '.codex', 'hooks.json'), '{');

    const identity = { server: TEST_SERVER, secret: TEST_SECRET };
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = await request.toArray();
      const { port } = server.address() as AddressInfo;
      const asked = { method: request.method ?? '', body: Buffer.concat(parts).toString() };
      const isList = request.url === '/api/v1/sessions?sort=lastTurn&limit=500';
      const isAllowed = isList && request.headers.authorization === 'Bearer bg_read';
      const own = { runner: 'nightly', client: 'claude-code', lastTurnAt: '2026-11-21T11:57:00.000Z' };
      const other = { runner: 'own-loop', client: null, lastTurnAt: '2026-11-21T11:58:00.000Z' };
      const sessions = isAllowed ? [other, own] : [];
      const answer = asked.method === 'POST' ? answerIdentity(identity, port, asked) : { sessions };
      response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => server.close() && undefined);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const connection = CONNECTION.replace(/http:[^"]+/, url);
    expect(await examineAgents(settingsOf({}, { connection }), NOW)).toMatchObject([
      { state: 'ok', topic: 'Claude Code', text: `connected in ${file}; last turn 3 min ago` },
      {
        state: 'wrong',
        topic: 'Codex',
        text: expect.stringContaining('hooks.json: line 1 is not valid JSON'),
      },
      { state: 'note', topic: 'Gemini CLI', text: 'not connected; no turn yet' },
    ]);
    rmSync(file);
    const [first] = await examineAgents(settingsOf({}), NOW);
    expect(first).toMatchObject({
      text: 'not connected',
      remedy: 'Connect it: barograph connect claude-code',
    });
  });
});

describe('describeQueues', () => {
  const NOW = Date.UTC(2026, 10, 22);
  const HOUR_MS = 3_600_000;

  it('shows an age in minutes, hours or days', () => {
    expect([3 / 60, 31, 2_980].map((hours) => formatAge(hours * HOUR_MS))).toEqual([
      '3 min',
      '31 h',
      '124 days',
    ]);
  });

  function queue(project: string, change: Partial<QueueReport> = {}): QueueReport {
    return {
      url: 'http://127.0.0.1:4680',
      project,
      runner: { name: 'laptop' },
      source: 'sdk',
      stream: project,
      folder: `/queue/${project}`,
      items: 2,
      bytes: 100,
      inUse: false,
      createdAt: NOW - 2 * HOUR_MS,
      ...change,
    };
  }

  it('groups waiting queues by server', () => {
    const waiting = ['a', 'b', 'c', 'd', 'e'].map((project) => queue(project));
    const findings = describeQueues([...waiting, queue('old', { items: 0 })], [], '/queue', NOW);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.text).toMatch(/^10 items \(.+\) of a, b, c, d, e for http:\/\/127.+, up to 2 h old$/);
    expect(findings[0]?.remedy).toMatch(/^The next `barograph watch`/);
  });

  it('names damaged queues instead of an empty queue', () => {
    const problem = { text: 'readable items in /queue/a: 200', remedy: 'Restore it.' };
    const stuck = [true, false].map((isStuck) => ({ ...problem, isStuck }));
    expect(describeQueues([], stuck, '/queue', NOW)).toEqual([
      { state: 'wrong', topic: 'queue', ...problem },
      { state: 'note', topic: 'queue', ...problem },
    ]);
  });

  it('separates running processes and other servers', () => {
    const findings = describeQueues(
      [queue('a', { items: 1 }), queue('b', { inUse: true }), queue('c', { url: 'http://127.0.0.1:4681' })],
      [],
      '/queue',
      NOW,
    );
    expect(findings.map(({ remedy }) => remedy !== undefined)).toEqual([true, false, true]);
    expect(findings[0]?.text).toMatch(/^1 item \(.+, up to 2 h old$/);
    expect(findings[1]?.text).toMatch(/; running processes send them$/);
  });
});

describe('examineArchives', () => {
  const FAR = { BAROGRAPH_URL: 'https://barograph.example', BAROGRAPH_TOKEN: 'bg_far' };
  let bench: UploadBench;
  beforeEach(() => {
    bench = new UploadBench();
  });
  afterEach(() => bench.remove());

  function examine(environment: Record<string, string>, connection: string | null = CONNECTION) {
    return examineArchives(settingsOf(environment, { connection }), () => bench.config);
  }

  it('reports where archives are uploaded and what is pending', async () => {
    expect(await examine({})).toEqual({
      state: 'ok',
      topic: 'archives',
      text: '0 archives; uploaded to http://127.0.0.1:4680',
    });
    await bench.hook();
    expect((await examine({})).text).toBe('1 archive, 1 not uploaded yet; uploaded to http://127.0.0.1:4680');
    expect(await examine({ ...FAR, BAROGRAPH_UPLOAD_ARCHIVES: 'on' })).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('uploaded to https://barograph.example'),
    });
  });

  it('explains why another server gets no archives, with a remedy unless the user disabled uploads', async () => {
    const text = expect.stringContaining('they stay on this machine: https://barograph.example is not known');
    const remedy = expect.stringContaining('BAROGRAPH_UPLOAD_ARCHIVES=on');
    expect(await examine(FAR)).toMatchObject({ state: 'note', text, remedy });
    for (const setting of [{ BAROGRAPH_CONTENT: 'off' }, { BAROGRAPH_UPLOAD_ARCHIVES: 'off' }]) {
      expect(await examine({ ...FAR, ...setting })).not.toHaveProperty('remedy');
    }
  });

  it('reports the last failure', async () => {
    const { id } = await bench.hook();
    await noteUpload(bench.config, id, 'pending', { uploadReason: 'The disk is full.' });
    expect(await examine({})).toMatchObject({
      state: 'note',
      text: expect.stringContaining('last failure: The disk is full.'),
    });
  });

  it('reports an unreadable index', async () => {
    const finding = await examineArchives(settingsOf({}), () => {
      throw new Error('no config folder');
    });
    expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('no config folder') });
  });
});
