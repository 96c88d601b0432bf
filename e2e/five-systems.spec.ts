/**
 * What the five systems report, on the session page: the tracker's make-up as advice, each restart with its texts,
 * and a compaction with the archive that the hook made.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { runWithRestarts } from '@/runner/src/restart';
import { ContextTracker } from '@/runner/src/tracker';
import { runLine } from './support/program';
import { projectFolder } from './support/project-folder';
import { eventList, open, openEvent, openedEvent, plain, pressure, sheet } from './support/screen';
import { expect, test } from './support/test';
import { Transcript } from './support/transcript';

const advice = (page: Page) => page.getByRole('region', { name: 'Advice' });
const words = async (place: Locator) => plain(await place.innerText());

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

test.describe('Reports of the five systems', () => {
  test('show live advice on the composition of a context', async ({ page, server, runner, project, api }) => {
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

  test('show each restart with checkpoint and prompt as plain text', async ({
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
    await expect(openedEvent(page).getByRole('heading', { name: 'Restart 1' })).toBeVisible();

    const texts = openedEvent(page).locator('pre');
    await expect(texts).toHaveCount(2);
    // The list shows how they begin; opened, they are read in full.
    await expect.poll(() => texts.first().textContent()).toBe(checkpoint);
    await expect(openedEvent(page).getByText('The rest is being read.')).toHaveCount(0);
    const prompt = (await texts.last().textContent()) ?? '';
    expect(prompt).toContain('- step 30 is done');
    expect(prompt.length).toBeGreaterThan(checkpoint.length);
    expect(await openedEvent(page).locator('img, script').count()).toBe(0);

    const copy = openedEvent(page).getByRole('button', { name: 'Copy the continuation prompt' });
    await copy.click();
    await expect(copy.getByRole('status')).toHaveText('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(prompt);
    await expect(page).toHaveTitle(`Restarts ${project} · Barograph`);

    const [restart] = (await api.events(id)).filter(({ kind }) => kind === 'restart');
    expect(restart).toMatchObject({ cut: { checkpoint: checkpoint.length, prompt: prompt.length } });
    const { event } = await api.event(restart?.id ?? '');
    expect(event.detail).toMatchObject({ continuation: 1, checkpoint, prompt, usedBefore: 10_000 });
  });

  test('show only figures if the runner sends no content', async ({
    page,
    server,
    connect,
    project,
    api,
  }) => {
    const key = `${project}/private`;
    const runner = connect(server, { content: false });
    const session = runner.session(key, { title: 'A secret plan', limit: 10_000 });
    const agent = fillingAgent('## Goal\nA secret text.');
    await runWithRestarts({ agent, prompt: 'A secret text.', limit: 10_000, session });
    const tracker = new ContextTracker<{ role: string; content: string }>({ maxTokens: 10_000, session });
    tracker.addMessage({ role: 'user', content: 'A secret text.' }, { tokens: 900 });
    tracker.reportTurn({ usage: { input: 100, output: 0 } });
    await runner.flush();
    const { id, title } = await api.session(key);
    expect(title).toBeNull();
    const all = JSON.stringify([await api.events(id), await api.turns(id)]);
    expect(all).not.toMatch(/secret/i);

    await open(page, `${server.url}/sessions/${id}`);
    await expect(openedEvent(page).getByRole('heading', { name: 'Restart 1' })).toBeVisible();
    await expect(openedEvent(page)).toContainText('No checkpoint text was sent.');
    await expect(openedEvent(page).locator('pre')).toHaveCount(0);
    await expect.poll(() => words(openedEvent(page))).toContain('10 000 tokens');
    // Counts by role are no content.
    await expect.poll(() => words(advice(page))).toContain('900');
  });

  test('show a compaction with the archive of its hook', async ({
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
      await expect(eventList(page)).toContainText('started, not confirmed yet');
      await expect(sheet(page).locator('svg text').filter({ hasText: 'compaction started' })).toBeVisible();

      transcript.compaction('manual', 152_000);
      await expect(pressure(page)).toContainText('since the compaction');
      await archived.getByRole('button', { name: 'Compaction 1' }).click();
      await expect(openedEvent(page).getByRole('heading', { name: 'Compaction 1' })).toBeVisible();
      const copy = openedEvent(page).getByRole('button', { name: 'Copy the path of the archive' });
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
});
