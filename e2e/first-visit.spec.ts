import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '@/scripts/lib/project-folder';
import { copyCommand } from './support/clipboard';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { Program, runLine } from './support/program';
import { connectRunner } from './support/runner';
import { badge, open, overflow, row } from './support/screen';
import { expect, test } from './support/test';
import { Transcript } from './support/transcript';

test.describe('The first visit', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('shows how to connect, and becomes the fleet at the first turn', async ({ page, ownServer, home }) => {
    await open(page, ownServer.url);
    const greeting = page.getByRole('heading', { name: 'No runner is connected yet.' });
    await expect(greeting).toBeVisible();
    await expect(badge(page)).toHaveText('live');
    await expect(page.getByText('Waiting for the first turn')).toHaveCount(4);
    const openedAt = await page.evaluate(() => performance.timeOrigin);

    const command = await copyCommand(page, 'Connect Claude Code');
    expect(ownServer.welcome, 'the server printed the same command').toContain(
      command.line.replace(/ claude-code$/, ''),
    );
    expect(ownServer.welcome).toContain(ownServer.url);
    mkdirSync(join(home, '.claude'), { recursive: true });
    const connect = runLine(`${command.text} --yes --no-watch`, { home, folder: '/' });
    expect(await connect.ended, connect.stderr).toEqual({ code: 0, signal: null });
    expect(connect.stdout).toContain('Connected: Claude Code.');
    const watch = runLine(command.text.replace(/connect claude-code$/, 'watch'), { home, folder: '/' });
    try {
      await watch.waitFor(`for ${ownServer.url}. Ctrl-C ends it.`);
      const transcript = new Transcript(home, '/srv/harbour');
      transcript.user('Paint the crane');
      transcript.call({ id: 'msg_1', input: 10, output: 1_000, cacheRead: 0, cacheCreation: 49_000 });
      await expect(row(page, 'Paint the crane')).toContainText('25 %');
      await expect(greeting).toBeHidden();
      expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);
    } finally {
      await watch.stop();
    }
    expect(watch.stderr).toBe('');
  });
});

test('The first view after an import shows what was imported, compacted and lost', async ({
  page,
  ownServer,
  home,
}) => {
  const fixture = join(projectFolder, 'core', 'agents', 'claude-code', 'fixtures', 'compactions');
  const projects = join(home, '.claude', 'projects');
  cpSync(join(fixture, '-home-dev-harbour'), join(projects, '-home-dev-harbour'), { recursive: true });
  const short = new Transcript(home, '/srv/quay');
  short.user('Measure the quay');
  short.call({ id: 'msg_1', input: 10, output: 1_000, cacheRead: 0, cacheCreation: 9_000 });
  await open(page, ownServer.url);
  await expect(page.getByRole('heading', { name: 'No runner is connected yet.' })).toBeVisible();

  const command = join(projectFolder, 'node_modules', '.bin', 'barograph');
  const { environment } = ownServer;
  const imports = new Program(process.execPath, [command, 'import', projects], { home, environment });
  expect(await imports.ended, imports.stderr).toEqual({ code: 0, signal: null });
  const story = page.getByRole('region', { name: 'Imported' });
  await expect(story).toContainText(/2\s*imported sessions/);
  await expect(story).toContainText(/7\s*turns and 2\s*compactions in 2\s*projects, from Claude Code/);
  const most = story.getByRole('region', { name: 'Most compactions' }).getByRole('listitem');
  await expect(most).toHaveCount(1);
  await expect(most).toContainText(/Work for a long time.*2 compactions/);
  await expect(most.locator('path').last()).toHaveAttribute('d', /^M.*H.*V/);
  const lost = story.getByRole('region', { name: 'Largest loss' });
  await expect(lost).toContainText(/tokens lost in one compaction/);
  await expect(lost).toContainText(/Lost, by role.*assistant\d+≈\s[\d.]+/);
  await expectAccessibleInBoth(page, 'main');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

  // A live session takes the place of the story.
  const runner = connectRunner(ownServer, { project: 'live' });
  const session = runner.session('live', { title: 'A live session', limit: 200_000, lens: 'snapshot' });
  session.turn({ usage: { inputTokens: 10, outputTokens: 10 }, contextTokens: 20_000 });
  await runner.flush();
  await expect(story).toHaveCount(0);
  await runner.close();
});
