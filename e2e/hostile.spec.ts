/**
 * Hostile transcripts in a real browser under the pages' own policy. Nothing in them may run, contact another host, open
 * a window, show a dialog, break the page or write to its console.
 */
import type { Page } from '@playwright/test';
import { handOver, untilRead } from './support/hand-over';
import { HTML, hostileCorpus } from './support/hostile-corpus';
import { badge, open } from './support/screen';
import { expect, test } from './support/test';

/** Records breaches that the guard does not see: scripts that ran, dialogs, windows, files, other pages. */
async function watchBreaches(page: Page, origin: string): Promise<string[]> {
  const breaches: string[] = [];
  const context = page.context();
  await context.exposeFunction('breach', (how: unknown) => void breaches.push(`script ran: ${String(how)}`));
  page.on('dialog', (dialog) => {
    breaches.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('page', (other) => breaches.push(`window: ${other.url()}`));
  page.on('download', (download) => breaches.push(`file: ${download.suggestedFilename()}`));
  page.on('framenavigated', (frame) => {
    const url = frame.url();
    if (frame.parentFrame() !== null) breaches.push(`frame: ${url}`);
    else if (!url.startsWith(`${origin}/`)) breaches.push(`other page: ${url}`);
  });
  return breaches;
}

/** Unfolds everything on screen. */
async function unfoldAll(page: Page): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    const pressed = await page.evaluate(() => {
      const folds = [
        ...document.querySelectorAll<HTMLElement>('.conversation-row button[aria-expanded="false"]'),
        ...document.querySelectorAll<HTMLElement>(
          '.conversation-row .part > .button, .conversation-row p > .button',
        ),
      ];
      for (const fold of folds) fold.click();
      return folds.length;
    });
    if (pressed === 0) return;
  }
}

/** Scrolls from start to end with everything unfolded. */
async function readThrough(page: Page): Promise<void> {
  let last = -1;
  for (let step = 0; step < 60; step += 1) {
    await unfoldAll(page);
    const at = await page.evaluate(() => {
      window.scrollBy(0, window.innerHeight * 0.8);
      return new Promise<number>((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(window.scrollY))),
      );
    });
    if (at === last) return;
    last = at;
  }
}

/** Expects only text and embedded pictures of a transcript, and no breach. */
async function expectHarmless(page: Page, within: string, breaches: readonly string[]): Promise<void> {
  const found = await page.evaluate((inside) => {
    const all = (names: string) =>
      [...document.querySelectorAll(inside)].flatMap((part) => [...part.querySelectorAll(names)]);
    return {
      polluted: Object.hasOwn(Object.prototype, 'breached'),
      foreign: all('script, iframe, object, embed, style, link, form, base, meta').map(({ outerHTML }) =>
        outerHTML.slice(0, 100),
      ),
      images: all('img').map((image) => (image as HTMLImageElement).src.slice(0, 40)),
      links: all('a[href]')
        .map((link) => ({ href: (link as HTMLAnchorElement).href, rel: (link as HTMLAnchorElement).rel }))
        .filter(({ href }) => !href.startsWith(location.origin)),
      handlers: all('*').flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith('on')),
      ),
      wide: document.documentElement.scrollWidth - window.innerWidth,
    };
  }, within);
  expect(found.polluted).toBe(false);
  expect(found.foreign).toEqual([]);
  expect(found.handlers).toEqual([]);
  expect(found.images.filter((src) => !/^data:image\/(png|jpeg|gif);/.test(src))).toEqual([]);
  for (const { href, rel } of found.links) {
    expect(href).toMatch(/^https?:\/\//);
    expect(rel).toContain('noreferrer');
    expect(rel).toContain('noopener');
  }
  expect(found.wide).toBeLessThanOrEqual(0);
  expect(breaches, 'nothing was breached').toEqual([]);
}

const CORPUS = hostileCorpus();
const HOSTILE = 'hostile <b>files</b>';

