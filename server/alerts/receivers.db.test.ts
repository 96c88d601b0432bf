import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { deliver, numbered, openTestStream, type Words } from '../../db/ingest/ingest-testing';
import { openTestDatabase } from '../../db/testing/test-database';
import { createSecretBox } from './secret-box';
import { startAlerts } from './start-alerts';

const { sql } = await openTestDatabase();
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  await sql`truncate alert_outbox, alert_deliveries, alerts, alert_channels, alert_rules, alert_mutes`;
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(): Promise<void> {
  const options = {
    idleAfterMs: 600_000,
    base: 'http://127.0.0.1:4680',
    allowPrivate: true,
    secrets: createSecretBox(randomBytes(32)),
    pollMs: 50,
    settleMs: 10,
  };
  const alerts = await startAlerts({ sql, log: pino({ level: 'silent' }), ...options });
  ends.push(alerts.close);
}

let last = 0;
/** A new session with this title, above its limit. */
async function overLimit(title: string): Promise<void> {
  last += 1;
  const stream = await openTestStream(sql, { project: `receivers-${last}` });
  const at = Date.now();
  const words: Words[] = [
    { type: 'session_start', session: 's', at, title, lens: 'snapshot' },
    {
      type: 'turn',
      session: 's',
      at,
      limit: 100_000,
      contextTokens: 120_000,
      usage: { input: 120_000, output: 10, cacheRead: 0, cacheCreation: 0 },
      call: 'call',
    },
  ];
  await deliver(sql, stream, numbered(words), at);
}

test('a mail server gets an e-mail per message, with the password of the channel', async () => {
  const mails: { to: string[]; text: string; user: unknown }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'secret' ? done(null, { user: username }) : done(new Error('wrong password')),
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (part: Buffer) => {
        text += part;
      });
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text, user: session.user });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  const { port } = server.server.address() as { port: number };
  const config = {
    host: '127.0.0.1',
    port,
    security: 'none',
    user: 'barograph',
    from: 'barograph@example.com',
    to: ['ops@example.com', 'oncall@example.com'],
  };
  const channel = await makeChannel(sql, 'email', config, { password: 'secret' });
  await makeRule(sql, { kind: 'over_limit' }, { name: 'Over limit', channels: [channel] });
  await start();
  await overLimit('Fix payments\r\nBcc: evil@example.com');
  await vi.waitFor(() => expect(mails).toHaveLength(1));
  const [mail] = mails;
  expect(mail).toMatchObject({ to: ['ops@example.com', 'oncall@example.com'], user: 'barograph' });
  const [delivery] = await sql<{ id: string }[]>`select id from alert_deliveries`;
  expect(mail?.text).toContain('Subject: Firing: Over limit');
  expect(mail?.text).toContain(`Message-ID: <${delivery?.id}@barograph>`);
  expect(mail?.text.split('\r\n\r\n')[0]).not.toContain('evil');
});
