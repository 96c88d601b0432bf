/** The screens of archived transcripts. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { TranscriptList } from '@/core/api/transcripts';
import { claudeLines } from '@/core/scenario/claude-lines';
import { expectAccessible, expectAccessibleInBoth } from './support/expect-accessible';
import { handOver, untilRead } from './support/hand-over';
import { badge, open, overflow } from './support/screen';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';

const SECRET = `ghp_${'k3J9'.repeat(9)}`;

const listed = (page: Page) => page.getByRole('table', { name: 'Transcripts' }).locator('[data-row]');
const conversation = (page: Page) => page.getByRole('list', { name: 'Conversation' });

/** A conversation with a tool call, a secret and a compaction. @param later messages after those of the compaction */
function ledgerFile(later = 0): Buffer {
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
    ...Array.from({ length: later }, (_, index) =>
      assistant(
        `l${index}`,
        { type: 'text', text: `Step ${60 + index} of the work` },
        31_000 + index * 1_000,
      ),
    ),
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
    // The page opens at the tear, with the summary and the first messages after it.
    await expect(talk.getByRole('heading', { name: /Compacted/ })).toBeInViewport();
    await expect(talk.getByText('The ledger was being balanced.')).toBeInViewport();
    await expect(talk.getByText('It goes on after the compaction')).toBeInViewport();
    await expect(page.getByRole('link', { name: 'Transcripts', exact: true })).toBeInViewport();
    await expect(page.getByText(/before an auto compaction/)).toBeInViewport({ ratio: 1 });
    await expect(page.getByLabel('Size of the context').getByText('compacted at 167')).toBeInViewport();
    await expect(page.getByText('Lost, by role')).toBeVisible();
    await page.goto(`${server.url}/transcripts/${shared}?line=0`);
    await expect(talk.getByText('Balance the ledger of the harbour')).toBeVisible();
    await expect(talk.locator('strong', { hasText: 'ledger.ts' })).toBeVisible();
    await expect(talk.locator('[data-code="keyword"]').first()).toHaveText('export');
    await expect(talk.getByText('First I look')).toHaveCount(0);
    await talk.getByRole('button', { name: /^thinking/ }).click();
    await expect(talk.getByText('First I look at the file')).toBeVisible();
    await expect(talk.getByRole('button', { name: /^Read/ })).toContainText('2 lines');
    // The result of the call that reads the file counts at that call, not at the next one.
    const call = talk.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Read/ }) });
    await expect(call.getByTitle(/^context 59.910 tokens at the start of the next call, 50.000 /)).toHaveText(
      /59.9.k\+10.0.k$/,
    );

    await page.getByRole('button', { name: 'Next compaction' }).click();
    await expect(talk.getByRole('heading', { name: /Compacted/ })).toBeInViewport();
    await expect(page.getByRole('heading', { level: 1 }), 'the title stays in view').toBeInViewport();
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
    // A hit in a tool result opens the result and is highlighted.
    await page.goto(`${server.url}/transcripts/${shared}?q=const+rows&line=4`);
    await expect(conversation(page).getByText('const rows')).toBeInViewport();
    const marked = () =>
      page.evaluate(() => [...(CSS.highlights.get('found-words') ?? [])].map((range) => `${range}`));
    await expect.poll(marked).toEqual(['const rows']);
    await open(page, `${server.url}/transcripts/${shared}`);
    await field.fill('const rows');
    await expect(page.getByText('1 match')).toBeVisible();
    await field.press('Enter');
    await expect(conversation(page).getByText('const rows')).toBeInViewport();
    await expect.poll(marked).toEqual(['const rows']);
    await page.goto(`${server.url}/transcripts/${shared}?line=50`);
    await page.getByRole('button', { name: 'Raw' }).click();
    await expect(page.getByRole('list', { name: 'Lines of the file' })).toContainText('"type":"assistant"');
  });

  test('keeps its place when the width of the window changes', async ({ page, server }) => {
    const desk = { width: 1440, height: 900 };
    const phone = { width: 360, height: 740 };
    await page.clock.install();
    await page.setViewportSize(desk);
    await open(page, `${server.url}/transcripts/${await upload(server, 'harbour widths', ledgerFile(30))}`);
    const talk = conversation(page);
    /** Distance of the tear from the bar above the rows, as a share of the window's height. */
    const tear = async () => {
      const boxOf = (part: Element) => part.getBoundingClientRect();
      const { top, height } = await talk.getByRole('heading', { name: /Compacted/ }).evaluate(boxOf);
      const bar = await page.locator('.conversation-body > :first-child').evaluate(boxOf);
      return (top + height / 2 - bar.bottom) / (page.viewportSize()?.height ?? 1);
    };
    await expect.poll(tear).toBeCloseTo(0.5, 1);
    // The place after a jump does not expire.
    await page.clock.fastForward(10_000);
    for (const size of [phone, desk, phone, desk]) {
      await page.setViewportSize(size);
      await expect.poll(tear, `the tear at ${size.width} px`).toBeCloseTo(0.5, 1);
    }
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, -900);
    const below = () =>
      page.evaluate(() => {
        const edge = document
          .querySelector('.conversation-body > :first-child')
          ?.getBoundingClientRect().bottom;
        const rows = [...document.querySelectorAll<HTMLElement>('li[data-index]')];
        return rows.find((row) => row.getBoundingClientRect().bottom > (edge ?? 0) + 8)?.dataset.index;
      });
    await expect(talk.getByText('Step 40 of the work')).toBeInViewport();
    const before = await below();
    for (const size of [phone, desk]) {
      await page.setViewportSize(size);
      await expect.poll(below, `the row below the bar at ${size.width} px`).toBe(before);
    }
  });

  test('masks secrets until they are shown, and audits the reveal', async ({ page, server }) => {
    await open(page, `${server.url}/transcripts/${shared}?line=0`);
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
    await page.getByRole('link', { name: 'copied by the hook' }).click();
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
    await open(page, `${server.url}/transcripts/${shared}?line=0`);
    await expect(conversation(page).getByText('Balance the ledger')).toBeVisible();
    await expectAccessibleInBoth(page);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expectAccessible(page, 'light');
  });
});

