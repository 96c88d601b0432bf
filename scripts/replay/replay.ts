/**
 * `npm run replay -- DIR`
 *
 * Writes every transcript below DIR again, line by line, and fires `barograph hook` before the line of each compaction.
 * Then compares the archives of a server, byte for byte, with the file at the hook and at the compaction's own line.
 * Ends with 1 on any difference, on an unanswered hook, or if no hook was fired.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATH } from '../../e2e/support/program';
import { BarographServer } from '../../e2e/support/server';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { projectFolder } from '../lib/project-folder';
import { type ComparedArchive, compareDownloads } from './compare-downloads';
import { type HookCall, type ReplayedSession, replaySession } from './replay-session';

async function main(): Promise<number> {
  const folder = process.argv[2];
  if (folder === undefined) {
    console.error('usage: npm run replay -- DIR');
    return 2;
  }
  // Archives may have any format, also formats that `import` skips.
  const { sessions } = await collectSources([folder], 'all');
  const paths = sessions.flatMap(({ sources: [first] }) =>
    first?.identity.chain === null ? [first.path] : [],
  );
  const work = mkdtempSync(join(tmpdir(), 'barograph-replay-'));
  const server = await BarographServer.start('replay');
  try {
    const { url, dataFolder, connection } = server;
    const replayed: ReplayedSession[] = [];
    for (const path of paths) replayed.push(await replaySession(path, { work, dataFolder }));
    const tokens = { readToken: connection.readToken, adminToken: makeAdminToken(server) };
    const compared = await compareDownloads(replayed, { url, ...tokens });
    const hooks = replayed.flatMap((each) => each.hooks);
    print(replayed, hooks, compared);
    const isWhole = compared.every(({ difference }) => difference === null);
    return isWhole && hooks.length > 0 && hooks.every(({ isAnswered }) => isAnswered) ? 0 : 1;
  } finally {
    await server.remove();
    rmSync(work, { recursive: true, force: true });
  }
}

/** Scope `admin` may download original bytes. */
function makeAdminToken({ home, environment }: BarographServer): string {
  const args = ['--import', 'tsx', 'scripts/manage-tokens.ts', '--name', 'replay', '--scope', 'admin'];
  const env = { NODE_ENV: 'production', PATH, HOME: home, ...environment } as const;
  return execFileSync(process.execPath, args, { cwd: projectFolder, encoding: 'utf8', env }).trim();
}

/** Print a row for each compacted session, all differences, and the hook's times. */
function print(
  replayed: readonly ReplayedSession[],
  hooks: readonly HookCall[],
  compared: readonly ComparedArchive[],
): void {
  const rowOf = (session: string, hookCount: number, archives: readonly ComparedArchive[]) => {
    const same = archives.filter(({ difference }) => difference === null);
    const bytes = same.reduce((sum, archive) => sum + archive.bytes, 0);
    return { session, hooks: hookCount, archives: archives.length, identical: same.length, bytes };
  };
  const rows = replayed.map(({ name, hooks: { length } }) =>
    rowOf(
      name,
      length,
      compared.filter(({ session }) => session === name),
    ),
  );
  const compacted = rows.filter(({ archives }) => archives > 0);
  console.table([...compacted, rowOf(`all ${replayed.length} sessions`, hooks.length, compared)]);
  console.table(compared.filter(({ difference }) => difference !== null));
  const times = hooks.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? Number.NaN);
  console.log(`hook: median ${at(0.5)} ms, maximum ${at(1)} ms`);
}

process.exitCode = await main();
