/**
 * What the five systems report, on the session page: the tracker's make-up as advice, each restart with its texts,
 * a compaction with the archive that the hook made, and every other event with sign, words and sentence.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { runWithRestarts } from '@/runner/src/restart';
import { ContextTracker } from '@/runner/src/tracker';
import { expectAccessible, THEMES } from './support/expect-accessible';
import { runLine } from './support/program';
import { projectFolder } from './support/project-folder';
import { badge, eventList, open, plain, pressure, sheet } from './support/screen';
import { expect, test } from './support/test';
import { Transcript } from './support/transcript';

const advice = (page: Page) => page.getByRole('region', { name: 'Advice' });
const opened = (page: Page) => page.getByRole('region', { name: 'Opened event' });
const words = async (place: Locator) => plain(await place.innerText());

/** Opens the newest event of that name in the list. */
async function openEvent(page: Page, name: string | RegExp): Promise<Locator> {
  await eventList(page).getByRole('button').filter({ hasText: name }).first().click();
  return opened(page);
}

/** An agent that spends a fifth of a window of 10 000 tokens with each turn, and goes on until it was restarted once. */
function fillingAgent(checkpoint: string) {
  return {
    async *start(_prompt: string, { continuation }: { continuation: number }) {
      const turns = continuation === 0 ? 9 : 2;
      for (let turn = 1; turn <= turns; turn += 1) {
        const usage = { input_tokens: 1_500, output_tokens: 500, cache_read_input_tokens: 90_000 };
        yield { type: 'result', session_id: `agent-${continuation}`, text: `step ${turn}`, usage };
      }
    },
    query: async () => `<checkpoint>\n${checkpoint}\n</checkpoint>`,
  };
}

