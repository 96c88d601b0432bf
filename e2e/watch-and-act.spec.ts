/**
 * The whole story of alerts, recall and commands, with a real Claude Code and a scripted model: a rule warns of a full
 * context, the agent is warned and gets its note after the compaction, looks up the rest, and an operator restarts
 * another session.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { startReceiver } from '@/db/testing/http-receiver';
import { runWithRestarts } from '@/runner/src/restart';
import { projectFolder } from '@/scripts/lib/project-folder';
import { ClientHome } from './clients/client-home';
import { installClient } from './clients/install-clients';
import { type Answer, ModelServer } from './clients/model-server';
import { Program } from './support/program';
import { readApi } from './support/read-api';
import { open, sheet } from './support/screen';
import { BarographServer } from './support/server';
import { expect, test } from './support/test';

const CLI = join(projectFolder, 'runner', 'dist', 'cli.js');
const TASK = 'Paint the harbour wall in blue, and leave the lighthouse white.';

const tool = (name: string, input: Record<string, unknown>) => ({ name, input });
const used = (cacheRead: number, cacheCreation = 0) => ({ usage: { cacheRead, cacheCreation } });

/** Reads a file, grows to a compaction, and asks for what was lost. */
function script(file: string): Answer[] {
  const grown = Array.from({ length: 10 }, (_, index) => ({
    tool: tool('Bash', { command: `echo ${randomUUID()}`, description: 'Test' }),
    ...used(20_000 + index * 9_000, 9_000),
  }));
  return [
    { tool: tool('Read', { file_path: file }), ...used(0, 20_000) },
    ...grown,
    {
      tool: tool('Bash', { command: `echo ${randomUUID()}`, description: 'Test' }),
      ...used(100_000, 40_000),
    },
    { tool: tool('mcp__barograph__what_was_lost', {}), ...used(20_000) },
    { text: 'Done.', ...used(21_000) },
  ];
}

interface Block {
  type: string;
  name?: string;
  id?: string;
  tool_use_id?: string;
}

/** The result of a tool in a request, as JSON. */
function resultOf(request: string, name: string): string {
  const { messages } = JSON.parse(request) as { messages: { content: string | Block[] }[] };
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const call = blocks.find((block) => block.type === 'tool_use' && block.name === name);
  return JSON.stringify(
    blocks.find((block) => block.tool_use_id !== undefined && block.tool_use_id === call?.id),
  );
}

