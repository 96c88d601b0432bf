/** Alerts, from the editor of a rule to its messages, in the browser. */
import type { Locator, Page } from '@playwright/test';
import { startReceiver } from '@/db/testing/http-receiver';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { fleetPath, open, overflow, row, sheet } from './support/screen';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';

const table = (page: Page, name: string) => page.getByRole('table', { name });
const section = (page: Page, name: string) => page.getByRole('region', { name });

interface Sent {
  change: string;
  rule: { name: string };
  session: { title: string } | null;
}

const sentTo = ({ received }: Awaited<ReturnType<typeof startReceiver>>): Sent[] =>
  received.flatMap(({ body }) => (JSON.parse(body) as { alerts: Sent[] }).alerts);

/** A rule for a line of 80 %, and a webhook for it unless the URL is null, made over the API. */
async function makeRule(server: BarographServer, project: string, url: string | null): Promise<void> {
  const post = async (path: string, body: object) => {
    const own = { origin: server.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const init = { method: 'POST', headers: own, body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}/api/v1/${path}`, init);
    expect(answer.status).toBe(201);
    return (await answer.json()) as { id: string };
  };
  const secret = { key: 'a key with many characters' };
  const channels =
    url === null
      ? []
      : [(await post('alert-channels', { kind: 'webhook', name: project, config: { url }, secret })).id];
  const condition = { kind: 'pressure', atLeast: 0.8 };
  const scope = { project: [project] };
  await post('alert-rules', {
    name: project,
    enabled: true,
    severity: 'critical',
    condition,
    scope,
    channels,
  });
}

test.describe('Alerts', () => {
  test('of a new rule fire, show on the pages, reach a webhook, are acknowledged and end', async ({
    page,
    server,
    project,
    report,
    runner,
    api,
    visit,
  }) => {
    const receiver = await startReceiver();
    const past = report('crossed', { title: 'Crossed the line' });
    past.read(40_000, 150_000, 40_000);
    const session = report('watched', { title: 'Watched' });
    session.read(40_000);
    const begin = Date.now() - 610_000;
    const calm = report('counting', { title: 'Counting', at: begin });
    for (let turn = 1; turn <= 20; turn += 1) {
      calm.turn({
        at: begin + turn * 30_000,
        contextTokens: 40_000 + turn * 2_000,
        usage: { inputTokens: 10 },
      });
    }
    await visit('/alerts');

    await page.getByRole('button', { name: 'New channel' }).click();
    const channel = page.getByRole('dialog', { name: 'New channel' });
    await channel.getByRole('textbox', { name: 'Name' }).fill(`Desk ${project}`);
    await channel.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    const key = channel.getByLabel('Signature key');
    await expect(key, 'a secret is masked').toHaveAttribute('type', 'password');
    await key.fill('a key with many characters');
    await channel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Send a test to Desk ${project}` }).click();
    await expect(page.getByText(`Desk ${project} accepted the test message.`)).toBeVisible();

    await page.getByRole('button', { name: 'New rule' }).click();
    const rule = page.getByRole('dialog', { name: 'New rule' });
    await rule.getByRole('textbox', { name: 'Name' }).fill(`Above 70 % in ${project}`);
    await rule.getByRole('textbox', { name: 'Threshold, %' }).fill('70');
    await rule.getByRole('textbox', { name: 'Resolve below, %' }).fill('60');
    await rule.getByRole('textbox', { name: 'Projects' }).fill(project);
    await rule.getByRole('checkbox', { name: `Desk ${project}` }).check();
    const preview = rule.getByRole('region', { name: 'Preview' });
    await expect(preview).toContainText('Would have fired once, in 1 of 3 sessions.');
    await expect(
      preview.getByRole('img', { name: /^Pressure of Crossed the line; 1 alerts?$/ }),
    ).toBeVisible();
    await expectAccessibleInBoth(page);
    await rule.getByRole('button', { name: 'Save' }).click();
    const name = `Above 70 % in ${project}`;
    await expect(table(page, 'Rules')).toContainText(name);

    session.read(150_000);
    await runner.flush();
    const firing = table(page, 'Firing alerts').getByRole('row').filter({ hasText: name });
    await expect(firing).toContainText('Pressure 75 %');
    await expect.poll(() => sentTo(receiver).map(({ change }) => change)).toEqual(['test', 'fired']);
    expect(sentTo(receiver)[1]).toMatchObject({ rule: { name }, session: { title: 'Watched' } });
    await expectAccessibleInBoth(page);

    await open(page, server.url + fleetPath(project));
    await expect(row(page, 'Watched')).toContainText(name);
    await expect(row(page, 'Crossed the line')).not.toContainText(name);
    await expect(row(page, 'Watched'), 'an alert comes before countdowns').toHaveAttribute(
      'aria-rowindex',
      '2',
    );
    await page.keyboard.press('w');
    const wall = page.getByRole('region', { name: 'Wall' });
    await expect(wall.locator('.wall-counts')).toContainText(/alert\s*1/);
    await expect(wall.getByRole('listitem').first()).toContainText('Watched');
    await expect(wall.getByRole('listitem').first()).toContainText(name);
    await open(page, `${server.url}/sessions/${(await api.session(`${project}/watched`)).id}`);
    await expect(
      sheet(page)
        .locator('title')
        .filter({ hasText: `${name}: Pressure 75 %` }),
    ).toHaveCount(1);
    await expect(sheet(page).getByText(`alert: ${name}`)).toHaveCount(1);
    const line = page.getByRole('status').filter({ hasText: name });
    // An alert shares the row of the title, so that it takes no height from the events.
    await page.setViewportSize({ width: 1440, height: 900 });
    const middle = async (part: Locator) => {
      const { y = 0, height = 0 } = (await part.boundingBox()) ?? {};
      return y + height / 2;
    };
    const title = await middle(page.getByRole('heading', { level: 1 }));
    await expect.poll(async () => Math.abs((await middle(line)) - title)).toBeLessThan(12);
    await line.getByRole('button', { name: 'Acknowledge' }).click();
    await expect(line).toContainText('acknowledged');
    await line.getByRole('button', { name: 'Mute 1 h' }).click();
    await expect(line.getByRole('button', { name: 'Unmute' })).toBeVisible();

    await visit('/alerts');
    await expect(firing).toContainText('acknowledged · muted');
    session.read(40_000);
    await runner.flush();
    await expect(firing).toHaveCount(0);
    const ended = table(page, 'Resolved alerts').getByRole('row').filter({ hasText: name });
    await expect(ended).toContainText('condition cleared');
    session.read(150_000);
    await runner.flush();
    await expect(firing, 'a muted session still shows its alert').toContainText('firing · muted');
    await firing.getByRole('button', { name: 'Unmute Watched' }).click();
    await expect(firing).not.toContainText('muted');

    const named = table(page, 'Rules').getByRole('row').filter({ hasText: name });
    await named.getByRole('button', { name: `Mute 1 h ${name}` }).click();
    await expect(named).toContainText('· muted');
    await named.getByRole('button', { name: `Unmute ${name}` }).click();
    await expect(named).not.toContainText('muted');

    await page.getByRole('button', { name: `Edit ${name}` }).click();
    await page.getByRole('dialog', { name }).getByRole('button', { name: 'Delete rule' }).click();
    await expect(table(page, 'Rules')).not.toContainText(name);
    await expect(ended.filter({ hasText: 'rule turned off' })).toHaveCount(1);
    expect(
      sentTo(receiver).map(({ change }) => change),
      'the muted alert sent nothing',
    ).toEqual(['test', 'fired']);
    await receiver.close();
  });

  test('that were not delivered are dead letters, which an operator can retry', async ({
    page,
    server,
    project,
    report,
    runner,
    visit,
  }) => {
    let status = 410;
    const receiver = await startReceiver((response) => {
      response.statusCode = status;
      response.end();
    });
    await visit('/alerts');
    await makeRule(server, project, receiver.url);
    report('dead').read(190_000);
    await runner.flush();
    const letter = table(page, 'Dead letters').getByRole('row').filter({ hasText: project });
    await expect(letter).toContainText('The receiver answered status 410.');
    await expectAccessibleInBoth(page);
    status = 200;
    await letter.getByRole('button', { name: /Retry/ }).click();
    await expect(letter).toHaveCount(0);
    await expect.poll(() => sentTo(receiver)).toHaveLength(2);
    const rule = table(page, 'Rules').getByRole('row').filter({ hasText: project });
    await expect(rule.locator('svg')).toHaveAttribute('data-state', 'critical');
    await rule.getByRole('switch', { name: project, checked: true }).click();
    await expect(rule.getByRole('switch', { name: project, checked: false })).toBeVisible();
    await expect(rule.locator('svg'), 'a rule that is off has no colour').not.toHaveAttribute('data-state');
    await receiver.close();
  });

  test('of a storm are shown in part, and the rest and older ones on request', async ({
    page,
    server,
    report,
    runner,
    project,
    visit,
  }) => {
    await makeRule(server, project, null);
    for (let index = 0; index < 80; index += 1) {
      const session = report(`storm-${index}`);
      session.read(190_000);
      if (index < 55) session.end();
    }
    await runner.flush();
    await visit('/alerts');
    const firing = table(page, 'Firing alerts');
    const showAll = (name: string) => section(page, name).getByRole('button', { name: /^Show all / });
    await expect(firing.locator('tbody tr')).toHaveCount(10);
    await showAll('Firing now').click();
    await expect(firing.locator('tbody tr').filter({ hasText: project })).toHaveCount(25);
    const history = table(page, 'Resolved alerts');
    await showAll('History').click();
    await expect(history.locator('tbody tr')).toHaveCount(50);
    await section(page, 'History').getByRole('button', { name: 'Older alerts' }).click();
    await expect(history.locator('tbody tr').filter({ hasText: project })).toHaveCount(55);
    await expectAccessibleInBoth(page);
  });

  test('fit on a phone', async ({ page, server, report, runner, project, visit }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await makeRule(server, project, null);
    report('small', { title: 'A session with a long title that a phone cannot show on one line' }).read(
      190_000,
    );
    await runner.flush();
    await visit('/alerts');
    await expect(section(page, 'Rules')).toContainText(project);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'New rule' }).click();
    await expect(page.getByRole('dialog', { name: 'New rule' })).toBeVisible();
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });
});