test.describe('What the five systems report', () => {
  test('is advice on what the context is made of, as the tracker counts it, while one looks', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    const key = `${project}/tracked`;
    const session = runner.session(key, { title: `Tracked ${project}`, lens: 'snapshot' });
    session.turn({ contextTokens: 100, limit: 10_000, usage: { input: 90, output: 10 } });
    await runner.flush();
    const { id } = await api.session(key);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('1.0%');
    await expect(advice(page)).toHaveCount(0);

    const tracker = new ContextTracker<{ role: string; content: string }>({ maxTokens: 10_000, session });
    const say = (role: string, tokens: number) => tracker.addMessage({ role, content: role }, { tokens });
    say('system', 500);
    for (let message = 0; message < 12; message += 1) {
      say('user', 100);
      say('assistant', 400);
    }
    tracker.reportTurn({ usage: { input: 6_000, output: 400 } });
    await expect(advice(page)).toBeVisible();
    await expect(pressure(page)).toContainText('65%');
    const table = advice(page).getByRole('table', { name: 'Tokens by role' });
    await expect
      .poll(async () => (await table.getByRole('row').allInnerTexts()).map((row) => plain(row).split('\t')))
      .toEqual([
        ['role', 'messages', 'tokens', 'share'],
        ['system', '1', '500', '7.7 %'],
        ['user', '12', '1 200', '18 %'],
        ['assistant', '12', '4 800', '73 %'],
        ['in all', '25', '6 500', ''],
      ]);
    const suggestions = advice(page).getByRole('listitem');
    await expect(suggestions).toHaveCount(2);
    expect((await words(suggestions.first())).replaceAll('\n', ' ')).toBe(
      'Remove the 7 oldest user messages: saves 700 tokens, 10 % of it. low impact',
    );
    expect((await words(suggestions.last())).replaceAll('\n', ' ')).toBe(
      'Summarise 12 assistant messages: saves 2 400 tokens, 36 % of it. medium impact',
    );
    await expect
      .poll(() => words(advice(page)))
      .toContain('Would remove 6 messages of 1 500 tokens, the oldest first, and leave 5 000.');
    expect(await api.session(key)).toMatchObject({ used: 6_500, limit: 10_000 });

    // What was advised is done: the advice is a record until the next turn.
    tracker.compressToThreshold(50);
    await expect(advice(page)).toContainText('Messages were taken out since');
    await expect(suggestions).toHaveCount(0);
    const compressed = await openEvent(page, 'compressed');
    await expect.poll(() => words(compressed)).toContain('6 messages');
    await expect.poll(() => words(compressed)).toContain('1 500 tokens');
    await expect(sheet(page).locator('svg text').filter({ hasText: 'compressed' })).toBeVisible();

    say('user', 100);
    tracker.reportTurn({ usage: { input: 100, output: 0 } });
    await expect.poll(() => words(table)).toContain('5 100');
    await expect(suggestions).not.toHaveCount(0);

    tracker.clear();
    await expect(advice(page)).toContainText('This context has ended');
    const cleared = await openEvent(page, 'cleared');
    await expect.poll(() => words(cleared)).toContain('5 100 tokens');
    say('user', 50);
    tracker.reportTurn({ usage: { input: 50, output: 0 } });
    await expect.poll(() => words(advice(page))).toContain('Would remove nothing: 50 tokens');
    await expect(advice(page)).toContainText('context 1 after turn 4');
  });

  test('is each restart with its checkpoint and its prompt, as plain text that can be folded and copied', async ({
    page,
    context,
    server,
    runner,
    project,
    api,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = `${project}/restarts`;
    const session = runner.session(key, { title: `Restarts ${project}`, limit: 10_000 });
    const hostile = '<img src="x" onerror="document.title = 1"><script>document.title = 2</script>';
    const steps = Array.from({ length: 30 }, (_, step) => `- step ${step + 1} is done`).join('\n');
    const checkpoint = `## Goal\nReach the harbour. ${hostile}\n## Completed Work\n${steps}`;
    const result = await runWithRestarts({
      agent: fillingAgent(checkpoint),
      prompt: 'Reach the harbour.',
      limit: 10_000,
      session,
    });
    expect(result).toMatchObject({ outcome: 'finished', continuations: 1 });
    await runner.flush();
    const { id } = await api.session(key);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(opened(page).getByRole('heading', { name: 'Restart 1' })).toBeVisible();

    const texts = opened(page).locator('pre');
    await expect(texts).toHaveCount(2);
    // The list shows how they begin; opened, they are read in full.
    await expect.poll(() => texts.first().textContent()).toBe(checkpoint);
    await expect(opened(page).getByText('The rest is being read.')).toHaveCount(0);
    const prompt = (await texts.last().textContent()) ?? '';
    expect(prompt).toContain('- step 30 is done');
    expect(prompt.length).toBeGreaterThan(checkpoint.length);
    expect(await opened(page).locator('img, script').count()).toBe(0);

    const isFolded = () => texts.first().evaluate((text) => text.scrollHeight > text.clientHeight + 1);
    expect(await isFolded()).toBe(true);
    const unfold = opened(page).getByRole('button', { name: 'Show all of the checkpoint' });
    await expect(unfold).toHaveAttribute('aria-expanded', 'false');
    await unfold.click();
    await expect.poll(isFolded).toBe(false);
    await opened(page).getByRole('button', { name: 'Fold of the checkpoint' }).click();
    await expect.poll(isFolded).toBe(true);

    const copy = opened(page).getByRole('button', { name: 'Copy the continuation prompt' });
    await copy.click();
    await expect(copy.getByRole('status')).toHaveText('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(prompt);
    await expect(page).toHaveTitle(`Restarts ${project} · Barograph`);

    const [restart] = (await api.events(id)).filter(({ kind }) => kind === 'restart');
    expect(restart).toMatchObject({ cut: { checkpoint: checkpoint.length, prompt: prompt.length } });
    const { event } = await api.event(restart?.id ?? '');
    expect(event.detail).toMatchObject({ continuation: 1, checkpoint, prompt, usedBefore: 10_000 });
  });

  test('is figures alone where a runner’s content is switched off', async ({
    page,
    server,
    connect,
    project,
    api,
  }) => {
    const key = `${project}/private`;
    const runner = connect(server, { content: false });
    const session = runner.session(key, { title: 'A secret plan', limit: 10_000 });
    const agent = fillingAgent('## Goal\nNobody is to know.');
    await runWithRestarts({ agent, prompt: 'Nobody is to know.', limit: 10_000, session });
    const tracker = new ContextTracker<{ role: string; content: string }>({ maxTokens: 10_000, session });
    tracker.addMessage({ role: 'user', content: 'Nobody is to know.' }, { tokens: 900 });
    tracker.reportTurn({ usage: { input: 100, output: 0 } });
    await runner.flush();
    const { id, title } = await api.session(key);
    expect(title).toBeNull();
    const all = JSON.stringify([await api.events(id), await api.turns(id)]);
    expect(all).not.toMatch(/Nobody|secret/);

    await open(page, `${server.url}/sessions/${id}`);
    await expect(opened(page).getByRole('heading', { name: 'Restart 1' })).toBeVisible();
    await expect(opened(page)).toContainText('No checkpoint text was sent.');
    await expect(opened(page).locator('pre')).toHaveCount(0);
    await expect.poll(() => words(opened(page))).toContain('10 000 tokens');
    // Counts by role are no content.
    await expect.poll(() => words(advice(page))).toContain('900');
  });

  test('is a compaction with the archive that the hook made of its transcript', async ({
    page,
    context,
    server,
    api,
    home,
    project,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const command = join(projectFolder, 'node_modules', '.bin', 'barograph');
    const environment = {
      ...server.environment,
      BAROGRAPH_CONFIG_DIR: join(home, 'config'),
      BAROGRAPH_PROJECT: project,
    };
    const barograph = (line: string) =>
      runLine(`'${process.execPath}' '${command}' ${line}`, { home, environment });
    const transcript = new Transcript(home, '/srv/pier');
    const payload = join(home, 'payload.json');
    const compactManually = (sessionId: string, path: string) => {
      const input = {
        session_id: sessionId,
        transcript_path: path,
        cwd: '/srv/pier',
        hook_event_name: 'PreCompact',
        trigger: 'manual',
      };
      writeFileSync(payload, JSON.stringify(input));
      return barograph(`hook < '${payload}'`);
    };
    const watch = barograph('watch');
    try {
      await watch.waitFor('Watching');
      transcript.user('Compact with a hook');
      transcript.call({ id: 'msg_1', input: 10, output: 990, cacheCreation: 4_000, cacheRead: 145_000 });
      await expect
        .poll(async () => (await api.sessions({ q: transcript.key })).map(({ used }) => used))
        .toEqual([150_000]);
      const { id } = await api.session(transcript.key);
      await open(page, `${server.url}/sessions/${id}`);

      const sessionId = transcript.key.split('/').at(-1) ?? '';
      const hook = compactManually(sessionId, transcript.path);
      expect(await hook.ended).toEqual({ code: 0, signal: null });
      expect(hook.stdout.trim()).toBe('{}');
      const archived = await openEvent(page, 'archive stored');
      await expect(archived.getByRole('button', { name: 'Compaction' })).toBeVisible();
      await expect(archived).toContainText('_transcript.jsonl');
      await expect(eventList(page)).toContainText('announced, not confirmed yet');
      await expect(sheet(page).locator('svg text').filter({ hasText: 'compaction announced' })).toBeVisible();

      transcript.compaction('manual', 152_000);
      await expect(pressure(page)).toContainText('since the compaction');
      await archived.getByRole('button', { name: 'Compaction 1' }).click();
      await expect(opened(page).getByRole('heading', { name: 'Compaction 1' })).toBeVisible();
      const copy = opened(page).getByRole('button', { name: 'Copy the path of the archive' });
      await copy.click();
      await expect(copy.getByRole('status')).toHaveText('Copied');
      const path = await page.evaluate(() => navigator.clipboard.readText());
      expect(readFileSync(path, 'utf8')).toContain('Compact with a hook');
      const [compaction] = (await api.events(id)).filter(({ kind }) => kind === 'compaction');
      expect(compaction?.detail).toMatchObject({
        trigger: 'manual',
        state: 'confirmed',
        archive: { state: 'stored', path },
      });
    } finally {
      await watch.stop();
    }
  });

  for (const colorScheme of THEMES) {
    test.describe(`in the ${colorScheme} theme`, () => {
      test.use({ colorScheme });

      test('is every event with its words, and no finding of axe', async ({
        page,
        server,
        runner,
        project,
        api,
      }) => {
        const key = `${project}/all`;
        const session = runner.session(key, { title: `All ${project}`, lens: 'cumulative', limit: 10_000 });
        const turn = (input: number) => session.turn({ usage: { input, output: 0 } });
        for (const input of [5_000, 2_600, 1_500, 1_200]) turn(input);
        session.restart({ reason: 'full', checkpoint: 'Goal: go on.\n'.repeat(40), prompt: 'Go on.' });
        session.turn({ usage: null });
        session.compaction({ trigger: 'auto', state: 'blocked', preTokens: 900 });
        session.archive({ state: 'failed', trigger: 'auto', reason: 'no space left on device' });
        session.clear({ tokensCleared: 1_000 });
        turn(1_000);
        session.gap({ from: 120, to: 131, count: 12, reason: 'queue full' });
        turn(500);
        session.compaction({ trigger: 'auto', state: 'failed' });
        session.archive({ state: 'skipped', trigger: 'auto', reason: 'the transcript is not there' });
        session.compress({ before: 1_500, after: 900, removed: 14 });
        session.turn({
          usage: { input: 10, output: 0 },
          composition: {
            roles: [{ role: 'user', messages: 3, tokens: 900 }],
            suggestions: [
              { kind: 'remove_old_user_messages', messages: 1, tokensSaved: 300, impact: 'high' },
            ],
            compression: { targetPercent: 50, messagesRemoved: 1, tokensRemoved: 300, tokensLeft: 600 },
          },
        });
        session.end({ reason: 'done' });
        await runner.flush();
        const { id } = await api.session(key);
        await open(page, `${server.url}/sessions/${id}`);
        await expect(badge(page)).toHaveText('live');
        await expect(sheet(page).locator('svg').first()).toBeVisible();

        const told: [row: string | RegExp, title: string, ...sentence: string[]][] = [
          ['session started', 'Session started', 'startup'],
          ['warning → critical', 'Warning → critical', 'from', 'warning', 'to', 'critical'],
          ['restart line', 'Restart line', '91 %'],
          ['limit passed', 'Limit passed', '10 300 tokens', '10 000 tokens'],
          ['continuation 1', 'Restart 1', 'full', '10 300 tokens'],
          ['tracking lost', 'Tracking lost', 'turn 5 came without usage'],
          ['blocked before it began', 'Compaction', 'A hook refused it', 'no space left on device'],
          ['archive failed', 'Archive failed', 'no space left on device', 'could not be copied'],
          ['1 000 cleared', 'Cleared', '1 000 tokens'],
          ['tracking back', 'Tracking back', 'turn 6 has usage again'],
          ['12 never arrived', 'Turns lost', '12 turns', '120–131', 'queue full'],
          ['failed, the context stands', 'Compaction', 'The client gave it up', 'skipped'],
          ['archive skipped', 'Archive skipped', 'the transcript is not there', 'Nothing was copied'],
          ['compressed', 'Compressed', '14 messages', '600 tokens'],
          ['session ended', 'Session ended', 'done'],
        ];
        for (const [row, title, ...sentence] of told) {
          const pattern = typeof row === 'string' ? new RegExp(row.replaceAll(' ', '[\\s\\u202f]')) : row;
          const event = await openEvent(page, pattern);
          await expect(event.getByRole('heading', { level: 2 })).toHaveText(title);
          for (const part of sentence) await expect.poll(() => words(event), title).toContain(part);
        }
        const signs = await eventList(page).getByRole('button').locator('svg').count();
        expect(signs).toBe(await eventList(page).getByRole('button').count());

        const seen = new Set((await api.events(id)).map(({ kind }) => kind));
        expect([...seen].sort()).toEqual([
          'approaching_redline',
          'archive_failed',
          'archive_skipped',
          'compaction',
          'context_cleared',
          'context_compressed',
          'redlined',
          'restart',
          'session_ended',
          'session_started',
          'state_changed',
          'tracking_disabled',
          'tracking_enabled',
          'turns_dropped',
        ]);
        for (const event of ['continuation 1', 'archive failed', 'state']) {
          await openEvent(page, event);
          await expectAccessible(page, colorScheme);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(
          true,
        );
      });
    });
  }
});
