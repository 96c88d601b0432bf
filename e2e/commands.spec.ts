/** Commands of operators, from the session's page to the runner and back. */

import type { RunnerCommand } from '@/runner/src/client/client-types';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { fleetPath, row, sheet } from './support/screen';
import { expect, test } from './support/test';

test.describe('Commands', () => {
  test('send a message to the agent of a session, and show its result on the page', async ({
    page,
    connect,
    server,
    project,
    visit,
    api,
  }) => {
    const runner = connect(server, { project, commands: ['restart', 'say'] });
    const session = runner.session('asked', { title: 'Asked', lens: 'snapshot', limit: 200_000 });
    session.turn({ usage: { inputTokens: 40_000, outputTokens: 0 }, contextTokens: 40_000 });
    session.onCommand(({ id, action, text }) => {
      if (action === 'say')
        session.command({ command: id, action, state: text === 'Use blue.' ? 'done' : 'refused' });
      else session.command({ command: id, action, state: 'refused', reason: 'it never restarts' });
    });
    await runner.flush();
    await visit(`/sessions/${(await api.session('asked')).id}`);

    await page.getByRole('button', { name: /^Send command/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Send command' });
    await dialog.getByRole('radio', { name: 'Message' }).check();
    await expect(dialog.getByRole('button', { name: 'Send' })).toBeDisabled();
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Use blue.');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('wrong colour');
    await dialog.getByRole('button', { name: 'Send' }).click();
    const sent = dialog.getByRole('list', { name: 'Sent commands' });
    await expect(sent).toContainText('Messagedone');
    await dialog.getByRole('radio', { name: 'Restart' }).check();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(sent).toContainText('refused: it never restarts');
    await expectAccessibleInBoth(page);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(sheet(page)).toContainText('command');
    await expect(page.getByText('restart refused')).toBeVisible();
  });

  test('go to all chosen sessions of the fleet that can, and from the palette to the session on view', async ({
    page,
    connect,
    server,
    project,
    visit,
    api,
  }) => {
    const taken: string[] = [];
    const start = (name: string, commands: RunnerCommand['action'][]) => {
      const runner = connect(server, { project, commands, runner: { name } });
      const session = runner.session(name, { title: name, lens: 'snapshot', limit: 200_000 });
      session.turn({ usage: { inputTokens: 40_000, outputTokens: 0 }, contextTokens: 40_000 });
      session.onCommand(({ id, action, text, reason }) => {
        taken.push([name, action, text, reason].join(' '));
        session.command({ command: id, action, state: 'done' });
      });
      return runner.flush();
    };
    await start('able', ['restart', 'say']);
    await start('ready', ['checkpoint', 'restart']);
    await start('deaf', []);
    await visit(fleetPath(project));
    for (const name of ['able', 'ready', 'deaf'])
      await row(page, name).getByRole('checkbox').check({ force: true });
    await expect(page.getByText('3 sessions selected')).toBeVisible();
    await page.getByRole('button', { name: 'Send command' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send command' });
    await dialog.getByRole('radio', { name: 'Restart' }).check();
    await expect(dialog).toContainText('2 of 3 sessions accept it.');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('new keys');
    await expectAccessibleInBoth(page);
    await dialog.getByRole('button', { name: 'Send to 2' }).click();
    await expect(dialog.getByRole('list', { name: 'Sent commands' })).toContainText('done · able');
    await expect.poll(() => taken.sort()).toEqual(['able restart  new keys', 'ready restart  new keys']);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await visit(`/sessions/${(await api.session('able')).id}`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await expect(palette.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('say Use blue');
    await expect(palette.getByRole('option', { name: 'Say “Use blue”' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await page.keyboard.press('Enter');
    await expect(dialog).toContainText('able');
    await expect(dialog.getByRole('textbox', { name: 'Message' })).toHaveValue('Use blue');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => taken).toContain('able say Use blue ');
  });

  test('are sent by a rule, once per alert', async ({ page, connect, server, project, visit, api }) => {
    const taken: string[] = [];
    const runner = connect(server, { project, commands: ['checkpoint'] });
    const session = runner.session('ruled', { title: 'Ruled', lens: 'snapshot', limit: 200_000 });
    const read = (tokens: number) => {
      session.turn({ usage: { inputTokens: tokens, outputTokens: 0 }, contextTokens: tokens });
      return runner.flush();
    };
    session.onCommand(({ id, action, reason }) => {
      taken.push(`${action}, ${reason}`);
      session.command({ command: id, action, state: 'done' });
    });
    await read(40_000);
    await visit('/alerts');
    await page.getByRole('button', { name: 'New rule' }).click();
    const rule = page.getByRole('dialog', { name: 'New rule' });
    await rule.getByRole('textbox', { name: 'Name' }).fill(project);
    await rule.getByRole('textbox', { name: 'Projects' }).fill(project);
    await rule.getByRole('combobox', { name: 'Command to the runner' }).selectOption('Checkpoint');
    await expect(rule.getByRole('region', { name: 'Preview' })).toContainText(
      'Would not have fired in 1 session',
    );
    await rule.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('table', { name: 'Rules' })).toContainText(
      `project ${project} · sends checkpoint`,
    );
    await read(170_000);
    await read(171_000);
    await expect.poll(() => taken).toEqual([`checkpoint, ${project}: Pressure 85 %, 170 k of 200 k tokens.`]);

    await visit(`/sessions/${(await api.session('ruled')).id}`);
    await page.getByRole('button', { name: /^Send command/ }).click();
    const sent = page
      .getByRole('dialog', { name: 'Send command' })
      .getByRole('list', { name: 'Sent commands' });
    await expect(sent).toContainText(`rule ${project}`);
    await expect(sent.getByRole('listitem')).toHaveCount(1);
  });

  test('are not offered if no runner of the session carries them out', async ({ page, report, show }) => {
    report('deaf').read(20_000);
    const answered = page.waitForResponse(/\/commands$/);
    await show('deaf');
    await (await answered).finished();
    await expect(page.getByRole('button', { name: /^Send command/ })).toHaveCount(0);
  });
});