test('What was lost belongs to the compaction that the link names', async ({ page, server, project }) => {
  const { user, assistant, compaction } = claudeLines();
  const lines = [1, 2, 3].flatMap((number) => [
    ...Array.from({ length: number }, (_, index) => user(`Task ${number}.${index}`)),
    assistant(`c${number}`, { type: 'text', text: `Answer ${number}` }, 90_000),
    compaction({ trigger: 'auto', preTokens: 100_000 + number }),
    user(`Summary ${number}`, { isCompactSummary: true }),
    assistant(`d${number}`, { type: 'text', text: `After ${number}` }, 20_000),
  ]);
  const id = await upload(server, project, Buffer.from(`${lines.join('\n')}\n`));
  // Lines are a second apart; the second compaction is on line 9.
  const at = 1_790_000_000_000 + 10_000;
  await open(page, `${server.url}/transcripts/${id}?at=${at}#what-was-lost`);
  const lost = page.getByRole('region', { name: 'What was lost' });
  await expect(lost).toContainText('100\u202f002');
  await page.getByRole('button', { name: 'Next compaction' }).click();
  await expect(lost).toContainText('100\u202f003');
  await page.getByRole('button', { name: 'Previous compaction' }).click();
  await page.getByRole('button', { name: 'Previous compaction' }).click();
  await expect(lost).toContainText('100\u202f001');
});

test('A folded message ends between two lines', async ({ page, server, project }) => {
  const { user, assistant } = claudeLines();
  const line = 'The harbour master keeps the book of arrivals, of departures and of the tide. ';
  const command = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'cat book' } };
  const lines = [
    user(`${line}\n`.repeat(40)),
    assistant('a1', { type: 'text', text: `# Book\n\n${`${line.repeat(3)}\n\n- one\n- two\n\n`.repeat(9)}` }),
    assistant('a2', command),
    user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: `${line}\n`.repeat(60) }]),
  ];
  const id = await upload(server, project, Buffer.from(`${lines.join('\n')}\n`));
  await open(page, `${server.url}/transcripts/${id}`);
  await conversation(page).getByRole('button', { name: /^Bash/ }).click();
  await expect(conversation(page).getByRole('button', { name: /^Show all/ })).toHaveCount(3);
  const sliced = () =>
    conversation(page).evaluate((list) =>
      [...list.querySelectorAll<HTMLElement>('.overflow-hidden')]
        .filter((box) => box.scrollHeight > box.clientHeight + 2)
        .map((box) => {
          const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
          const { bottom } = box.getBoundingClientRect();
          const cut: string[] = [];
          while (walker.nextNode()) {
            const range = document.createRange();
            range.selectNodeContents(walker.currentNode);
            const isCut = [...range.getClientRects()].some(
              (rect) => rect.top < bottom - 1 && rect.bottom > bottom + 1,
            );
            if (isCut) cut.push(walker.currentNode.nodeValue ?? '');
          }
          return cut;
        }),
    );
  for (const width of [1440, 1000, 390]) {
    await page.setViewportSize({ width, height: 1600 });
    await expect.poll(sliced, `at ${width} px`).toEqual([[], [], []]);
  }
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
