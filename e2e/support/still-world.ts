/** A server with a fixed clock and fixed data, for pictures of the screens. */
import { join } from 'node:path';
import { demoTranscripts } from '@/core/scenario/conversations';
import { findScenario } from '@/core/scenario/find-scenario';
import type { ScenarioStep } from '@/core/scenario/types';
import { setStillTimes } from '@/db/testing/still-times';
import { projectFolder } from '@/scripts/lib/project-folder';
import { changeSettings } from './change-settings';
import { handOver, untilRead } from './hand-over';
import { readApi } from './read-api';
import { connectRunner, type TestRunner } from './runner';
import { BarographServer } from './server';

/** Wednesday 4 March 2026, 14:30:20 UTC. */
export const STILL_NOW = Date.UTC(2026, 2, 4, 14, 30, 20);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function startStillServer(name: string): Promise<BarographServer> {
  return BarographServer.start(name, {
    NODE_OPTIONS: `--import=file://${join(projectFolder, 'e2e', 'support', 'still-clock.mjs')}`,
    STILL_CLOCK_MS: String(STILL_NOW),
  });
}

/** Connect a client with the server's clock, because the server rejects other times. */
export function connectStill(
  server: BarographServer,
  options: Parameters<typeof connectRunner>[1],
): TestRunner {
  const begunAt = performance.now();
  return connectRunner(server, { ...options, now: () => STILL_NOW + (performance.now() - begunAt) });
}

/** @throws Error if the server refused an item */
async function closeAll(client: TestRunner): Promise<void> {
  const { delivered } = await client.close(300_000);
  if (!delivered || client.refused.length > 0) throw new Error('The server refused a part of the scenario.');
}

export interface StillFleet {
  /** Ids of three sessions, one with a forecast, and of a transcript. */
  session: string;
  other: string;
  counting: string;
  transcript: string;
}

/** The demo's fleet with its last hour, a session over its limit, and three archived transcripts. */
export async function feedStillFleet(server: BarographServer): Promise<StillFleet> {
  // Stream by stream, for a fixed order.
  const streams = new Map<string, ScenarioStep[]>();
  for (const step of findScenario('demo-fleet', { minutes: 0 }).items()) {
    const steps = streams.get(step.stream) ?? [];
    streams.set(step.stream, steps);
    steps.push(step);
  }
  for (const steps of streams.values()) {
    const [first] = steps;
    if (first === undefined) continue;
    const { project, runner, source } = first;
    const client = connectStill(server, { project, runner, source });
    for (const { item, afterMs } of steps) client.send({ ...item, at: STILL_NOW + afterMs });
    await closeAll(client);
  }
  const session = await readApi(server).session('demo-fleet/01');
  const other = await readApi(server).session('demo-fleet/05');
  const counting = await readApi(server).session('demo-fleet/03');
  const ids: string[] = [];
  for (const [index, age] of [40 * MINUTE, 3 * HOUR, 30 * DAY].entries()) {
    const [conversation] = demoTranscripts(STILL_NOW - age + 14 * MINUTE, String(index));
    const lines = conversation?.text.trimEnd().split('\n') ?? [];
    const isHook = index > 0;
    // A copy made at the hook ends before the compaction.
    const end = isHook ? lines.findIndex((line) => line.includes('compact_boundary')) : lines.length;
    const { id } = await handOver(server, Buffer.from(`${lines.slice(0, end).join('\n')}\n`), {
      project: session.project,
      session: session.key,
      at: new Date(STILL_NOW - age).toISOString(),
      archive: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      version: isHook ? 'hook' : 'completed',
    });
    await untilRead(server, id);
    ids.push(id);
  }
  // Adds entries to the audit log, and a project with its own settings.
  await changeSettings(server, 'billing', { thresholds: { warning: 0.7 }, transcripts: { keepDays: 365 } });
  await untilHistory(server);
  await setStillTimes(server.dataFolder, STILL_NOW);
  return { session: session.id, other: other.id, counting: counting.id, transcript: ids[0] ?? '' };
}

/** Many sessions at once: most with two turns, every twenty-fifth active for half an hour. */
export async function feedMany(server: BarographServer, count: number): Promise<void> {
  const client = connectStill(server, { project: 'ten-thousand' });
  for (let index = 0; index < count; index += 1) {
    const turns = index % 25 === 3 ? turnsAtWork(index) : twoTurns(index);
    const session = client.session(`many/${index}`, {
      title: `Agent ${index + 1} of many`,
      lens: 'snapshot',
      limit: 200_000,
      at: (turns[0]?.at ?? STILL_NOW) - 60_000,
    });
    for (const { at, contextTokens } of turns) {
      session.turn({
        at,
        contextTokens,
        usage: { inputTokens: 10, outputTokens: 500, cacheReadTokens: contextTokens },
      });
    }
  }
  await closeAll(client);
}

interface ManyTurn {
  at: number;
  contextTokens: number;
}

/** Two turns of a session. Every two-hundredth session is near its limit. */
function twoTurns(index: number): ManyTurn[] {
  const share =
    index % 200 === 7
      ? 0.8 + ((Math.floor(index / 200) * 37) % 250) / 1_000
      : 0.04 + ((index * 7_919) % 700) / 1_000;
  const at = STILL_NOW - 20 * MINUTE + (index % 900) * 1_000;
  return [0.5, 1].map((part, turn) => ({
    at: at + (turn + 1) * 60_000,
    contextTokens: Math.round(share * part * 200_000),
  }));
}

/** A context that grew for half an hour and is now anywhere below the restart line. */
function turnsAtWork(index: number): ManyTurn[] {
  const turns: ManyTurn[] = [];
  const random = (turn: number, most: number) => (index * 7_919 + turn * 4_001) % most;
  let at = STILL_NOW - (index % 80) * 1_000;
  let contextTokens = Math.round((0.3 + ((index * 7_919) % 590) / 1_000) * 200_000);
  for (let turn = 0; turn < 18 && contextTokens > 12_000; turn += 1) {
    turns.unshift({ at, contextTokens });
    at -= (40 + random(turn, 120)) * 1_000;
    contextTokens -= 700 + random(turn, 2_900);
  }
  return turns;
}

/** Waits until the roll-up has counted all turns. */
async function untilHistory(server: BarographServer): Promise<void> {
  const api = readApi(server);
  const sessions = await api.sessions();
  const wanted = sessions.reduce((sum, { turnCount }) => sum + turnCount, 0);
  const range = { from: String(STILL_NOW - 7 * DAY), to: String(STILL_NOW + HOUR) };
  for (let tries = 0; tries < 300; tries += 1) {
    const { total } = await api.history(range);
    if (total.turns >= wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The history did not catch up.');
}