test.describe('A hostile transcript', () => {
  const ids = new Map<string, string>();
  // A tall window needs fewer steps.
  test.use({ viewport: { width: 1_280, height: 2_400 } });
  test.beforeAll(async ({ server }) => {
    await Promise.all(
      CORPUS.map(async ({ what, fileName, bytes }, index) => {
        const { id } = await handOver(server, bytes, {
          project: HOSTILE,
          session: `${index}/<script>breach(1)</script>`,
          fileName,
          path: `/tmp/../${fileName}`,
          host: '<img src=x onerror=breach(1)>',
        });
        ids.set(what, id);
      }),
    );
    await Promise.all([...ids.values()].map((id) => untilRead(server, id)));
  });

  test('is harmless in the list, with any name of file and session', async ({ page, server }) => {
    const breaches = await watchBreaches(page, server.url);
    await open(page, `${server.url}/transcripts?${new URLSearchParams({ project: HOSTILE, q: 'breach' })}`);
    const rows = page.getByRole('table', { name: 'Transcripts' }).locator('[data-row]');
    await expect(rows.first()).toContainText('<script>breach(1)</script>');
    await page.getByRole('searchbox', { name: 'Search in transcripts' }).fill('');
    await expect(rows).toHaveCount(CORPUS.length);
    await expectHarmless(page, '.sheets', breaches);
  });

  for (const { what, seen } of CORPUS) {
    test(`is harmless with ${what}`, async ({ page, server }) => {
      const breaches = await watchBreaches(page, server.url);
      await open(page, `${server.url}/transcripts/${ids.get(what)}?q=breach`);
      await expect(page.locator('.conversation-row').first()).toBeVisible();
      if (seen !== '') await expect(page.locator('.conversation-body')).toContainText(seen);
      await readThrough(page);
      await expectHarmless(page, '.conversation', breaches);
      await page.getByRole('button', { name: 'Raw', exact: true }).click();
      await expect(page.getByRole('list', { name: 'Lines of the file' })).toBeVisible();
      await page.evaluate(() => window.scrollTo(0, 0));
      await expect(page.locator('.conversation-row').first()).toBeVisible();
      await readThrough(page);
      await expect(badge(page)).toHaveText('live');
      await expectHarmless(page, '.conversation', breaches);
    });
  }
});

const ATTACKS = HTML.split('\n');

