import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeServer, type FakeServerOptions } from '../../client/testing/fake-server';
import { TEST_SECRET } from '../../proof/testing/identity';
import { FakeArchiveServer, type FakeArchiveServerOptions } from '../../upload/testing/fake-archive-server';
import type { Output } from '../command';
import { runCommandLine } from '../run-command-line';

/** Starts a command in this process. */
export function startCli(args: readonly string[], signal: AbortSignal) {
  const lines: string[] = [];
  const problems: string[] = [];
  const out: Output = {
    line: (text = '') => lines.push(text),
    problem: (text) => problems.push(text),
    progress: () => undefined,
  };
  return { lines, problems, code: runCommandLine(args, { out, signal, now: Date.now }) };
}

/** Runs a command in this process and waits for its end. */
export async function runCli(args: readonly string[]) {
  const { lines, problems, code } = startCli(args, new AbortController().signal);
  return { code: await code, lines: lines.join('\n'), problems: problems.join('\n') };
}

/** A server on this machine for items and archives, found through the data folder. */
export async function serveBoth(
  dataFolder: string,
  options: FakeArchiveServerOptions = {},
  itemOptions: FakeServerOptions = {},
) {
  const archives = await FakeArchiveServer.start(options);
  const items = await FakeServer.start({ ...itemOptions, http: archives.http });
  const tokens = { ingestToken: 'bg_local', readToken: 'bg_read', secret: TEST_SECRET };
  writeFileSync(join(dataFolder, 'connection.json'), JSON.stringify({ url: archives.url, ...tokens }));
  return { archives, items };
}