/** A mail server that keeps the texts of its mails. */
async function startMailServer() {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (part: Buffer) => {
        text += part;
      });
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return { mails, port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** The path of Claude Code; null if this machine cannot install it. */
function findClaude(): string | null {
  try {
    return installClient('claude');
  } catch {
    return null;
  }
}

/** Ends what the story started, the newest first. */
const ends: (() => unknown)[] = [];
test.afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('An alert warns, the agent gets back what a compaction dropped, and an operator restarts a session', async ({
  page,
  home,
  connect,
}) => {
  const program = findClaude();
  // biome-ignore lint/suspicious/noSkippedTests: some platforms have no package of the client
  test.skip(program === null, 'This machine cannot install Claude Code.');
  test.setTimeout(600_000);
  const server = await BarographServer.start('watch-and-act', {
    BAROGRAPH_COMMANDS: 'on',
    BAROGRAPH_ALERT_PRIVATE_TARGETS: 'on',
  });
  ends.push(() => server.remove());
  const receiver = await startReceiver();
  ends.push(receiver.close);
  const mail = await startMailServer();
  ends.push(mail.close);
  const work = join(home, 'harbour');
  const file = join(work, 'wall.ts');
  const model = await ModelServer.start(
    { act: script(file) },
    { repeatsIds: false, delays: [50, 150], keepsRequests: true },
  );
  ends.push(() => model.stop());
  const { connection, environment } = server;
  const options = { home, work, program: program ?? '', modelUrl: model.url, environment, connection };
  const claude = new ClientHome(options);
  ends.push(() => claude.stop());
  const barograph = async (...args: string[]) => {
    const ran = new Program(process.execPath, [CLI, ...args], { home, environment });
    expect((await ran.ended).code, `${args.join(' ')}: ${ran.stderr}`).toBe(0);
  };
  writeFileSync(file, 'export const colour = "blue";\n');
  const settings = join(home, '.claude', 'settings.json');
  const permissions = { allow: ['mcp__barograph'] };
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, 'utf8')), permissions }));
  await barograph('connect', 'claude-code', '--yes', '--no-watch', '--recall', '--warn', '--mcp');
  await barograph('recall', 'on', work);
  await barograph('recall', 'warn', '9', work);
  const watch = new Program(process.execPath, [CLI, 'watch'], { home, environment });
  ends.push(() => watch.stop());
  await watch.waitFor('Watching');
  ends.push(() => page.close());

  await open(page, `${server.url}/alerts`);
  const channels = { Webhook: { URL: receiver.url, 'Signature key': 'a key with many characters' } };
  const email = {
    'SMTP server': '127.0.0.1',
    Port: String(mail.port),
    From: 'b@example.com',
    To: 'ops@example.com',
  };
  for (const [kind, fields] of Object.entries({ ...channels, 'E-mail': email })) {
    await page.getByRole('button', { name: 'New channel' }).click();
    const dialog = page.getByRole('dialog', { name: 'New channel' });
    await dialog.getByLabel('Kind').selectOption({ label: kind });
    for (const [label, value] of Object.entries(fields))
      await dialog.getByLabel(label, { exact: true }).fill(value);
    if (kind === 'E-mail') await dialog.getByLabel('Encryption').selectOption('none');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('table', { name: 'Channels' })).toContainText(kind);
  }
  await page.getByRole('button', { name: 'New rule' }).click();
  const rule = page.getByRole('dialog', { name: 'New rule' });
  await rule.getByRole('textbox', { name: 'Name' }).fill('Half full');
  await rule.getByRole('textbox', { name: 'Threshold, %' }).fill('45');
  await rule.getByRole('textbox', { name: 'Resolve below, %' }).fill('40');
  for (const kind of ['Webhook', 'E-mail']) await rule.getByRole('checkbox', { name: kind }).check();
  await expect(rule.getByRole('region', { name: 'Preview' })).toContainText(
    'Would not have fired in 0 sessions.',
  );
  await rule.getByRole('button', { name: 'Save' }).click();

  const id = await claude.run(`script:act ${TASK}`);
  const requests = model.requests.filter(({ session }) => session === id).map(({ body }) => body);
  const compaction = requests.findIndex((body) => /create a detailed summary/.test(body));
  const count = (body: string | undefined, words: string) => (body ?? '').split(words).length - 1;
  expect(compaction, 'a compaction').toBeGreaterThan(0);
  expect(count(requests[compaction - 1], 'until this conversation is compacted'), 'the warning').toBe(1);
  const after = requests[compaction + 1] ?? '';
  expect(after, 'the note').toContain('The summary does not contain the following');
  expect(after).toContain(TASK);
  expect(after).toContain('wall.ts');
  expect(resultOf(requests.at(-1) ?? '', 'mcp__barograph__what_was_lost')).toContain('wall.ts');

  interface Sent {
    alerts: { change: string; rule: { name: string }; text: string }[];
  }
  const sent = () => receiver.received.flatMap(({ body }) => (JSON.parse(body) as Sent).alerts);
  await expect.poll(() => sent().map(({ change }) => change)).toEqual(['fired', 'resolved']);
  expect(sent()[0]).toMatchObject({
    rule: { name: 'Half full' },
    text: expect.stringMatching(/^Pressure \d\d %/),
  });
  await expect.poll(() => mail.mails.length).toBe(2);
  expect(mail.mails[0]).toContain('Subject: Firing: Half full');
  await expect(page.getByRole('table', { name: 'Resolved alerts' })).toContainText('Half full');

  const prompts: string[] = [];
  const runner = connect(server, { project: 'night-shift', commands: ['restart'] });
  ends.push(() => runner.close());
  const agent = {
    async *start(prompt: string, { signal }: { signal: AbortSignal }) {
      prompts.push(prompt);
      const usage = { input_tokens: 900, output_tokens: 100 };
      while (prompts.length === 1 && !signal.aborted) {
        yield { sessionId: 'other', usage };
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    query: () => Promise.resolve('Goal: finish the breakwater before the tide.'),
  };
  const running = runWithRestarts({
    agent,
    prompt: 'Build the breakwater.',
    session: runner.session('other'),
  });
  const other = async () => (await readApi(server).sessions()).find(({ key }) => key === 'other')?.id;
  await expect.poll(other).toBeDefined();
  await open(page, `${server.url}/sessions/${await other()}`);
  await page.getByRole('button', { name: 'Send command' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send command' });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('new requirements');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(dialog.getByRole('list', { name: 'Sent commands' })).toContainText('Restartdone');
  await running;
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain('Goal: finish the breakwater before the tide.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(sheet(page)).toContainText('restart');
});
