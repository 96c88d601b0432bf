/** Library reports on the session page: the tracker's composition as advice, and restarts with their texts. */
import type { Page } from '@playwright/test';
import { runWithRestarts } from '@/runner/src/restart';
import { ContextTracker } from '@/runner/src/tracker';
import { copyCommand } from './support/clipboard';
import { openEvent, openedEvent, plain, pressure, sheet, words } from './support/screen';
import { expect, test } from './support/test';

const advice = (page: Page) => page.getByRole('region', { name: 'Advice' });

/** An agent that uses 2 000 tokens per turn, until one restart. */
function fillingAgent(checkpoint: string) {
  return {
    async *start(_prompt: string, { continuation }: { continuation: number }) {
      const turns = continuation === 0 ? 9 : 2;
      for (let turn = 1; turn <= turns; turn += 1) {
        const usage = { input_tokens: 1_500, output_tokens: 500, cache_read_input_tokens: 90_000 };
        yield {
          type: 'result',
          session_id: `agent-${continuation}`,
          text: `step ${turn}`,
          usage,
          goesOn: true,
        };
      }
    },
    query: async () => `<checkpoint>\n${checkpoint}\n</checkpoint>`,
  };
}

test.describe('Reports of the five systems', () => {
  test('show live advice on the composition of a context', async ({ page, report, api, show }) => {
    const session = report('tracked', { limit: 10_000 });
    session.turn({ contextTokens: 100, usage: { inputTokens: 90, outputTokens: 10 } });
    await show('tracked');
    await expect(pressure(page)).toContainText('1.0%');
    await expect(advice(page)).toHaveCount(0);

    const tracker = new ContextTracker<{ role: string; content: string }>({ limit: 10_000, session });
    const say = (role: string, tokens: number) => tracker.addMessage({ role, content: role }, { tokens });
    say('system', 500);
    for (let message = 0; message < 12; message += 1) {
      say('user', 100);
      say('assistant', 400);
    }
    tracker.reportTurn({ usage: { inputTokens: 6_000, outputTokens: 400 } });
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
        ['total', '25', '6 500', ''],
      ]);
    const suggestions = advice(page).getByRole('listitem');
    await expect(suggestions).toHaveCount(2);
    expect(await words(suggestions.first())).toBe(
      'Remove the 7 oldest user messages: saves 700 tokens, 10 % of the context. low impact',
    );
    expect(await words(suggestions.last())).toBe(
      'Summarise 12 assistant messages: saves 2 400 tokens, 36 % of the context. medium impact',
    );
    await expect
      .poll(() => words(advice(page)))
      .toContain('Would remove 6 messages of 1 500 tokens, the oldest first, and leave 5 000.');
    expect(await api.session(session.key)).toMatchObject({ used: 6_500, limit: 10_000 });

    // After a compression, suggestions return with the next turn.
    tracker.compressTo(0.5);
    await expect(advice(page)).toContainText('Messages were removed since');
    await expect(suggestions).toHaveCount(0);
    const compressed = await openEvent(page, 'compressed');
    await expect.poll(() => words(compressed)).toContain('6 messages');
    await expect.poll(() => words(compressed)).toContain('1 500 tokens');
    await expect(sheet(page).locator('svg text').filter({ hasText: 'compressed' })).toBeVisible();

    say('user', 100);
    tracker.reportTurn({ usage: { inputTokens: 100, outputTokens: 0 } });
    await expect.poll(() => words(table)).toContain('5 100');
    await expect(suggestions).not.toHaveCount(0);

    tracker.clear();
    await expect(advice(page)).toContainText('This context has ended');
    const cleared = await openEvent(page, 'cleared');
    await expect.poll(() => words(cleared)).toContain('5 100 tokens');
    say('user', 50);
    tracker.reportTurn({ usage: { inputTokens: 50, outputTokens: 0 } });
    await expect.poll(() => words(advice(page))).toContain('Would remove nothing: 50 tokens');
    await expect(advice(page)).toContainText('context 1 after turn 4');
  });

  test('show each restart with checkpoint and prompt as plain text', async ({
    page,
    context,
    report,
    api,
    show,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const session = report('restarts', { lens: 'cumulative', limit: 10_000 });
    const hostile = '<img src="x" onerror="document.title = 1"><script>document.title = 2</script>';
    const steps = Array.from({ length: 30 }, (_, step) => `- step ${step + 1} is done`).join('\n');
    const checkpoint = `## Goal\nReach the harbour. ${hostile}\n## Completed Work\n${steps}`;
    const result = await runWithRestarts({
      agent: fillingAgent(checkpoint),
      prompt: 'Reach the harbour.',
      limit: 10_000,
      session,
      endsSession: false,
    });
    expect(result).toMatchObject({ outcome: 'finished', continuations: 1 });
    const id = await show('restarts');
    await expect(openedEvent(page).getByRole('heading', { name: 'Restart 1' })).toBeVisible();

    const texts = openedEvent(page).locator('pre');
    await expect(texts).toHaveCount(2);
    // An opened event shows the full texts.
    await expect.poll(() => texts.first().textContent()).toBe(checkpoint);
    await expect(openedEvent(page).getByText('The rest is being read.')).toHaveCount(0);
    const prompt = (await texts.last().textContent()) ?? '';
    expect(prompt).toContain('- step 30 is done');
    expect(prompt.length).toBeGreaterThan(checkpoint.length);
    expect(await openedEvent(page).locator('img, script').count()).toBe(0);

    expect((await copyCommand(page, 'the continuation prompt')).text).toBe(prompt);
    await expect(page).toHaveTitle('restarts · Barograph');

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
    show,
  }) => {
    const key = `${project}/private`;
    const runner = connect(server, { content: false });
    const session = runner.session(key, { title: 'A secret plan', limit: 10_000 });
    const agent = fillingAgent('## Goal\nA secret text.');
    await runWithRestarts({ agent, prompt: 'A secret text.', limit: 10_000, session, endsSession: false });
    const tracker = new ContextTracker<{ role: string; content: string }>({ limit: 10_000, session });
    tracker.addMessage({ role: 'user', content: 'A secret text.' }, { tokens: 900 });
    tracker.reportTurn({ usage: { inputTokens: 100, outputTokens: 0 } });
    await runner.flush();
    const { id, title } = await api.session(key);
    expect(title).toBeNull();
    const all = JSON.stringify([await api.events(id), await api.turns(id)]);
    expect(all).not.toMatch(/secret/i);

    await show('private');
    await expect(openedEvent(page).getByRole('heading', { name: 'Restart 1' })).toBeVisible();
    await expect(openedEvent(page)).toContainText('No checkpoint text was sent.');
    await expect(openedEvent(page).locator('pre')).toHaveCount(0);
    await expect.poll(() => words(openedEvent(page))).toContain('10 000 tokens');
    // Counts by role are not content.
    await expect.poll(() => words(advice(page))).toContain('900');
  });
});
