import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { openTestDatabase } from '../../db/testing/test-database';
import { overLimit, startTestAlerts } from './testing/start-test-alerts';

const { sql } = await openTestDatabase();

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
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve(undefined))));
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
  const alerts = await startTestAlerts(sql);
  onTestFinished(alerts.close);
  await overLimit(sql, 'Fix payments\r\nBcc: evil@example.com');
  await vi.waitFor(() => expect(mails).toHaveLength(1));
  const [mail] = mails;
  expect(mail).toMatchObject({ to: ['ops@example.com', 'oncall@example.com'], user: 'barograph' });
  const [delivery] = await sql<{ id: string }[]>`select id from alert_deliveries`;
  expect(mail?.text).toContain('Subject: Firing: Over limit');
  expect(mail?.text).toContain(`Message-ID: <${delivery?.id}@barograph>`);
  expect(mail?.text.split('\r\n\r\n')[0]).not.toContain('evil');
});