/** Each session has another attack in every field that a runner or a person can write. */
test.describe('Hostile fields', () => {
  test('are harmless on every page', async ({ page, server }) => {
    const breaches = await watchBreaches(page, server.url);
    const { ingestToken: token } = server.connection;
    const admin = { origin: server.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const ask = (path: string, body: object, headers: object) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { ...admin, ...headers },
        body: JSON.stringify(body),
      });
    const ids: string[] = [];
    const text = (index: number) => ATTACKS[index % ATTACKS.length] ?? '';
    for (const [index, html] of ATTACKS.entries()) {
      const key = html.slice(0, 400);
      const item = (seq: number, type: string, fields: object) => ({
        type,
        seq,
        session: key,
        at: Date.now() - 60_000 + seq * 1_000,
        ...fields,
      });
      const usage = { input: 9_000, output: 900 };
      const hello = {
        type: 'hello',
        v: 1,
        project: `fields ${text(index)}`,
        runner: { name: text(index + 1), host: text(index + 2), version: text(index + 3) },
        stream: crypto.randomUUID(),
        now: Date.now(),
      };
      const items = [
        item(1, 'session_start', {
          title: html,
          client: text(index + 4).slice(0, 100),
          clientVersion: text(index + 5),
          model: text(index + 6),
          host: text(index + 7),
          folder: text(index + 8),
          branch: text(index + 9),
          limit: 10_000,
          lens: 'snapshot',
        }),
        item(2, 'turn', { usage, call: text(index + 1), model: text(index + 2), contextTokens: 9_900 }),
        item(3, 'turn', { usage, chain: text(index + 3), contextTokens: 9_000 }),
        item(4, 'compaction', { trigger: 'auto', state: 'failed', reason: text(index + 4) }),
        item(5, 'restart', {
          continuation: 1,
          reason: text(index + 5),
          checkpoint: html,
          prompt: html,
        }),
        item(6, 'archive', { state: 'failed', trigger: 'auto', reason: text(index + 6), path: html }),
        item(7, 'gap', { from: 1, to: 1, count: 1, reason: text(index + 7) }),
        item(8, 'turn', {
          usage,
          contextTokens: 9_500,
          composition: { roles: [{ role: text(index), messages: 1, tokens: 1 }], suggestions: [] },
        }),
        item(9, 'session_end', { reason: text(index + 8) }),
      ];
      const answer = await ask('/v1/ingest', [hello, ...items], { authorization: `Bearer ${token}` });
      expect(await answer.json()).toMatchObject({ refused: [] });
    }
    const listed = await fetch(`${server.url}/api/v1/sessions?q=fields&limit=500`, { headers: admin });
    for (const { id, project } of (await listed.json()).sessions as { id: string; project: string }[]) {
      if (!project.startsWith('fields ')) continue;
      ids.push(id);
      const note = {
        at: new Date().toISOString(),
        text: text(ids.length),
        author: text(ids.length + 1).slice(0, 80),
      };
      expect((await ask(`/api/v1/sessions/${id}/notes`, note, {})).status).toBe(201);
    }
    expect(ids).toHaveLength(ATTACKS.length);
    const paths = [
      '/',
      '/history',
      '/events',
      '/alerts',
      '/transcripts',
      '/settings',
      ...ids.map((id) => `/sessions/${id}`),
    ];
    for (const path of [...paths, `/compare?ids=${ids.slice(0, 3).join()}`]) {
      await open(page, server.url + path);
      const planted = await page.evaluate(() => ({
        polluted: Object.hasOwn(Object.prototype, 'breached'),
        elements: [
          ...document.querySelectorAll(
            'main iframe, main object, main embed, main base, main meta, main script',
          ),
        ].length,
        handlers: [...document.querySelectorAll('main *')].filter((each) =>
          each.getAttributeNames().some((name) => name.startsWith('on')),
        ).length,
        foreign: [...document.querySelectorAll<HTMLAnchorElement & HTMLImageElement>('[href], [src]')].filter(
          ({ href, src }) => /^(javascript:|\w+:\/\/elsewhere)/i.test(href || src),
        ).length,
      }));
      expect([path, planted]).toEqual([path, { polluted: false, elements: 0, handlers: 0, foreign: 0 }]);
      expect(breaches, path).toEqual([]);
    }
  });
});

test.describe('The guard of these tests', () => {
  test('reports every kind of breach', async ({ page, server, guard }) => {
    const breaches = await watchBreaches(page, server.url);
    await page.goto(`${server.url}/transcripts`);
    await page.evaluate(async () => {
      const call = (window as unknown as { breach: (how: string) => Promise<void> }).breach;
      await call('here');
      alert('look');
      console.error('a word on the console');
      const frame = document.createElement('iframe');
      frame.src = 'http://elsewhere.invalid/frame';
      document.body.append(frame);
      const picture = document.createElement('img');
      picture.src = 'http://elsewhere.invalid/x.png';
      document.body.append(picture);
      const script = document.createElement('script');
      script.textContent = 'breach("inline")';
      document.body.append(script);
      window.open('about:blank');
    });
    await expect
      .poll(() => breaches.join('\n'))
      .toMatch(/script ran: here[\s\S]*dialog: look[\s\S]*window: about:blank/);
    await expect
      .poll(() => guard.problems.join('\n'))
      .toMatch(/(?=[\s\S]*a word on the console)(?=[\s\S]*img-src)(?=[\s\S]*script-src)/);
    expect(breaches.join('\n')).not.toContain('inline');
    // The test caused these problems.
    guard.problems.length = 0;
    guard.rest();
  });
});
