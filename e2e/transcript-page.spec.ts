/** The screens of archived transcripts. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { TranscriptList } from '@/core/api/transcripts';
import { claudeLines } from './support/claude-lines';
import { expectAccessible, expectAccessibleInBoth } from './support/expect-accessible';
import { handOver, untilRead } from './support/hand-over';
import { badge, open, overflow } from './support/screen';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';

const SECRET = `ghp_${'k3J9'.repeat(9)}`;

const listed = (page: Page) => page.getByRole('table', { name: 'Transcripts' }).locator('[data-row]');
const conversation = (page: Page) => page.getByRole('list', { name: 'Conversation' });

/** A conversation with a tool call, a secret and a compaction. */
function ledgerFile(): Buffer {
  const { user, assistant, compaction } = claudeLines();
  const words = 'I read **ledger.ts** first.\n\n```ts\nexport const balance = 0;\n```';
  const content = `const token = '${SECRET}';\nconst rows = [];`;
  const input = { file_path: '/srv/app/ledger.ts' };
  const all = [
    user('Balance the ledger of the harbour'),
    assistant('m1', { type: 'thinking', thinking: 'First I look at the file of accounts.' }, 49_900),
    assistant('m1', { type: 'text', text: words }, 49_900),
    assistant('m1', { type: 'tool_use', id: 'toolu_1', name: 'Read', input }, 49_900),
    user([{ type: 'tool_result', tool_use_id: 'toolu_1', content }]),
    ...Array.from({ length: 60 }, (_, index) =>
      assistant(`f${index}`, { type: 'text', text: `Step ${index} of the work` }, 59_900 + index * 1_000),
    ),
    compaction({ trigger: 'auto', preTokens: 167_000 }),
    user('The ledger was being balanced.', { isCompactSummary: true }),
    assistant('m9', { type: 'text', text: 'It goes on after the compaction' }, 30_000),
  ];
  return Buffer.from(`${all.join('\n')}\n`);
}

async function upload(server: BarographServer, project: string, bytes = ledgerFile()): Promise<string> {
  const about = { project, session: `${project}/talk`, version: 'completed' } as const;
  const { id } = await handOver(server, bytes, about);
  await untilRead(server, id);
  return id;
}

/** Shared by the stories that only read it. */
const SHARED = 'harbour ledger';
let shared = '';
test.beforeAll(async ({ server }) => {
  shared = await upload(server, SHARED);
});

test.describe('The list of transcripts', () => {
  test('lists the state of each copy and finds transcripts by their text', async ({ page, server }) => {
    await open(page, `${server.url}/transcripts?project=${encodeURIComponent(SHARED)}`);
    await expect(listed(page)).toHaveCount(1);
    await expect(listed(page)).toContainText(/Verified \d\d:\d\d/);
    await expect(listed(page)).toContainText('completed');

    const words = page.getByRole('searchbox', { name: 'Search in transcripts' });
    await words.fill('balance the ledger');
    await expect(page).toHaveURL(/q=balance\+the\+ledger/);
    await expect(listed(page).getByRole('listitem').first()).toContainText(
      'Balance the ledger of the harbour',
    );
    await words.fill(SECRET);
    await expect(page.getByText('No matches').first()).toBeVisible();
    await words.fill('');
    await page.getByRole('button', { name: 'failed' }).click();
    await expect(page.getByText('No matches').first()).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page).not.toHaveURL(/project=/);
    await expect(page.locator(`[data-transcript="${shared}"]`)).toBeVisible();
  });

  test('shows how to connect the hook while there are no transcripts', async ({ page, server }) => {
    await page.route('**/api/v1/transcripts?*', (route) =>
      route.fulfill({ json: { transcripts: [], total: 0, nextCursor: null } satisfies TranscriptList }),
    );
    await open(page, `${server.url}/transcripts`);
    await expect(page.getByText(/npx barograph connect/)).toBeVisible();
    await expect(page.getByRole('button', { name: /^Copy Connect the agents/ })).toBeVisible();
    await expectAccessible(page, 'light');
  });
});

