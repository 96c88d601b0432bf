import type { Locator, Page } from '@playwright/test';
import { changeSettings } from './support/change-settings';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { handOver } from './support/hand-over';
import { fleetPath, open, plain, row } from './support/screen';
import { expect, test } from './support/test';

const lines = (page: Page, project: string) => page.getByRole('dialog', { name: `Lines of ${project}` });
const projectRow = (page: Page, project: string) =>
  page.getByRole('table', { name: 'Lines of projects' }).getByRole('row').filter({ hasText: project });

/** Opens the settings and finds a project in both tables. */
async function openProject(page: Page, address: string, project: string): Promise<void> {
  await open(page, address);
  for (const what of ['Lines', 'Transcripts'])
    await expect(page.getByRole('table', { name: `${what} of projects` })).toBeVisible();
  await expect(page.getByRole('button', { name: `Change the lines of ${project}` })).toBeVisible();
}

const SUM = { lens: 'cumulative', limit: 100_000 } as const;
const field = (dialog: Locator, name: string) => dialog.getByRole('textbox', { name: `${name}, %` });

test.describe('Browser preferences', () => {
  test('apply at the first paint and in every other tab', async ({ page, server, context }) => {
    await open(page, `${server.url}/settings`);
    const other = await context.newPage();
    await open(other, server.url);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.getByRole('radio', { name: 'Compact' }).check();
    for (const tab of [page, other]) {
      await expect(tab.locator('html')).toHaveAttribute('data-theme', 'dark');
      await expect(tab.locator('html')).toHaveAttribute('data-density', 'compact');
    }
    // The server already renders the preferences.
    const html = await (await page.request.get(server.url)).text();
    expect(html).toMatch(/<html[^>]*data-theme="dark"/);
    expect(html).toMatch(/<html[^>]*data-density="compact"/);
    await page.getByRole('radio', { name: 'System' }).check();
    await expect(other.locator('html')).not.toHaveAttribute('data-theme');
  });

  test('set the zone of all times', async ({ page, server, runner, report, project }) => {
    report('clock', SUM).read(10);
    await runner.flush();
    await open(page, `${server.url}/settings`);
    await page.getByRole('radio', { name: 'Other' }).check();
    const name = page.getByRole('combobox', { name: 'Time zone name' });
    await name.selectOption('Asia/Colombo');
    const browser = page.getByRole('region', { name: 'This browser' });
    await expect(browser.getByText('GMT+5:30')).toBeVisible();
    await open(page, server.url + fleetPath(project));
    const age = row(page, 'clock').locator('time').last();
    await age.hover();
    await expect(age).toHaveAttribute('title', /GMT\+5:30/);
    await page.reload();
    await open(page, `${server.url}/settings`);
    await expect(name).toHaveValue('Asia/Colombo');
    await page.getByRole('radio', { name: 'UTC', exact: true }).check();
    await expect(browser.getByText('GMT+5:30')).toBeHidden();
  });
});

