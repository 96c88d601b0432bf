import { projectFolder } from '@/scripts/lib/project-folder';
import { copyCommand } from './support/clipboard';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { runLine } from './support/program';
import { connectRunner } from './support/runner';
import { fleetPath, open, row } from './support/screen';
import { expect, test } from './support/test';

test.describe('The connect commands', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test.beforeEach(async ({ page, server }) => {
    await open(page, `${server.url}/connect`);
  });

  test('name this folder and the data of this server', async ({ page, server }) => {
    const { line } = await copyCommand(page, 'Connect Claude Code');
    expect(line).toBe(
      `cd ${projectFolder} && BAROGRAPH_DATA_DIR=${server.dataFolder} npx barograph connect claude-code`,
    );
    const shown = page.getByRole('code').filter({ hasText: /connect claude-code$/ });
    await expect(shown).toHaveText('npx barograph connect claude-code');
    const place = `In ${projectFolder}, with BAROGRAPH_DATA_DIR=${server.dataFolder}`;
    await expect(page.getByText(place), 'the page names the folders once').toHaveCount(1);
  });

  test('break between words', async ({ page, server }) => {
    // Wide enough for each word, in a single column.
    await page.setViewportSize({ width: 1000, height: 720 });
    const word = page.getByText(`BAROGRAPH_DATA_DIR=${server.dataFolder}`, { exact: true }).first();
    await expect(word).toBeVisible();
    const heightOf = async () => (await word.boundingBox())?.height ?? Number.NaN;
    await expect.poll(heightOf, 'the words are on one line').toBeLessThan(30);
    expect(await heightOf()).toBeGreaterThan(0);
  });

  test('show the first turn of each agent', async ({ page, ownServer }) => {
    await open(page, `${ownServer.url}/connect`);
    const step = (agent: string) => page.getByRole('listitem').filter({ hasText: `Connect ${agent}` });
    await expect(step('Codex')).toContainText('Waiting for the first turn');
    await expect(step('Claude Code')).toContainText('Waiting for the first turn');
    const runner = connectRunner(ownServer, { project: 'first-turns' });
    const past = runner.session('past', { client: 'codex', host: 'laptop', backfill: true });
    past.turn({ usage: { inputTokens: 500, outputTokens: 5 } });
    const session = runner.session('first', { client: 'claude-code', host: 'ci-7' });
    session.turn({ usage: { inputTokens: 1_000, outputTokens: 10 } });
    await expect(step('Claude Code')).toContainText(/First turn received \d+.(s|min) ago from ci-7/);
    await runner.close();
    await expect(step('Codex')).toContainText('Waiting for the first turn');
    await expectAccessibleInBoth(page);
    await page.reload();
    await expect(step('Claude Code')).toContainText(/Last turn \d+.(s|min) ago from ci-7/);
  });

  test('play the demo without changes', async ({ page, server, home, context }) => {
    await page.getByRole('tab', { name: 'Demo' }).click();
    const command = await copyCommand(page, 'Play a demo fleet');
    const demo = runLine(command.text, { home, folder: '/' });
    try {
      await demo.waitFor('The demo fleet is running');
      const fleet = await context.newPage();
      await open(fleet, server.url + fleetPath('demo'));
      await expect(row(fleet, 'Nightly reconciliation agent').first()).toBeVisible();
    } finally {
      await demo.stop();
    }
    expect(demo.stderr).toBe('');
    expect(demo.stdout).toContain('of 24 sessions');
  });

  test('report no problems', async ({ page, server, home }) => {
    await page.getByRole('tab', { name: 'Demo' }).click();
    const command = await copyCommand(page, 'Check the connection');
    const doctor = runLine(command.text, { home, folder: '/' });
    expect(await doctor.ended).toEqual({ code: 0, signal: null });
    expect(doctor.stdout).toContain(server.url);
  });

  test('create a token and a request for any language', async ({ page, server, home, context }) => {
    await page.getByRole('tab', { name: 'HTTP' }).click();
    const tokenCommand = await copyCommand(page, 'Create a token, shown only once');
    const curl = await copyCommand(page, 'Send a turn, from any language');
    const shell = runLine(`${tokenCommand.text} && echo "$TOKEN"`, { home, folder: '/' });
    expect(await shell.ended, shell.stderr).toEqual({ code: 0, signal: null });
    const token = shell.stdout.trim();
    expect(token).toMatch(/^bg_/);

    // Not every machine has curl.
    const [, address] = /^curl (\S+)/.exec(curl.text) ?? [];
    const [, body] = /-d '(.*)'$/s.exec(curl.text) ?? [];
    expect(address).toBe(`${server.url}/v1/ingest`);
    const answer = await fetch(String(address), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: String(body),
    });
    expect(answer.status).toBe(200);
    const fleet = await context.newPage();
    await open(fleet, server.url + fleetPath('by-hand'));
    await expect(row(fleet, 'first')).toContainText('3.2 %');
  });
});
