/** Writes one session again, and fires its hooks as separate processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { readArchiveIndex } from '../../runner/src/archive/archive-index';
import type { ArchiveEntry } from '../../runner/src/archive/archive-types';
import { replayTranscript } from '../../runner/src/upload/testing/replay-transcript';
import { projectFolder } from '../lib/project-folder';

export interface HookCall {
  /** Duration of the process. */
  milliseconds: number;
  /** Exit code 0 and `{}`. */
  isAnswered: boolean;
}

export interface ReplayedSession {
  name: string;
  hooks: HookCall[];
  /** Expected content of each archive. */
  expected: { entry: ArchiveEntry; content: Buffer }[];
  /** Reasons of archives that were not stored. */
  missing: string[];
}

const PATIENCE_MS = 120_000;
const LOOK_MS = 200;

export async function replaySession(
  path: string,
  { work, dataFolder }: { work: string; dataFolder: string },
): Promise<ReplayedSession> {
  const name = basename(path, '.jsonl');
  const config = join(work, 'config', name);
  // Some clients identify files by name only, others also by folder.
  const target = join(work, 'projects', basename(dirname(path)), `${name}.jsonl`);
  const agents = path.replace(/\.jsonl$/, '');
  if (existsSync(agents)) cpSync(agents, target.replace(/\.jsonl$/, ''), { recursive: true });
  const hooks: HookCall[] = [];
  const atHook: Buffer[] = [];
  const completed = await replayTranscript(path, target, async ({ payload, content }) => {
    atHook.push(content);
    hooks.push(await fire(JSON.stringify(payload), { config, dataFolder, work }));
    // In real sessions the next line follows a minute later, after the hook has ended.
    await untilIndexed(config, hooks.length);
  });
  const entries = await settle(config, atHook.length + completed.length);
  const mains = entries.filter(({ agent }) => agent === undefined);
  const contentOf = (entry: ArchiveEntry): Buffer => {
    if (entry.agent !== undefined) return readFileSync(entry.source ?? '');
    const all = entry.asOf === 'hook' ? atHook : completed;
    // A transcript only grows, so the lengths give the order of archives, also from simultaneous processes.
    const alike = mains.filter(({ asOf }) => asOf === entry.asOf);
    alike.sort((a, b) => (a.bytes ?? 0) - (b.bytes ?? 0));
    return all[alike.indexOf(entry)] ?? Buffer.from('no such archive');
  };
  const isThere = ({ upload }: ArchiveEntry) => upload === 'done';
  const lost = atHook.length + completed.length - mains.length;
  return {
    name,
    hooks,
    expected: entries.filter(isThere).map((entry) => ({ entry, content: contentOf(entry) })),
    missing: [
      ...entries.filter((entry) => !isThere(entry)).map((entry) => entry.uploadReason ?? entry.reason ?? '?'),
      ...Array.from({ length: Math.max(0, lost) }, () => 'not in the index'),
    ],
  };
}

async function fire(input: string, folders: Record<'config' | 'dataFolder' | 'work', string>) {
  const { config, dataFolder, work } = folders;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(projectFolder, 'runner/dist/cli.js'), 'hook'], {
    cwd: work,
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH ?? '',
      HOME: work,
      BAROGRAPH_DATA_DIR: dataFolder,
      BAROGRAPH_QUEUE_DIR: join(work, 'queue'),
      BAROGRAPH_CONFIG_DIR: config,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { milliseconds: performance.now() - startedAt, isAnswered: code === 0 && output === '{}' };
}

async function untilIndexed(config: string, hooks: number): Promise<void> {
  await until(async () => {
    const { entries } = await readArchiveIndex(config);
    return entries.filter(({ asOf, agent }) => asOf === 'hook' && agent === undefined).length >= hooks;
  });
}

/** The index, read when every archive is settled or after a timeout. */
async function settle(config: string, expected: number): Promise<ArchiveEntry[]> {
  await until(async () => {
    const { entries } = await readArchiveIndex(config);
    const isOver = entries.every(({ upload }) => upload !== 'pending');
    return isOver && entries.filter(({ agent }) => agent === undefined).length >= expected;
  });
  return (await readArchiveIndex(config)).entries;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end && !(await condition())) await pause(LOOK_MS);
}