test.describe('The lines of a project', () => {
  test('change at once, and name the line of an error', async ({
    page,
    server,
    runner,
    report,
    project,
    guard,
  }) => {
    guard.allow(/400 \(Bad Request\)/);
    report('lines', SUM).read(60_000);
    await runner.flush();
    const other = await page.context().newPage();
    await open(other, server.url + fleetPath(project));
    await expect(row(other, 'lines')).toContainText('elevated');

    await openProject(page, `${server.url}/settings`, project);
    // Projects without own lines share the row of defaults, and their names can be searched in the page.
    await expect(projectRow(page, 'Default')).toContainText(/50\s%.*75\s%.*85\s%.*100\s%.*80\s%.*90\s%/);
    await expect(projectRow(page, project)).toHaveCount(0);
    const others = page.getByRole('list', { name: 'Lines of projects with the defaults' });
    await expect(others).toContainText(project);
    await page.getByRole('button', { name: `Change the lines of ${project}` }).click();
    const dialog = lines(page, project);
    await field(dialog, 'warning').fill('forty');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByText('warning must be a percentage, as in 75 or 62.5')).toBeVisible();
    await expect(field(dialog, 'warning')).toBeFocused();
    await field(dialog, 'warning').fill('40');
    await page.keyboard.press('Enter');
    await expect(dialog.getByText('warning must be above elevated (50 %)')).toBeVisible();
    await expectAccessibleInBoth(page, '[role="dialog"]');
    await field(dialog, 'warning').fill('55');
    await field(dialog, 'restart line').fill('110');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    const words = async () => plain(await projectRow(page, project).innerText());
    await expect.poll(words).toMatch(/50 %\s+55 %\s+85 %\s+100 %\s+80 %\s+never/);
    await expect(projectRow(page, project)).toContainText('Saved');
    await expect(
      page.getByRole('status').filter({ hasText: `Saved the lines of ${project}` }),
    ).toBeAttached();
    await page.getByRole('button', { name: `Change the lines of ${project}` }).click();
    await dialog.getByRole('button', { name: 'Use defaults' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(others.getByRole('listitem').filter({ hasText: project })).toContainText('Saved');
    await page.getByRole('button', { name: `Change the lines of ${project}` }).click();
    await field(dialog, 'warning').fill('55');
    await page.keyboard.press('Enter');
    await expect(projectRow(page, project)).toContainText('Saved');
    await expect(row(other, 'lines'), 'open pages update').toContainText('warning');
    await openProject(page, `${server.url}/settings`, project);
    expect(await words()).toContain('55 %');
  });

  test('show a conflicting change of another operator', async ({
    page,
    server,
    runner,
    report,
    project,
    guard,
  }) => {
    guard.allow(/409 \(Conflict\)/);
    report('two', SUM).read(10);
    await runner.flush();
    await openProject(page, `${server.url}/settings`, project);
    await page.getByRole('button', { name: `Change the lines of ${project}` }).click();
    await changeSettings(server, project, { thresholds: { warning: 0.6 } });

    const dialog = lines(page, project);
    await field(dialog, 'critical').fill('90');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByRole('alert')).toContainText('These settings were changed by someone else');
    await expect(field(dialog, 'warning')).toHaveValue('60');
    await expect(field(dialog, 'critical')).toHaveValue('90');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    const words = async () => plain(await projectRow(page, project).innerText());
    await expect.poll(words).toMatch(/60 %\s+90 %/);
  });
});

test('A window of a project applies to its open sessions, and is flagged if it changes', async ({
  page,
  server,
  runner,
  project,
}) => {
  const session = runner.session('window', { title: 'window', lens: 'snapshot', model: 'made-up-1' });
  session.turn({ usage: { inputTokens: 1 }, contextTokens: 60_000 });
  await runner.flush();
  const other = await page.context().newPage();
  await open(other, server.url + fleetPath(project));
  await expect(row(other, 'window')).toContainText('≈200');

  await openProject(page, `${server.url}/settings`, project);
  await page.getByRole('button', { name: `Change the windows of ${project}` }).click();
  const dialog = page.getByRole('dialog', { name: `Windows of ${project}` });
  const own = (model: string) => dialog.getByRole('textbox', { name: model, exact: true });
  expect(plain((await own('made-up-1').getAttribute('placeholder')) ?? '')).toBe('≈200 000 assumed');
  await own('made-up-1').fill('80k');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('made-up-1 must be a whole number')).toBeVisible();
  await expect(own('made-up-1')).toBeFocused();
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await own('made-up-1').fill('80 000');
  await own('Another model').fill('later-model');
  await page.keyboard.press('Enter');
  await expect(own('later-model')).toBeFocused();
  await own('later-model').fill('64000');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  const windows = page.getByRole('table', { name: 'Windows of projects' }).getByRole('row');
  const words = async () => plain(await windows.filter({ hasText: project }).innerText());
  await expect.poll(words).toMatch(/later-model\s+64 000\s+0 sessions/);
  await expect(row(other, 'window'), 'open pages update').toContainText('80');
  await expect(row(other, 'window')).toContainText('warning');
  await openProject(page, `${server.url}/settings`, project);
  await expect.poll(words).toMatch(/made-up-1\s+80 000\s+1 session/);
  await expect(page.getByRole('table', { name: 'Latest entries of the audit log' })).toContainText(
    /window of made-up-1 80.000, window of later-model 64.000/,
  );

  session.turn({ usage: { inputTokens: 1 }, contextTokens: 61_000, limit: 1_000_000, limitSource: 'client' });
  await runner.flush();
  await row(other, 'window').getByRole('link').first().click();
  await expect(other.locator('#sheet-drawing')).toContainText(/80.k → 1.00.Mwindow/);
  await expect(other.getByText('stated by the client').first()).toBeVisible();
});

