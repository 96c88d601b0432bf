import type { BrowserContext, Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { badge } from './support/screen';
import { BarographServer } from './support/server';
import { expect, test } from './support/test';

const PASSWORD = 'correct horse battery';
/** Longer than the dialog of a phone is wide. */
const BEN = 'ben.of.the.night.shift@department-of-surveys.example.org';

async function createAccount(page: Page, link: string, name: string, email: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  const address = page.getByRole('textbox', { name: 'E-mail' });
  if (await address.isEditable()) await address.fill(email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(
    page
      .getByRole('link', { name })
      .or(page.getByTitle(`Account of ${name}`))
      .first(),
  ).toBeVisible();
}

/** A device that stores passkeys and approves every request. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

test('A team logs in by link, password and passkey, and sees the projects of its roles', async ({
  browser,
  browserName,
  page,
  context,
  connect,
  guard,
}) => {
  const server = await BarographServer.start(`${browserName}-team`, { BAROGRAPH_AUTH: 'on' });
  const other = await browser.newContext();
  await guard.watch(other);
  try {
    for (const project of ['atlas', 'borealis']) {
      const runner = connect(server, { project });
      runner
        .session(`session of ${project}`, { title: `Title of ${project}`, limit: 200_000 })
        .turn({ usage: { inputTokens: 9_000, outputTokens: 10 } });
      await runner.flush();
    }
    const link = /http:\/\/localhost:\d+\/invitation#\S+/.exec(server.welcome)?.[0] ?? '';
    const origin = new URL(link).origin;

    // Without a log-in there is nothing but the log-in page.
    await page.goto(`${origin}/events?kind=restart`);
    await expect(page).toHaveURL(`${origin}/login?next=%2Fevents%3Fkind%3Drestart`);
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
    await expectAccessibleInBoth(page);
    expect((await page.request.get(`${origin}/api/v1/sessions`)).status()).toBe(401);

    await createAccount(page, link, 'Ana', 'ana@example.org');
    await expect(page.getByText('Title of borealis').first()).toBeVisible();

    // The link works once.
    const ben = await other.newPage();
    guard.allow(/404 \(Not Found\)/);
    await ben.goto(link);
    await expect(ben.getByText('This invitation was used')).toBeVisible();

    await page.goto(`${origin}/settings`);
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite a person' });
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill(BEN);
    await dialog.getByRole('combobox', { name: 'Project' }).selectOption('atlas');
    await dialog.getByRole('radio', { name: 'Viewer' }).check();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const shown = page.getByRole('dialog', { name: `Invitation for ${BEN}` });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await shown.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 720 });
    const invitation = (await shown.locator('code').textContent()) ?? '';
    await shown.getByRole('button', { name: 'Close' }).click();

    const received: Array<string | Promise<string>> = [];
    ben.on('response', (response) => received.push(response.text().catch(() => '')));
    ben.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => received.push(String(payload))),
    );
    await createAccount(ben, invitation, 'Ben', BEN);
    await expect(ben.getByText('Title of atlas').first()).toBeVisible();
    for (const path of [
      '/',
      '/events',
      '/history',
      '/transcripts',
      '/alerts',
      '/settings',
      '/settings/audit',
    ]) {
      await ben.goto(origin + path);
      await expect(badge(ben), path).toHaveText('live');
    }
    expect((await Promise.all(received)).filter((text) => /borealis/.test(text))).toEqual([]);
    expect(await Promise.all(received)).toContainEqual(expect.stringContaining('atlas'));
    await expect(ben.getByRole('region', { name: 'People' })).toBeHidden();

    // A page with an id or a filter of another project contains nothing of it, as HTML and as React's payload.
    const { sessions } = await (await page.request.get(`${origin}/api/v1/sessions`)).json();
    const idOf = (project: string) =>
      sessions.find((session: { project: string }) => session.project === project)?.id;
    const [own, foreign] = [idOf('atlas'), idOf('borealis')];
    const filters = `project=borealis&session=${foreign}&q=borealis`;
    const paths = [
      `/sessions/${foreign}`,
      `/sessions/${foreign}?context=0&lens=snapshot`,
      `/transcripts/${foreign}`,
      `/compare?a=${foreign}&b=${own}`,
      `/compare?a=${own}&b=${foreign}.0`,
      ...['/', '/events', '/history', '/transcripts', '/alerts', '/settings', '/settings/audit'].map(
        (path) => `${path}?${filters}`,
      ),
    ];
    const NAMES = /(Title|session) of borealis/;
    for (const path of paths) {
      for (const headers of [{}, { RSC: '1' }, { RSC: '1', 'Next-Router-Prefetch': '1' }]) {
        const answer = await ben.request.get(origin + path, { headers });
        expect(answer.status(), path).toBeLessThan(500);
        expect(await answer.text(), path).not.toMatch(NAMES);
      }
    }
    const visible = await page.request.get(`${origin}/sessions/${foreign}`, { headers: { RSC: '1' } });
    expect(await visible.text(), 'the attempts look for the right words').toMatch(NAMES);

    // A viewer sees no button that the server would refuse.
    const changes = (one: Page) =>
      one.getByRole('main').getByRole('button', { name: /^(Change the|New |Edit|Note this)|Send a test/ });
    await page.goto(origin);
    await page.getByRole('link', { name: 'Title of atlas' }).first().click();
    await page.waitForURL(/sessions/);
    for (const path of [new URL(page.url()).pathname, '/settings', '/alerts']) {
      await ben.goto(origin + path);
      await page.goto(origin + path);
      await expect(changes(page).first(), path).toBeVisible();
      await expect(badge(ben), path).toHaveText('live');
      const end = ben.getByText(/^(Notes|Title of atlas|This server|No resolved alerts yet.)$/).first();
      await expect(end, path).toBeVisible();
      await expect(changes(ben), path).toHaveCount(0);
    }

    // Preferences are stored in the account, so another browser has them, too.
    await ben.goto(`${origin}/settings`);
    // Before that the page may miss the click.
    await expect(badge(ben)).toHaveText('live');
    const saved = ben.waitForResponse((response) => response.url().endsWith('/me/preferences'));
    await ben.getByRole('radio', { name: 'Dark' }).check();
    expect((await saved).status()).toBe(200);
    await ben.reload();
    await expect(ben.locator('html')).toHaveAttribute('data-theme', 'dark');

    // A revoked session closes the page, also without a request.
    await ben.goto(origin);
    await expect(ben.getByText('Title of atlas').first()).toBeVisible();
    await page.goto(`${origin}/settings`);
    await page.getByRole('button', { name: 'Change Ben' }).click();
    await page.getByRole('button', { name: /^End 1 session/ }).click();
    await expect(ben.getByRole('heading', { name: 'Log in' })).toBeVisible();
    await page.keyboard.press('Escape');

    // A passkey replaces the password.
    await addAuthenticator(context, page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(page.getByRole('button', { name: /^Remove passkey/ })).toBeVisible();
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByTitle('Account of Ana').first()).toBeVisible();

    // The audit log names people.
    await page.goto(`${origin}/settings/audit`);
    const log = page.getByRole('table').first();
    await expect(log.getByText(`Ben <${BEN}>`).first()).toBeVisible();
    await expect(log.getByText('person joined').first()).toBeVisible();
    await expectAccessibleInBoth(page);
  } finally {
    guard.rest();
    await other.close();
    await server.remove();
  }
});

test('A wrong password is refused with a reason, and the right one opens the wanted page', async ({
  page,
  browserName,
  guard,
}) => {
  const server = await BarographServer.start(`${browserName}-log-in`, { BAROGRAPH_AUTH: 'on' });
  try {
    const link = /http:\/\/localhost:\d+\/invitation#\S+/.exec(server.welcome)?.[0] ?? '';
    const { origin } = new URL(link);
    await createAccount(page, link, 'Ana', 'ana@example.org');
    await expect(badge(page), 'the page handles clicks').toHaveText('live');
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
    guard.allow(/401 \(Unauthorized\)/);
    await page.goto(`${origin}/history?range=7d`);
    const logIn = async (password: string) => {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('ana@example.org');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await logIn('wrong password');
    await expect(page.getByText('Invalid email or password')).toBeVisible();
    await logIn(PASSWORD);
    await expect(page).toHaveURL(`${origin}/history?range=7d`);
  } finally {
    guard.rest();
    await server.remove();
  }
});
