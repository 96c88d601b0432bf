/** A backup while runners send: the restored database has a prefix of each runner's turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../db/client';
import { PATH } from '../../e2e/support/program';
import { projectFolder } from '../lib/project-folder';
import { addTo, type Fault, newOutcome, untilIssued } from './under-load';

async function runBackup(args: readonly string[], databaseUrl: string, home: string): Promise<void> {
  const program = join(projectFolder, 'scripts', 'manage-backups.ts');
  const env = { PATH, HOME: home, DATABASE_URL: databaseUrl } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    cwd: projectFolder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`barograph ${args[0]} ended with ${code}`);
}

export const backupFaults: Readonly<Record<string, Fault>> = {
  async backup(place, { times, runners, perSecond, turns }, random) {
    const server = await place.serve();
    const load = place.load([server], { runners, seed: random.int(1, 1e9) });
    load.start(perSecond);
    const total = newOutcome(times);
    const file = join(place.folder, 'backup.sql.gz');
    let meanwhile = 0;
    for (let round = 0; round < times; round += 1) {
      const wanted = ((round + 1) * turns) / (times + 1);
      await untilIssued(load, wanted);
      const acknowledged = await load.flush();
      const before = load.issued;
      await runBackup(['backup', file], place.url, place.folder);
      meanwhile += load.issued - before;
      await place.sql.unsafe('create database restored');
      const url = new URL(place.url);
      url.pathname = '/restored';
      await runBackup(['restore', file], url.href, place.folder);
      const restored = connect(url.href, 1);
      addTo(total, await load.compareRows(restored, acknowledged));
      await restored.end();
      await place.sql.unsafe('drop database restored');
      rmSync(file);
    }
    await load.finish();
    if (meanwhile === 0) total.problems.push('no turns were issued during a backup');
    total.note = `${meanwhile} turns issued during the backups`;
    return total;
  },
};