test.describe('Access tokens', () => {
  test('are created, shown once, accepted and revoked', async ({ page, server, project }) => {
    await open(page, `${server.url}/settings`);
    await page.getByRole('button', { name: 'New token' }).click();
    const make = page.getByRole('dialog', { name: 'New token' });
    await make.getByRole('button', { name: 'Create token' }).click();
    await expect(make.getByText('The name must not be empty')).toBeVisible();
    await make.getByRole('textbox', { name: 'Name' }).fill(project);
    await make.getByRole('checkbox', { name: /^Read/ }).check();
    for (const name of [/^Ingest/, /^Archive/]) await make.getByRole('checkbox', { name }).uncheck();
    await make.getByRole('button', { name: 'Create token' }).click();
    const shown = page.getByRole('dialog', { name: `Token ${project}` });
    const secret = (await shown.locator('code').innerText()).trim();
    expect(secret).toMatch(/^bg_[\w-]{49}$/);
    // Escape warns before the token is lost.
    await page.keyboard.press('Escape');
    await expect(shown.getByRole('alert')).toContainText('The token cannot be shown again.');
    await shown.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText(secret)).toBeHidden();

    const ask = () =>
      fetch(`${server.url}/api/v1/sessions`, { headers: { Authorization: `Bearer ${secret}` } });
    expect((await ask()).status).toBe(200);
    const listed = page
      .getByRole('table', { name: 'Access tokens' })
      .getByRole('row')
      .filter({ hasText: project });
    await expect(listed).toContainText('never');
    await page.reload();
    await expect(listed.locator('time')).toHaveCount(1);

    await page.getByRole('button', { name: `Revoke ${project}` }).click();
    const question = page.getByRole('dialog', { name: `Revoke ${project}?` });
    await question.getByRole('button', { name: 'Close' }).click();
    await expect(listed).toBeVisible();
    await page.getByRole('button', { name: `Revoke ${project}` }).click();
    await question.getByRole('button', { name: 'Revoke', exact: true }).click();
    await expect(question).toBeHidden();
    await expect(listed).toHaveCount(0);
  });

  test('may be limited to a project unless their scope is admin', async ({ page, server, project }) => {
    await open(page, `${server.url}/settings`);
    await page.getByRole('button', { name: 'New token' }).click();
    const make = page.getByRole('dialog', { name: 'New token' });
    await make.getByRole('textbox', { name: 'Name' }).fill('limited');
    await make.getByRole('textbox', { name: 'Project' }).fill(project);
    await make.getByRole('checkbox', { name: /^Admin/ }).check();
    await expect(make.getByRole('textbox', { name: 'Project' })).toHaveCount(0);
    await make.getByRole('checkbox', { name: /^Admin/ }).uncheck();
    await make.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByRole('dialog', { name: 'Token limited' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    const row = page.getByRole('table', { name: 'Access tokens' }).getByRole('row');
    await expect(row.filter({ hasText: 'limited' })).toContainText(project);
  });
});

test.describe('The transcripts of a project', () => {
  const keptRow = (page: Page, project: string) =>
    page
      .getByRole('table', { name: 'Transcripts of projects' })
      .getByRole('row')
      .filter({ hasText: project });

  test('are deleted by the retention, after a preview', async ({ page, server, project }) => {
    const day = 86_400_000;
    for (const age of [40, 30, 1]) {
      const at = new Date(Date.now() - age * day).toISOString();
      await handOver(server, Buffer.from(`{"age":${age}}\n`), { project, session: 'kept', at });
    }
    await open(page, `${server.url}/settings?project=${project}#transcripts`);
    await expect(keptRow(page, project)).toContainText('keep all');
    await page.getByRole('button', { name: `Change the retention of ${project}` }).click();
    const dialog = page.getByRole('dialog', { name: `Transcripts of ${project}` });
    await dialog.getByRole('textbox', { name: 'Size of one' }).fill('12');
    await dialog.getByRole('textbox', { name: 'Days', exact: true }).fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByText('must be a size with its unit, as in 500 MB or 20 GB')).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Size of one' }).fill('20 kB');
    const said = dialog.getByRole('status').filter({ hasText: 'Deletes 2 of 3' });
    await expect(said).toContainText('within a minute');
    await dialog.getByRole('button', { name: 'Save and delete 2' }).click();
    await expect(dialog).toBeHidden();
    await expect(keptRow(page, project)).toContainText('20 kB');
    await expect(keptRow(page, project)).toContainText(/7\sdays/);

    // A transcript beyond the limit is listed with the reason and a link to the limits.
    await expect(handOver(server, Buffer.alloc(20_001, 32), { project, session: 'large' })).rejects.toThrow(
      'too_large',
    );
    await open(page, `${server.url}/transcripts?project=${project}`);
    await page.getByRole('link', { name: 'Project limits' }).click();
    await expect(page).toHaveURL(new RegExp(`/settings\\?project=${project}#transcripts`));
    await expect(keptRow(page, project)).toBeVisible();
  });
});

