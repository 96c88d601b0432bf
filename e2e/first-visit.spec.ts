import type { Page } from '@playwright/test';
import { runLine } from './support/program';
import { projectFolder } from './support/project-folder';
import { readApi } from './support/read-api';
import { badge, row } from './support/screen';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';
import { Transcript } from './support/transcript';

const GREETING = 'No runner is connected yet.';

async function visit(page: Page, server: BarographServer): Promise<void> {
  await page.goto(server.url);
  await expect(page.getByRole('heading', { name: GREETING })).toBeVisible();
  await expect(badge(page)).toHaveText('live');
}

/** Presses the button beside a command and reads the clipboard. */
async function copyCommand(page: Page, what: string): Promise<string> {
  const button = page.getByRole('button', { name: `Copy ${what}` });
  await button.click();
  await expect(button.getByRole('status')).toHaveText('Copied');
  return page.evaluate(() => navigator.clipboard.readText());
}

test.describe('The first visit', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('says that nothing is connected and turns into the fleet by itself at the first turn', async ({
    page,
    ownServer,
    connect,
  }) => {
    await visit(page, ownServer);
    await expect(page.getByText('Waiting for the first turn')).toBeVisible();
    await expect(page.getByText('Nothing leaves this machine.')).toBeVisible();
    const openedAt = await page.evaluate(() => performance.timeOrigin);

    const session = connect(ownServer).session('first', {
      title: 'The very first session',
      lens: 'cumulative',
      limit: 1_000,
    });
    session.turn({ usage: { input: 200, output: 150 } });

    await expect(row(page, 'The very first session')).toContainText('35 %');
    await expect(page.getByRole('heading', { name: GREETING })).toBeHidden();
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);
  });

  test('names the place and the commands that the server itself names', async ({ page, ownServer }) => {
    await visit(page, ownServer);
    const watch = await copyCommand(page, 'Follow the sessions of this machine');
    expect(watch).toBe(
      `cd ${projectFolder} && BAROGRAPH_DATA_DIR=${ownServer.dataFolder} npx barograph watch`,
    );
    expect(ownServer.welcome).toContain(watch);
    expect(ownServer.welcome).toContain(ownServer.url);
    await expect(page.getByRole('code').filter({ hasText: /^cd .* watch$/ })).toHaveText(watch);
  });

  test('gives a command that follows Claude Code as it stands', async ({ page, ownServer }) => {
    await visit(page, ownServer);
    const command = await copyCommand(page, 'Follow the sessions of this machine');
    const watch = runLine(command, { home: ownServer.home, folder: '/' });
    try {
      await watch.waitFor(`Watching ${ownServer.home}/.claude/projects for ${ownServer.url}`);
      const transcript = new Transcript(ownServer.home, '/srv/harbour');
      transcript.user('Paint the crane');
      transcript.call({ id: 'msg_1', input: 10, output: 1_000, cacheRead: 0, cacheCreation: 49_000 });
      await expect(row(page, 'Paint the crane')).toContainText('25 %');
    } finally {
      await watch.stop();
    }
  });

  test('gives a command that plays the demo as it stands', async ({ page, ownServer }) => {
    await visit(page, ownServer);
    await page.getByRole('tab', { name: 'Demo' }).click();
    const command = await copyCommand(page, 'Play a lively fleet');
    const demo = runLine(command, { home: ownServer.home, folder: '/' });
    try {
      await demo.waitFor('The fleet is at work');
      await expect(row(page, 'Move checkout to the new payment API')).toBeVisible();
      await expect(page.getByRole('heading', { name: GREETING })).toBeHidden();
      expect(await readApi(ownServer).sessions()).toHaveLength(24);
    } finally {
      await demo.stop();
    }
    expect(demo.stderr).toBe('');
  });

  test('gives a doctor who finds everything well', async ({ page, ownServer }) => {
    await visit(page, ownServer);
    await page.getByRole('tab', { name: 'Demo' }).click();
    const command = await copyCommand(page, 'Something amiss? Ask what is reachable');
    const doctor = runLine(command, { home: ownServer.home, folder: '/' });
    expect(await doctor.ended).toEqual({ code: 0, signal: null });
    expect(doctor.stdout).toContain(ownServer.url);
  });

  test('gives a token and a request that any language can send', async ({ page, ownServer }) => {
    await visit(page, ownServer);
    await page.getByRole('tab', { name: 'HTTP' }).click();
    const tokenCommand = await copyCommand(page, 'Make a token; it is shown once');
    const curl = await copyCommand(page, 'Send a turn, from any language');
    const shell = runLine(`${tokenCommand} && echo "$TOKEN"`, { home: ownServer.home, folder: '/' });
    expect(await shell.ended).toEqual({ code: 0, signal: null });
    const token = shell.stdout.trim();
    expect(token).toMatch(/^bg_/);

    // curl is not on every machine: its request is sent by hand.
    const [, address] = /^curl (\S+)/.exec(curl) ?? [];
    const [, body] = /-d '(.*)'$/s.exec(curl) ?? [];
    expect(address).toBe(`${ownServer.url}/v1/ingest`);
    const answer = await fetch(String(address), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: String(body),
    });
    expect(answer.status).toBe(200);
    await expect(row(page, 'first')).toBeVisible();
  });
});
