/** The panels below the barogram, traces on demand, and exports. */
import { readFileSync } from 'node:fs';
import type { Download, Page } from '@playwright/test';
import { expectAccessible } from './support/expect-accessible';
import { plain, sheet, words } from './support/screen';
import { expect, type Reported, test } from './support/test';

const HOSTILE = '</text><script>alert("1")</script> & \'quoted\' ]]>';

/** A session with two contexts, a sub-agent and a hostile title. */
function sendTurns(session: Reported): void {
  const turn = (contextTokens: number, cacheCreation: number) => {
    const usage = { input: 100, output: 700, cacheCreation, cacheRead: contextTokens - 800 - cacheCreation };
    session.turn({ contextTokens, usage });
  };
  for (const tokens of [60_000, 110_000, 150_000]) turn(tokens, 2_000);
  for (const contextTokens of [9_000, 14_000]) {
    const usage = { input: 5, output: 300, cacheRead: contextTokens - 305 };
    session.turn({ chain: 'helper', contextTokens, usage });
  }
  session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 161_000, durationMs: 61_000 });
  turn(41_000, 30_000);
}

const panel = (page: Page, id: string) => sheet(page).locator(`[data-panel="${id}"]`);
const read = async (download: Download) => readFileSync(await download.path());
const save = async (page: Page, format: 'SVG' | 'PNG') => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Save the sheet as ${format}` }).press('Enter'),
  ]);
  return download;
};

test.describe('The sheet of a session', () => {
  test.beforeEach(({ report }) =>
    sendTurns(report('sheet', { title: HOSTILE, client: 'claude-code', model: 'claude-opus-4-5' })),
  );

  test('has cache and tokens below the chart, on the chart’s axis', async ({ page, show }) => {
    await show('sheet');
    await expect(panel(page, 'cache')).toContainText('telemetry only, not in pressure');
    await expect(panel(page, 'cache')).toContainText('cache writes');
    await expect
      .poll(() => words(panel(page, 'cache')))
      .toContain('cache reads 322 k cache writes 36 k, below');
    await expect(panel(page, 'tokens')).toHaveCount(0);
    await page.getByRole('button', { name: 'Input, output' }).click();
    await expect(panel(page, 'tokens')).toContainText('output');

    // The crosshair has the same position in each panel.
    await page.getByRole('slider', { name: 'Turn under the crosshair' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const hair = sheet(page).locator(
      'path[stroke="var(--ink)"][stroke-width="0.75"]:not([stroke-dasharray])',
    );
    await expect(
      sheet(page)
        .locator('text')
        .filter({ hasText: /so far$/ }),
    ).toHaveCount(2);
    const places = await hair.evaluateAll((lines) =>
      lines.map((line) => line.getAttribute('d')?.split(' ')[0]),
    );
    expect(places.length).toBeGreaterThanOrEqual(3);
    expect(new Set(places.slice(-3)).size).toBe(1);
  });

  test('adds input, output and sub-agents to the trace on demand, in the address', async ({ page, show }) => {
    await show('sheet');
    const traces = sheet(page).locator('path[data-trace]');
    await expect(traces).toHaveCount(0);
    await page.getByRole('button', { name: 'Input, output' }).click();
    await expect(sheet(page).locator('path[data-trace="input"]')).toHaveCount(1);
    await expect(sheet(page).locator('text').filter({ hasText: 'output so far' })).toBeVisible();
    await page.getByRole('button', { name: 'Sub-agents' }).click();
    await expect(sheet(page).locator('path[data-trace="helper"]')).toHaveCount(1);
    await expect(page).toHaveURL(/sums=yes/);
    await expect(page).toHaveURL(/agents=yes/);

    await page.reload();
    await expect(sheet(page).locator('path[data-trace]')).toHaveCount(3);
    await expectAccessible(page, 'light');
    await page.getByRole('button', { name: 'Sub-agents' }).click();
    await expect(page).not.toHaveURL(/agents=/);
    await expect(sheet(page).locator('path[data-trace="helper"]')).toHaveCount(0);
  });

  test('is exported as SVG with its title as text, and as PNG of twice its size', async ({ page, show }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    // The x axis shows turns, because all turns have the same time.
    await show('sheet', '?axis=turns');
    await expect(page.locator('#sheet-drawing svg').first()).toBeVisible();
    const drawing = await save(page, 'SVG');
    expect(drawing.suggestedFilename()).toMatch(
      /^barograph-text-script-alert-1-[a-z-]*\d{4}-\d\d-\d\d\.svg$/,
    );
    const svg = (await read(drawing)).toString('utf8');
    // A page without the fonts, and without a policy that forbids the styles of the file.
    const blank = await page.context().newPage();
    const parsed = await blank.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, 'image/svg+xml');
      const root = document.documentElement;
      return {
        broken: document.querySelector('parsererror')?.textContent ?? null,
        title: document.querySelector('title')?.textContent,
        words: [...document.querySelectorAll('text')].map((each) => each.textContent),
        strange: [...document.querySelectorAll('*')]
          .filter(
            (each) =>
              !/^(svg|title|desc|g|defs|rect|path|line|text|tspan|clipPath|style)$/.test(each.localName),
          )
          .map((each) => each.localName),
        unsafe: [...document.querySelectorAll('*')].flatMap((each) =>
          each.getAttributeNames().filter((name) => /^(class|style|href|on.*)$/.test(name)),
        ),
        styles: [...document.querySelectorAll('style')].map((each) => each.textContent ?? ''),
        width: Number(root.getAttribute('width')),
        height: Number(root.getAttribute('height')),
        paper: document.querySelector('svg > rect')?.getAttribute('fill'),
      };
    }, svg);
    expect(parsed).toMatchObject({
      broken: null,
      title: HOSTILE,
      strange: [],
      unsafe: [],
      paper: 'rgb(250, 248, 243)',
    });
    expect(parsed.words).toContain(HOSTILE);
    expect(plain(parsed.words.join('\n'))).toContain('161 k → 41 k');
    expect(plain(parsed.words.join('\n'))).toContain('limit 200 000 tokens, set for this session');

    // The fonts are in the file: both families load in a page without them.
    expect(parsed.styles).toHaveLength(1);
    expect(parsed.styles[0]).toMatch(
      /^(@font-face\{[^{}]*src:\s*url\("data:font\/woff2;base64,[\w+/=]+"\)\}){2}$/,
    );
    await blank.setContent(svg);
    const loaded = await blank.evaluate(async () => {
      await document.fonts.ready;
      return [...document.fonts].map(({ family, status }) => `${family} ${status}`).sort();
    });
    expect(loaded).toEqual([
      expect.stringMatching(/Mono"? loaded$/),
      expect.stringMatching(/Sans"? loaded$/),
    ]);
    await blank.close();

    const picture = await read(await save(page, 'PNG'));
    expect(picture.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([
      parsed.width * 2,
      parsed.height * 2,
    ]);
  });
});