test.describe('The audit log', () => {
  test('lists and filters searches and changed settings', async ({
    page,
    server,
    runner,
    report,
    project,
    connect,
  }) => {
    report('audited', SUM).read(10);
    await runner.flush();
    // The menu of projects appears with the second project.
    const other = connect(server, { project: `${project}-other` });
    other.session(`${project}/other`, SUM).turn({ usage: { inputTokens: 10, outputTokens: 0 } });
    await other.flush();
    await changeSettings(server, project, { thresholds: { warning: 0.6 } });
    const { readToken } = server.connection;
    await fetch(`${server.url}/api/v1/transcripts?project=${project}&q=tide+tables`, {
      headers: { authorization: `Bearer ${readToken}` },
    });
    await open(page, `${server.url}/settings`);
    await expect(page.getByRole('table', { name: 'Latest entries of the audit log' })).toBeVisible();
    await page.getByRole('link', { name: 'Open the audit log' }).click();
    const log = page.getByRole('table', { name: 'Audit log' });
    await page.getByRole('combobox', { name: 'Filter by project' }).selectOption(project);
    const entries = log.getByRole('row').filter({ hasText: project });
    await expect(entries).toHaveCount(2);
    await expect(entries.first()).toContainText('searched');
    await expect(entries.first()).toContainText('“tide tables”');
    await expect(entries.last()).toContainText(/browser.*settings changed.*warning 60\s%/);
    await page.getByRole('button', { name: 'settings changed' }).click();
    await expect(entries).toHaveCount(1);
    await expect(page).toHaveURL(/action=settings_changed/);
    await page.getByRole('textbox', { name: 'Go to a time' }).fill('yesterday 14:03');
    await page.keyboard.press('Enter');
    await expect(page.getByText('No matches')).toBeVisible();
    await expect(page).toHaveURL(/to=/);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(page).toHaveURL(/\/settings\/audit$/);
  });
});

test('Settings and dialogs have no axe findings', async ({ page, server, runner, report, project }) => {
  report('axe', SUM).read(10);
  await runner.flush();
  await openProject(page, `${server.url}/settings`, project);
  await expectAccessibleInBoth(page);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByText('The name must not be empty')).toBeVisible();
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Revoke local read', exact: true }).click();
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Change the retention of ${project}` }).click();
  await page.getByRole('textbox', { name: 'Days', exact: true }).fill('x');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Days must be a whole number')).toBeVisible();
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await open(page, `${server.url}/settings/audit?to=2020-01-01T00:00:00.000Z`);
  await expect(page.getByText('No matches')).toBeVisible();
  await expectAccessibleInBoth(page, 'main');
});
