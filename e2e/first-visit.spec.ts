import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { copyCommand } from './support/clipboard';
import { runLine } from './support/program';
import { badge, open, row } from './support/screen';
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