test.describe('A transcript', () => {
  test('shows the conversation, its compaction and the lost content', async ({ page, server }) => {
    await open(page, `${server.url}/transcripts/${shared}`);
    const talk = conversation(page);
    await expect(talk.getByText('Balance the ledger of the harbour')).toBeVisible();
    await expect(talk.locator('strong', { hasText: 'ledger.ts' })).toBeVisible();
    await expect(talk.locator('[data-code="keyword"]').first()).toHaveText('export');
    await expect(talk.getByText('First I look')).toHaveCount(0);
    await talk.getByRole('button', { name: /^thinking/ }).click();
    await expect(talk.getByText('First I look at the file')).toBeVisible();
    await expect(talk.getByRole('button', { name: /^Read/ })).toContainText('2 lines');
    await expect(talk.getByTitle(/^context 50/).first()).toBeVisible();

    await page.getByRole('button', { name: 'Next compaction' }).click();
    await expect(talk.getByRole('heading', { name: /Compacted/ })).toBeInViewport();
    await expect(page).toHaveURL(/line=65/);
    await expect(page.getByRole('region', { name: 'What was lost' })).toContainText(/became a summary/);
    await expect(page.getByRole('region', { name: 'What was lost' })).toContainText('ledger.ts');
  });

  test('can be searched, and links lead to a message', async ({ page, server }) => {
    await open(page, `${server.url}/transcripts/${shared}`);
    const field = page.getByRole('searchbox', { name: 'Find in transcript' });
    await field.fill('step 41 of');
    await expect(page.getByText('1 match')).toBeVisible();
    await field.press('Enter');
    await expect(page.getByText('Step 41 of the work')).toBeInViewport();
    await expect(page).toHaveURL(/line=46/);
    await page.goto(`${server.url}/transcripts/${shared}?line=50`);
    await expect(conversation(page).locator('[data-target]')).toContainText('Step 45 of the work');
    await expect(page.getByText('Step 45 of the work')).toBeInViewport();
    await page.getByRole('button', { name: 'Raw' }).click();
    await expect(page.getByRole('list', { name: 'Lines of the file' })).toContainText('"type":"assistant"');
  });

  test('masks secrets until they are shown, and audits the reveal', async ({ page, server }) => {
    await open(page, `${server.url}/transcripts/${shared}`);
    await conversation(page).getByRole('button', { name: /^Read/ }).click();
    const mask = conversation(page).getByRole('button', { name: /masked: show secrets/ });
    await expect(mask).toBeVisible();
    await expect(page.locator('body')).not.toContainText(SECRET);
    await mask.click();
    await page.getByLabel(/^Reason/).fill('checking the key');
    await page.getByRole('dialog').getByRole('button', { name: 'Show' }).click();
    await expect(conversation(page)).toContainText(SECRET);
    await page.getByRole('button', { name: /Mask .* again/ }).click();
    await expect(page.locator('body')).not.toContainText(SECRET);

    await open(page, `${server.url}/settings/audit?transcript=${shared}`);
    const log = page.getByRole('table', { name: 'Audit log' });
    await expect(log.getByRole('row').filter({ hasText: 'secrets shown' })).toContainText('checking the key');
    await expect(log.getByRole('row').filter({ hasText: 'read' }).first()).toBeVisible();
    await expectAccessible(page, 'light');
  });

  test('can be downloaded byte for byte, and deleted with a reason', async ({ page, server, project }) => {
    const bytes = ledgerFile();
    const id = await upload(server, project, bytes);
    await open(page, `${server.url}/transcripts/${id}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await download.path())).toEqual(bytes);
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(dialog.getByText('Reason required')).toBeVisible();
    await dialog.getByLabel(/^Reason/).fill('personal data');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText(/^Deleted.*: personal data/).first()).toBeVisible();
    await expect(conversation(page)).toHaveCount(0);
    await open(page, `${server.url}/transcripts?project=${encodeURIComponent(project)}&q=ledger`);
    await expect(page.getByText('No matches').first()).toBeVisible();
  });

  test('links to its compaction, which links back', async ({
    page,
    server,
    runner,
    project,
    report,
    api,
    show,
  }) => {
    const session = report('talk');
    session.read(160_000);
    await runner.flush();
    const { offer, id } = await handOver(server, ledgerFile(), { project, session: `${project}/talk` });
    const { archive, sha256, bytes } = offer;
    session.archive({ state: 'stored', trigger: 'auto', archive, sha256, bytes });
    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 160_000 });
    session.read(30_000);
    await untilRead(server, id);
    const sessionId = await show('talk');
    const compaction = (await api.events(sessionId)).find(({ kind }) => kind === 'compaction');
    await show('talk', `?event=${encodeURIComponent(compaction?.id ?? '')}`);
    await page.getByRole('link', { name: 'copy at the hook' }).click();
    await expect(page).toHaveURL(new RegExp(`/transcripts/${id}`));
    await expect(conversation(page)).toBeVisible();
    await page.getByRole('link', { name: 'Compaction' }).click();
    await expect(page.getByRole('heading', { name: /^Compaction 1/ })).toBeVisible();
    // The id of the archive redirects to the transcript.
    await page.goto(`${server.url}/transcripts/${archive}`);
    await expect(page).toHaveURL(new RegExp(`/transcripts/${id}`));
  });

  test('has no axe findings, and fits on a phone', async ({ page, server }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, `${server.url}/transcripts/${shared}`);
    await expect(conversation(page).getByText('Balance the ledger')).toBeVisible();
    await expectAccessibleInBoth(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expectAccessible(page, 'light');
  });
});

test('A long transcript renders only the rows on screen', async ({ page, server, project }) => {
  const filler = 'The harbour master keeps the book of arrivals. '.repeat(20);
  const { user, assistant } = claudeLines();
  const talk = Array.from({ length: 3_000 }, (_, index) =>
    index % 2 === 0
      ? user(`Question ${index}: ${filler}`)
      : assistant(`a${index}`, { type: 'text', text: `Answer ${index}: ${filler}` }, 20_000 + index),
  );
  const id = await upload(server, project, Buffer.from(`${talk.join('\n')}\n`));
  await open(page, `${server.url}/transcripts/${id}`);
  await expect(conversation(page).getByText('Question 0:')).toBeVisible();
  expect(await conversation(page).getByRole('listitem').count()).toBeLessThan(60);
  await page.goto(`${server.url}/transcripts/${id}?line=2999`);
  await expect(conversation(page).getByText('Answer 2999:')).toBeInViewport();
  expect(await conversation(page).getByRole('listitem').count()).toBeLessThan(60);
  await expect(badge(page)).toHaveText('live');
});
