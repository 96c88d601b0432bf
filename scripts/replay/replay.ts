/**
 * `npm run replay -- DIR [--data-dir FOLDER --admin-token TOKEN]`
 *
 * Writes every transcript below DIR again, line by line, as its client once did; fires `barograph hook` before each
 * compaction's line, with what that client gives its hooks; and compares what a server then has, downloaded over HTTP,
 * byte for byte with the file as it was at the hook, and as it was at the compaction's own line. The server is its own,
 * unless the data folder of one that runs is given. Ends with 1 on any difference.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { connectionOf, startOwnServer } from '../truth/start-own-server';
import { compareDownloads } from './compare-downloads';
import { makeAdminToken } from './make-admin-token';
import { formatReplay } from './print-replay';
import { type ReplayedSession, replaySession } from './replay-session';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'data-dir': { type: 'string' }, 'admin-token': { type: 'string' } },
  });
  const [folder] = positionals;
  if (folder === undefined) {
    console.error('usage: npm run replay -- DIR [--data-dir FOLDER --admin-token TOKEN]');
    return 2;
  }
  // Archives hold every format, also those that import skips.
  const { sessions } = await collectSources([folder], 'all');
  const paths = sessions.flatMap(({ hasMain, sources }) => (hasMain ? (sources[0]?.path ?? []) : []));
  const work = mkdtempSync(join(tmpdir(), 'barograph-replay-'));
  const given = values['data-dir'];
  const own = given === undefined ? await startOwnServer() : null;
  const dataFolder = given ?? own?.folder ?? '';
  try {
    const adminToken = values['admin-token'] ?? makeAdminToken(dataFolder);
    const replayed: ReplayedSession[] = [];
    for (const path of paths) replayed.push(await replaySession(path, { work, dataFolder }));
    const { url, readToken } = connectionOf(dataFolder);
    const compared = await compareDownloads(replayed, { url, readToken, adminToken });
    console.log(formatReplay(replayed, compared));
    const isWhole = compared.every(({ difference }) => difference === null);
    const hooks = replayed.flatMap((each) => each.hooks);
    return isWhole && hooks.length > 0 && hooks.every(({ isAnswered }) => isAnswered) ? 0 : 1;
  } finally {
    await own?.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

process.exitCode = await main();
