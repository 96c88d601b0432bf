import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '@/scripts/lib/project-folder';
import { drawnEnd } from './support/drawing';
import { Program } from './support/program';
import { badge, eventList, fleetPath, open, pressure, row } from './support/screen';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';
import { Transcript } from './support/transcript';

function barograph(server: BarographServer, home: string, ...args: string[]): Program {
  const command = join(projectFolder, 'node_modules', '.bin', 'barograph');
  return new Program(process.execPath, [command, ...args], { home, environment: server.environment });
}

interface Fixture {
  sessions: Record<
    string,
    {
      main: Record<string, number>;
      side: Record<string, number>;
      contexts: Array<Record<string, number | null>>;
      compactions: Array<{ trigger: string; preTokens: number; postTokens: number | null }>;
    }
  >;
}

test.describe('Transcripts of Claude Code', () => {
  test('are imported once as history, with the right numbers', async ({ page, server, api, home }) => {
    const fixture = join(projectFolder, 'core', 'agents', 'claude-code', 'fixtures', 'compactions');
    const projects = join(home, '.claude', 'projects');
    mkdirSync(projects, { recursive: true });
    cpSync(join(fixture, '-home-dev-harbour'), join(projects, '-home-dev-harbour'), { recursive: true });
    const { sessions } = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Fixture;
    const [[name, expected] = ['', undefined]] = Object.entries(sessions);
    const key = name.replace('claude-code:', '');
    await open(page, server.url + fleetPath('harbour'));

    const first = barograph(server, home, 'import', projects);
    expect(await first.ended, first.stderr).toEqual({ code: 0, signal: null });
    expect(first.stdout).toMatch(/Imported 6 calls and 2 compactions of 1 session/);
    const mine = row(page, 'Work for a long time');
    await expect(mine).toBeVisible();
    await expect(mine).toContainText('unknown');

    const session = await api.session(key);
    expect(session).toMatchObject({ backfill: true, project: 'harbour', contextCount: 3, compactions: 2 });
    expect(session.liveness).not.toBe('live');
    expect(session.totals).toMatchObject({ main: expected?.main, side: expected?.side });
    const contexts = (await api.contexts(session.id)).filter(({ chain }) => chain === 'main');
    expect(
      contexts.map(({ totals, peakOccupancy, lastOccupancy }) => ({
        ...totals,
        peak: peakOccupancy,
        last: lastOccupancy,
      })),
    ).toEqual(expected?.contexts);
    const compactions = (await api.events(session.id)).filter((event) => event.kind === 'compaction');
    expect(
      compactions.map(({ detail: { trigger, preTokens, postTokens = null } }) => ({
        trigger,
        preTokens,
        postTokens,
      })),
    ).toEqual(expected?.compactions);

    await mine.getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1, name: 'Work for a long time' })).toBeVisible();
    await expect(eventList(page)).toContainText(/167\s471/);

    const second = barograph(server, home, 'import', projects);
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.stdout).toContain('Nothing new');
    const again = barograph(server, home, 'import', '--again', projects);
    expect(await again.ended).toEqual({ code: 0, signal: null });
    expect(await api.session(key)).toMatchObject({ totals: session.totals, turnCount: session.turnCount });
  });

  test('update the trace live while they grow', async ({ page, server, api, home }) => {
    const watch = barograph(server, home, 'watch');
    try {
      await watch.waitFor('Watching');
      const transcript = new Transcript(home, '/srv/pier');
      const call = (id: string, occupancy: number) =>
        transcript.call({ id, input: 10, output: 990, cacheCreation: 4_000, cacheRead: occupancy - 5_000 });
      transcript.user('Grow while I look');
      call('msg_1', 40_000);
      await open(page, server.url + fleetPath('pier'));
      await row(page, 'Grow while I look').getByRole('link').click();
      await expect(pressure(page)).toContainText('20%');
      await expect(badge(page)).toHaveText('live');
      await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.2, 2);

      call('msg_2', 90_000);
      await expect(pressure(page)).toContainText('45%');
      await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.45, 2);
      call('msg_3', 150_000);
      await expect(pressure(page)).toContainText('75%');
      await expect(page.getByRole('banner').locator('..').getByText('warning').first()).toBeVisible();

      transcript.compaction('auto', 152_000);
      await expect(pressure(page)).toContainText('since the compaction');
      call('msg_4', 30_000);
      await expect(pressure(page)).toContainText('15%');
      await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.15, 2);

      const session = await api.session(transcript.key);
      // Each call has two lines and counts once.
      expect(session.totals.main).toEqual({
        calls: 4,
        input: 40,
        output: 3_960,
        cacheCreation: 16_000,
        cacheRead: 290_000,
      });
      expect(session).toMatchObject({ liveness: 'live', backfill: false, contextCount: 2 });
    } finally {
      await watch.stop();
    }
    expect(watch.stderr).toBe('');
  });
});
